package main

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// module is a small module with a package of every outcome.
var module = map[string]string{
	"go.mod": "module m\n\ngo 1.26\n",
	"passes/a_test.go": `package passes
		import "testing"
		func TestPasses(t *testing.T) { t.Run("sub", func(t *testing.T) { t.Log("quiet") }) }
		func TestSkips(t *testing.T)  { t.Skip("quiet too") }`,
	"fails/a_test.go": `package fails
		import "testing"
		func TestFails(t *testing.T)  { t.Run("sub", func(t *testing.T) { t.Error("why") }) }
		func TestPasses(t *testing.T) { t.Log("quiet") }`,
	"panics/a_test.go": `package panics
		func init() { panic("at start") }`,
	"broken/a_test.go": "package broken\nvar x int = \"text\"\n",
	"empty/a.go":       "package empty\n",
}

func TestOutcomes(t *testing.T) {
	dir := t.TempDir()
	for name, content := range module {
		write(t, filepath.Join(dir, name), content)
	}
	t.Chdir(dir)
	tests := []struct {
		args []string
		code int
		want string
	}{
		{[]string{"./empty", "./passes"}, 0, `slowest tests:
   0.00s  m/passes  TestPasses
?   	m/empty	[no test files]
ok  	m/passes
`},
		{[]string{"./fails"}, 1, `    a_test.go:3: why
--- FAIL: TestFails/sub (0.00s)
--- FAIL: TestFails (0.00s)
slowest tests:
   0.00s  m/fails  TestFails
   0.00s  m/fails  TestPasses
FAIL	m/fails
FAIL
`},
		{[]string{"./broken"}, 1, `# m/broken [m/broken.test]
broken/a_test.go:2:13: cannot use "text" (untyped string constant) as int value in variable declaration
FAIL	m/broken [build failed]
FAIL
`},
	}
	for _, test := range tests {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			code, out := runIn(t, test.args)
			if code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if diff := cmp.Diff(test.want, out); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

// A panic outside a test is shown, and the package's line still comes last.
func TestPanicOutsideTests(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), module["go.mod"])
	write(t, filepath.Join(dir, "panics/a_test.go"), module["panics/a_test.go"])
	t.Chdir(dir)
	code, out := runIn(t, []string{"./panics"})
	if code != 1 || !strings.HasPrefix(out, "panic: at start") || !strings.HasSuffix(out, "\nFAIL\tm/panics\nFAIL\n") {
		t.Errorf("exit code %d, output:\n%s", code, out)
	}
}

func TestWrongUsage(t *testing.T) {
	var out, errOut strings.Builder
	if code := run([]string{"-count=many"}, &out, &errOut); code != 2 {
		t.Errorf("exit code %d, want go test's own 2", code)
	}
	if text := out.String() + errOut.String(); !strings.Contains(text, "-count") {
		t.Errorf("output %q, want one that names the flag", text)
	}
}

// The list is sorted, holds ten tests, and no subtests.
func TestSlowest(t *testing.T) {
	var stream strings.Builder
	for i, name := range strings.Split("A B C D E F G H I J K L", " ") {
		stream.WriteString(`{"Action":"pass","Package":"p","Test":"Test` + name + `","Elapsed":` + string(rune('0'+i%9)) + "}\n")
	}
	stream.WriteString(`{"Action":"pass","Package":"p","Test":"TestA/sub","Elapsed":99}` + "\nnot an event\n")
	var out strings.Builder
	r := newReport(&out)
	if err := r.read(bufio.NewReader(strings.NewReader(stream.String()))); err != nil {
		t.Fatal(err)
	}
	r.summarize()
	lines := strings.Split(out.String(), "\n")
	var order string
	for _, line := range lines[2 : len(lines)-1] {
		order += strings.TrimPrefix(line[strings.LastIndex(line, " ")+1:], "Test")
	}
	if lines[0] != "not an event" || order != "IHGFEDCLBK" {
		t.Errorf("order %q, want %q, after the line that is no event; output:\n%s", order, "IHGFEDCLBK", out.String())
	}
}

// elapsed is what differs from run to run in a package's line.
var elapsed = regexp.MustCompile(`(?m)(^(ok  |FAIL)\t\S+)\t(\d+\.\d+s|\(cached\))$`)

func runIn(t *testing.T, args []string) (int, string) {
	t.Helper()
	var out, errOut strings.Builder
	code := run(args, &out, &errOut)
	if errOut.Len() > 0 {
		t.Logf("stderr: %s", errOut.String())
	}
	return code, elapsed.ReplaceAllString(out.String(), "$1")
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
