package failure

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// recorded are what the failing models raised, by version of PyTorch and name.
func recorded(t testing.TB) map[string]Raw {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("nothing is recorded")
	}
	out := map[string]Raw{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var raw Raw
		if err := json.Unmarshal(b, &raw); err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "testdata/"), ".json")] = raw
	}
	return out
}

// distilled are stage, line and entry of the failing models, and what each is about.
var distilled = map[string]string{
	"axes_not_converted":   "load|14|axes-not-converted dynamic_axes",
	"branches":             "forward|6|branches-differ",
	"data_dependent":       "capture|6|data-dependent",
	"decomposition":        "decompose|15|decomposition",
	"example_of_one":       "load|12|specialized batch",
	"functions":            "export||functions-not-converted",
	"guard":                "load|12|constraints batch",
	"item":                 "capture|6|data-dependent",
	"killed":               "killed||killed",
	"missing_package":      "environment|2|missing-package a_package_that_is_not_there",
	"no_onnx_function":     "translate||no-onnx-function lathe_test.double_sine.default",
	"onnxscript_missing":   "environment|11|missing-package onnxscript",
	"specialized":          "capture|6|specialized inputs['x'].shape[0]",
	"translation_defect":   "translate|13|translation-defect",
	"unsupported_by_opset": "export|6|old-exporter-lacks aten::grid_sampler",
	"wrong_example":        "forward|10|forward",
}

// distilledBy are those of which a version of PyTorch tells something else.
var distilledBy = map[string]string{
	"2.6.0/branches":    "capture|6|branches-differ",
	"2.8.0/specialized": "capture|6|specialized L['x'].size()[0]",
}

// TestDistil: stage, line and cause of what several versions of PyTorch raised for the failing
// models, and the first thing to try.
func TestDistil(t *testing.T) {
	seen := map[string]bool{}
	for key, raw := range recorded(t) {
		name := path.Base(key)
		seen[name] = true
		want := cmp.Or(distilledBy[key], distilled[name])
		f := Distil(raw)
		at := ""
		if f.UserFrame != nil {
			at = fmt.Sprint(f.UserFrame.Line)
			if filepath.Base(f.UserFrame.File) != name+".py" || f.UserFrame.Code == "" {
				t.Errorf("%s: the line is %+v", key, f.UserFrame)
			}
		}
		about := f.About
		if f.Entry == "data-dependent" || f.Entry == "branches-differ" {
			about = "" // an expression of symbols, or none
		}
		if got := strings.TrimSpace(f.Stage + "|" + at + "|" + f.Entry + " " + about); got != want {
			t.Errorf("%s: got %s, want %s", key, got, want)
		}
		if len(f.Next) == 0 || f.Error == "" || strings.ContainsAny(f.Error, "\n\x1b") || f.Meaning == "" {
			t.Errorf("%s: %s, %s, %v", key, f.Error, f.Meaning, f.Next)
		}
	}
	for name := range distilled {
		if !seen[name] {
			t.Errorf("%s: nothing is recorded", name)
		}
	}
}

// FuzzDistil: nothing that a child says breaks it.
func FuzzDistil(f *testing.F) {
	for _, raw := range recorded(f) {
		b, _ := json.Marshal(raw)
		f.Add(string(b))
	}
	for _, message := range []string{
		"Lambda aren't supported:\n  File \"/net.py\", line 5\n        x = f(x)\n            ~ <--- HERE\n",
		"Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: \"a.b\". \n\tUnexpected key(s) in state_dict: \"c.a.b\". \n\tsize mismatch for a: copying a param with shape torch.Size([5]) from checkpoint, the shape in current model is torch.Size([3]).",
		"Weights only load failed. WeightsUnpickler error: Unsupported global: GLOBAL net.Cfg was not an allowed global by default. Please use",
		"Got graph break/error:\n\nAttempted to call\n  Explanation: Dynamo failed to run FX node with fake tensors: f(): got RuntimeError('it')\n  Hint: see",
	} {
		b, _ := json.Marshal(raising("load", "RuntimeError", message))
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

// reported are stage, line and entry of reports.
var reported = map[string]string{
	"branches":           "capture|branches.py:6|branches-differ",
	"data_dependent":     "capture|data_dependent.py:6|data-dependent",
	"decomposition":      "decompose|decomposition.py:15|decomposition",
	"item":               "capture|item.py:6|data-dependent",
	"no_onnx_function":   "translate|no_onnx_function.py:16|no-onnx-function",
	"specialized":        "capture||specialized",
	"translation_defect": "translate|translation_defect.py:13|translation-defect",
}

const reports = "../../../testdata/torch/reports"

// TestReadReport: the reports of the failing models tell what the child did, without Python.
func TestReadReport(t *testing.T) {
	files, err := filepath.Glob(reports + "/*/*.md")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d reports: %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimPrefix(filepath.Base(file), "onnx_export_")
		name = regexp.MustCompile(`_(pt_export|decomp|conversion)\.md$`).ReplaceAllString(name, "")
		want := reported[name]
		raw, err := ReadReport(file)
		if err != nil {
			t.Fatal(err)
		}
		f := Distil(raw)
		at := ""
		if f.UserFrame != nil {
			at = fmt.Sprintf("%s:%d", filepath.Base(f.UserFrame.File), f.UserFrame.Line)
		}
		if got := f.Stage + "|" + at + "|" + f.Entry; got != want {
			t.Errorf("%s: got %s, want %s", file, got, want)
		}
		if len(raw.Steps) == 0 || f.Class == "" || f.Error == "" || len(raw.Chain[0].Frames) == 0 {
			t.Errorf("%s: %s %s, %d steps", file, f.Class, f.Error, len(raw.Steps))
		}
	}
	for file, want := range map[string]string{"testdata/2.15.0/item.json": "holds neither a Python traceback nor a report of PyTorch's exporter", "testdata": "is no file", "gone.md": "no such file"} {
		if _, err := ReadReport(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
}

// TestSuggestedFixes: what PyTorch suggests is a list of sizes, behind which lines of a traceback
// may stand.
func TestSuggestedFixes(t *testing.T) {
	const said = "Constraints violated (seq, half)!\n  - Not all values of seq = L['x'].size()[1] satisfy the generated guard\n" +
		"Suggested fixes:\n  seq = Dim('seq', max=512)\n  half = 2*_half\n  ep = fn(*args, **kwargs)\n  other = 4\n"
	f := Distil(Raw{Stage: "export", Chain: []Exception{{Class: "UserError", Message: said}}})
	var got []string
	for _, n := range f.Next {
		got = append(got, n.Text)
	}
	want := []string{"in dynamic_shapes: seq = Dim('seq', max=512)", "in dynamic_shapes: half = 2*_half", "give the axis as torch.export.Dim.AUTO, which accepts what the code requires"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFrameOfPackage: of a model that comes from a package the line of the package is told, and
// none of what exports; a line of the user's own goes before.
func TestFrameOfPackage(t *testing.T) {
	const packages = "/home/user/venv/lib/python3.11/site-packages/"
	model := Frame{File: packages + "torchvision/ops/boxes.py", Line: 103, Function: "batched_nms", Code: "if boxes.numel() == 0:"}
	machine := Frame{File: packages + "torch/_tensor.py", Line: 5, Function: "__bool__", Code: "return wrap(self)"}
	library := Frame{File: "/usr/lib/python3.11/contextlib.py", Line: 81, Function: "inner"}
	own := Frame{File: "/home/user/net.py", Line: 7, Function: "forward", Code: "return self.net(x)", User: true}
	said := "Could not guard\n  File \"" + packages + "timm/layers/a.py\", line 12, in forward\n    x = f(x)\n"
	for name, c := range map[string]struct {
		frames  []Frame
		message string
		want    string
	}{
		"a package":       {[]Frame{library, model, machine}, "", "torchvision/ops/boxes.py:103 in batched_nms: if boxes.numel() == 0:"},
		"the user's own":  {[]Frame{own, model, machine}, "", "/home/user/net.py:7 in forward: return self.net(x)"},
		"what a text has": {[]Frame{machine}, said, "timm/layers/a.py:12 in forward: x = f(x)"},
		"what exports":    {[]Frame{library, machine}, "", ""},
	} {
		f := Distil(Raw{Stage: "export", Chain: []Exception{{Class: "GuardError", Message: c.message, Frames: c.frames}}})
		got := ""
		if f.UserFrame != nil {
			got = f.UserFrame.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestFrameOfCrash: of native code that crashes the user's line is told that called it, of the
// thread in which it did.
func TestFrameOfCrash(t *testing.T) {
	const said = "Fatal Python error: Segmentation fault\n\nThread 0x0001 (most recent call first):\n  File \"/home/user/other.py\", line 3 in wait\n\n" +
		"Current thread 0x0002 (most recent call first):\n  File \"/usr/lib/python3.11/ctypes/__init__.py\", line 519 in string_at\n" +
		"  File \"/home/user/net.py\", line 4 in forward\n  File \"/home/user/net.py\", line 9 in make\n\nExtension modules: torch._C (total: 1)\n"
	f := Distil(Raw{Signal: "signal: segmentation fault", Said: said})
	if f.Entry != "crashed" || f.UserFrame == nil || f.UserFrame.String() != "/home/user/net.py:4 in forward" {
		t.Errorf("%s at %v", f.Entry, f.UserFrame)
	}
}

// TestLongExpression: what an expression of any length is known for does not depend on its
// length, and little of it is told.
func TestLongExpression(t *testing.T) {
	said := "Could not guard on data-dependent expression " + strings.Repeat("4*Min(300, u0) + ", 200) + "u1 > 0 (unhinted: u1).  (Size-like symbols: u0)\n\nmore"
	f := Distil(Raw{Stage: "export", Chain: []Exception{{Class: "GuardOnDataDependentSymNode", Message: said}}})
	if f.Entry != "data-dependent" || !strings.HasPrefix(f.About, "4*Min(300, u0)") || len(f.About) > 210 {
		t.Errorf("%s about %q", f.Entry, f.About)
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
		{Frame{File: path, Line: 4, Code: "x = 1"}, 5},
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
		raw, err := parse(decoded([]byte(s)), name)
		if err != nil {
			return
		}
		if d := Distil(raw); strings.ContainsAny(d.Error+d.About+d.Class, "\n\x1b") {
			t.Errorf("%q, %q", d.Error, d.About)
		}
	})
}
