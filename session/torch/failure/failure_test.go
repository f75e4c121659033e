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

const reports = "../../../testdata/torch/reports"

// TestReadReport: the reports of the failing models tell what the child did, without Python.
func TestReadReport(t *testing.T) {
	for name, want := range map[string]string{
		"2.15.0/onnx_export_data_dependent_pt_export.md":    "capture|data_dependent.py:6|data-dependent",
		"2.15.0/onnx_export_item_pt_export.md":              "capture|item.py:6|data-dependent",
		"2.15.0/onnx_export_no_onnx_function_conversion.md": "translate|no_onnx_function.py:16|no-onnx-function",
		"2.15.0/onnx_export_specialized_pt_export.md":       "capture||specialized",
	} {
		raw, err := ReadReport(filepath.Join(reports, name))
		if err != nil {
			t.Fatal(err)
		}
		f := Distil(raw)
		at := ""
		if f.UserFrame != nil {
			at = fmt.Sprintf("%s:%d", filepath.Base(f.UserFrame.File), f.UserFrame.Line)
		}
		if got := f.Stage + "|" + at + "|" + f.Entry; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if len(raw.Steps) != len(statusLines) || f.Class == "" || f.Error == "" || len(raw.Chain[0].Frames) == 0 {
			t.Errorf("%s: %+v of %d steps", name, f, len(raw.Steps))
		}
	}
	for file, want := range map[string]string{"testdata/item.json": "is no report of PyTorch's exporter", "testdata": "is no file", "gone.md": "no such file"} {
		if _, err := ReadReport(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
}

// TestAround: lines are shown of a file that still says what the frame does, and of no other.
func TestAround(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.py")
	if err := os.WriteFile(path, []byte("a\n b\nc\n  x = 1\nd\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		frame Frame
		want  int
	}{
		{Frame{File: path, Line: 4, Code: "x = 1", User: true}, 5},
		{Frame{File: path, Line: 3, Code: "x = 1", User: true}, 0},
		{Frame{File: path, Line: 4, Code: "x = 1"}, 0},
		{Frame{File: path, Line: 99, Code: "x = 1", User: true}, 0},
		{Frame{File: dir + "/gone.py", Line: 1, Code: "a", User: true}, 0},
		{Frame{File: dir, Line: 1, Code: "a", User: true}, 0},
		{Frame{File: "/dev/zero", Line: 1, Code: "a", User: true}, 0},
	} {
		if got := Around(&c.frame); len(got) != c.want {
			t.Errorf("%+v: %v", c.frame, got)
		}
	}
	if Around(nil) != nil {
		t.Error("of nothing")
	}
}

// FuzzReport: a report is anybody's.
func FuzzReport(f *testing.F) {
	files, err := filepath.Glob(reports + "/*/*.md")
	if err != nil || len(files) == 0 {
		f.Fatal("there are no reports")
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b), filepath.Base(file))
	}
	f.Fuzz(func(t *testing.T, s, name string) {
		raw, err := parseReport(s, name)
		if err != nil {
			return
		}
		if d := Distil(raw); strings.ContainsAny(d.Error+d.About+d.Class, "\n\x1b") {
			t.Errorf("%q, %q", d.Error, d.About)
		}
	})
}
