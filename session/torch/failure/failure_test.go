package failure

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func recorded(t testing.TB, name string) Raw {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var raw Raw
	if err := json.Unmarshal(b, &raw); err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestDistil: stage, line and cause of what PyTorch 2.15 raised for the failing models, and the
// first thing to try.
func TestDistil(t *testing.T) {
	for name, want := range map[string]string{
		"branches":         "forward|model.py:6|branches-differ",
		"data_dependent":   "capture|model.py:6|data-dependent",
		"item":             "capture|model.py:6|data-dependent",
		"killed":           "killed||killed",
		"missing_package":  "environment|model.py:2|missing-package a_package_that_is_not_there",
		"no_onnx_function": "translate||no-onnx-function lathe_test.double_sine.default",
		"specialized":      "capture||specialized inputs['x'].shape[0]",
		"wrong_example":    "forward|model.py:10|forward",
	} {
		f := Distil(recorded(t, name))
		at := ""
		if f.UserFrame != nil {
			at = fmt.Sprintf("model.py:%d", f.UserFrame.Line)
			if filepath.Base(f.UserFrame.File) != name+".py" || f.UserFrame.Code == "" {
				t.Errorf("%s: the line is %+v", name, f.UserFrame)
			}
		}
		about := f.About
		if f.Entry == "data-dependent" || f.Entry == "branches-differ" {
			about = "" // an expression of symbols, or none
		}
		if got := strings.TrimSpace(f.Stage + "|" + at + "|" + f.Entry + " " + about); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if len(f.Next) == 0 || f.Error == "" || strings.ContainsAny(f.Error, "\n\x1b") || f.Meaning == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// FuzzDistil: nothing that a child says breaks it.
func FuzzDistil(f *testing.F) {
	for _, name := range []string{"specialized", "no_onnx_function", "killed"} {
		raw := recorded(f, name)
		b, _ := json.Marshal(raw)
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, s string) {
		var raw Raw
		if json.Unmarshal([]byte(s), &raw) != nil {
			return
		}
		d := Distil(raw)
		if strings.ContainsAny(d.Error, "\n\x1b") || strings.ContainsAny(d.About, "\n\x1b") {
			t.Errorf("%q, %q", d.Error, d.About)
		}
	})
}
