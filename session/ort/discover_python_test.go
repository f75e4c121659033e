package ort

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAskPython(t *testing.T) {
	root := t.TempDir()
	capi := filepath.Join(root, "site-packages/onnxruntime/capi")
	writeFile(t, filepath.Join(capi, "libonnxruntime.so.1.30.0"), runtimeELF("1.30.0"))
	answer := "echo greetings from sitecustomize; echo onnxruntime=" + filepath.Dir(capi)
	for name, c := range map[string]struct {
		script string
		named  bool
		want   []string
		reason string
	}{
		"has it":         {answer, false, []string{"python 1.30.0"}, ""},
		"named has it":   {answer, true, []string{"python 1.30.0"}, ""},
		"has it not":     {"exit 0", false, nil, ""},
		"named lacks it": {"exit 0", true, []string{"python  rejected"}, "no onnxruntime package in this Python"},
		"broken":         {"echo 'ImportError: no module named site' >&2; exit 3", false, []string{"python  rejected"}, "exit status 3: ImportError: no module named site"},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			python := writeScript(t, filepath.Join(bin, "python3"), c.script)
			env := Env{Path: "relative:" + bin, Root: root}
			if c.named {
				env = Env{Python: python, Root: root}
			}
			libs := discover(t.Context(), env, linux)
			if diff := cmp.Diff(c.want, found(libs)); diff != "" {
				t.Fatal(diff)
			}
			if len(libs) > 0 && !strings.Contains(libs[0].Reason, c.reason) {
				t.Errorf("reason %q, expected %q", libs[0].Reason, c.reason)
			}
		})
	}
}

func TestAskTimeout(t *testing.T) {
	script := writeScript(t, filepath.Join(t.TempDir(), "slow"), "sleep 60 & wait")
	start := time.Now()
	_, err := ask(t.Context(), 50*time.Millisecond, script)
	checkError(t, err, "did not answer within 50ms")
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("returned after %s", d)
	}
}

func TestAskTooMuch(t *testing.T) {
	script := writeScript(t, filepath.Join(t.TempDir(), "loud"), "exec yes")
	if _, err := ask(t.Context(), time.Minute, script); err == nil {
		t.Error("no error from a program that never stops printing")
	}
}

// TestFindPackage runs a real interpreter: the user's own packages are found, a module in the
// working folder or in PYTHONPATH is not, and nothing is imported.
func TestFindPackage(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 in PATH")
	}
	out, err := exec.Command(python, "-I", "-c", "import sys,sysconfig; print(sys.prefix == sys.base_prefix, sysconfig.get_default_scheme(), '%d.%d' % sys.version_info[:2])").Output()
	facts := strings.Fields(string(out))
	if err != nil || len(facts) != 3 || facts[0] != "True" || facts[1] != "posix_prefix" && facts[1] != "posix_local" {
		t.Skipf("python3 keeps the user's packages elsewhere: %s %v", out, err)
	}
	home, cwd := t.TempDir(), t.TempDir()
	capi := filepath.Join(home, ".local/lib/python"+facts[2]+"/site-packages/onnxruntime/capi")
	decoy := writeFile(t, filepath.Join(cwd, "onnxruntime/capi/libonnxruntime.so.1.30.0"), runtimeELF("1.30.0"))
	writeFile(t, filepath.Join(cwd, "onnxruntime/__init__.py"), []byte("raise SystemExit('imported')"))
	t.Setenv("HOME", home)
	t.Setenv("PYTHONPATH", cwd)
	t.Chdir(cwd)
	for _, c := range askPython(t.Context(), Env{}, python) {
		if c.err != nil || SameFile(c.path, decoy) {
			t.Fatalf("before anything is installed: %+v", c)
		}
	}
	want := writeFile(t, filepath.Join(capi, "libonnxruntime.so.1.30.0"), runtimeELF("1.30.0"))
	writeFile(t, filepath.Join(filepath.Dir(capi), "__init__.py"), []byte("raise SystemExit('imported')"))
	got := askPython(t.Context(), Env{}, python)
	if len(got) == 1 && got[0].path != want && got[0].err == nil {
		t.Skipf("this Python has an onnxruntime of its own: %s", got[0].path)
	}
	if len(got) != 1 || got[0].path != want {
		t.Errorf("found %+v, expected %s", got, want)
	}
}
