package accuracy

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/graphops/permit"
	"lathe/graphops/tensor/npz"
)

// TestScriptGets: a script gets all outputs, joined along their first axis, and the labels.
func TestScriptGets(t *testing.T) {
	s, err := newScript("cp", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.remove() }()
	for i, c := range [][]string{
		{"y=f32[2,3]{1,2,3,4,5,6}", "n=i64[]{7}", "b=bf16[2]{1,2}", "s=str[1]{\"a\"}"},
		{"y=f32[1,3]{7,8,9}", "n=i64[]{8}", "b=bf16[1]{3}", "s=str[1]{\"b\"}"},
	} {
		if err := s.add(gots(t, c...), []int64{int64(i), 5}[:2-i]); err != nil {
			t.Fatal(err)
		}
	}
	path := t.TempDir() + "/x.npz"
	if err := s.archive(path); err != nil {
		t.Fatal(err)
	}
	arrays, err := npz.Open(path, npz.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range arrays {
		values, err := a.Tensor.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][]float64{"y": {1, 2, 3, 4, 5, 6, 7, 8, 9}, "n": {7, 8}, "b": {1, 2, 3}, "labels": {0, 5, 1}}[a.Name]
		if !slices.Equal(values, want) {
			t.Errorf("%s: %v, expected %v", a.Name, values, want)
		}
		names = append(names, a.Name)
	}
	slices.Sort(names)
	if strings.Join(names, " ") != "b labels n y" || !slices.Equal(s.leftOut, []string{"s"}) {
		t.Errorf("arrays %q, left out %q", names, s.leftOut)
	}
	if err := s.add(gots(t, "y=f32[1,4]{1,2,3,4}"), nil); err == nil || !strings.Contains(err.Error(), `output "y" is f32 1×4, and f32 with rows of 3 in earlier cases`) {
		t.Errorf("rows of another size: %v", err)
	}
}

// TestScriptErrors: whatever a script does other than to print one number is one clear line.
func TestScriptErrors(t *testing.T) {
	for line, want := range map[string]string{
		"echo 0.25 #":                      "",
		"printf ' 1e-3\\n\\n' #":           "",
		"true":                             "the command printed nothing; expected one number",
		"echo x #":                         `the command printed "x"; expected one number and nothing else`,
		"echo 1 2 #":                       `the command printed "1 2"`,
		"echo 1; echo 2 #":                 `the command printed "1\n2"`,
		"echo nan #":                       "the command printed nan, which is not a score",
		"echo -inf #":                      "the command printed -inf, which is not a score",
		"echo 1; echo why >&2; exit 3 #":   "exit status 3: why",
		"no-such-program":                  "exit status 127: ",
		"kill -9 $$ #":                     "signal: killed",
		"yes 1 | head -c 100000 #":         "expected one number and nothing else",
		"sleep 60 #":                       "the command took more than 300ms and was stopped",
		"sleep 60 & echo 1; sleep 60 #":    "the command took more than 300ms and was stopped",
		"test -f \"$1\" && echo 1 || echo": "",
	} {
		s, err := newScript(line, 300*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = s.run(t.Context())
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v, expected %q", line, err, want)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %s", line, took)
		}
		if err := s.remove(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(s.folder); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: its folder stays: %v", line, err)
		}
	}
}

// TestScriptIsAsked: a recipe may not run a script without consent, and cancelling ends one.
func TestScriptIsAsked(t *testing.T) {
	s, err := newScript("echo 1 #", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.remove() }()
	if _, err := s.run(permit.Within(t.Context(), permit.Limits{})); err == nil || !strings.Contains(err.Error(), "may not run a shell command") {
		t.Errorf("within limits: %v", err)
	}
	ends, err := newScript("sleep 60 #", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ends.remove() }()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if _, err := ends.run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
