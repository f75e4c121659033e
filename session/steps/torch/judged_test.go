//go:build cgo

package torch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/sides"
	"lathe/session/torch"
)

// TestTorchJudged exports models for which the example alone would show too little, and checks what
// the report says.
func TestTorchJudged(t *testing.T) {
	models, err := filepath.Abs("../../../testdata/torch/judged.py")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		dynamic []string
		ok      bool
		says    []string
	}{
		"lost":     {nil, false, []string{`takes "n", and this one has no such input`, "compute with the tensor at ", "judged.py:13"}},
		"unfree":   {[]string{"x:1=seq"}, false, []string{"legacy: exported, and not dynamic", `axis x:1 (seq) is not dynamic`, "must match the size of tensor b (16)"}},
		"both":     {[]string{"a:0=batch", "b:0=rows"}, true, []string{"b:0 has the size of another axis in the exported model, and its name, batch"}},
		"eights":   {[]string{"x:0=n"}, true, []string{"x  f32  n", "is invalid for input of size 17"}},
		"record":   {nil, true, []string{"batch_ids", "batch_mask"}},
		"appends":  {nil, true, []string{"cache_0", "forward changes its argument cache"}},
		"keeps":    {nil, true, []string{"forward keeps something between calls, self.seen"}},
		"spectrum": {nil, true, []string{"2×9×2", "is complex in PyTorch"}},
		"mixed":    {nil, true, []string{"logits", "not a tensor, and therefore not an output: n"}},
		"noisy":    {nil, false, []string{"cannot be judged", "it is random, made by RandomNormalLike", "--no-check"}},
		"root":     {nil, false, []string{"cannot be judged", "it is NaN on both sides"}},
		"longer":   {[]string{"x:1=t"}, false, []string{"x:1 can only have sizes of at least 7", "return x[:, 3:]"}},
		"captured": {[]string{"args.0:0=batch"}, false, []string{"non-strict: exported, and not dynamic", "axis args.0:0 (batch) is not dynamic: its size is 4 in the exported model", "dynamic_shapes="}},
		"refined":  {nil, true, []string{"exported by non-strict"}},
	} {
		t.Run(name, func(t *testing.T) {
			report, r, said := exportedFrom(t, torchRuntime(t), models+":"+name, &Export{Dynamic: c.dynamic})
			if report.OK != c.ok || r.No == c.ok {
				t.Errorf("right: %v\n%s", report.OK, said)
			}
			for _, part := range c.says {
				if !strings.Contains(said, part) {
					t.Errorf("does not say %q:\n%s", part, said)
				}
			}
			for _, a := range report.Attempts {
				if a.Failure != nil && (a.Error == "" || a.Suggestion == "" && len(a.Failure.Next) > 0) {
					t.Errorf("%+v", a)
				}
			}
		})
	}
}

// TestTorchRounding checks that a fault is reported although rounding makes up much of the result.
func TestTorchRounding(t *testing.T) {
	env := torchRuntime(t)
	models, err := filepath.Abs("../../../testdata/torch/judged.py")
	if err != nil {
		t.Fatal(err)
	}
	s := &Export{Strategy: []string{"legacy"}}
	s.Target, s.Out = models+":refined", filepath.Join(t.TempDir(), "m.onnx")
	if r, err := s.Run(t.Context(), env, nil); err != nil || r.No {
		t.Fatalf("%v, %+v", err, r.Report)
	}
	v := &sides.Comparison{A: s.Out, Torch: models + ":broken"}
	v.NoStore = true
	r, err := v.Run(t.Context(), env)
	if err != nil || !r.No || r.Report.(*sides.Report).Verdict == compare.Undecided {
		t.Errorf("%v, %+v", err, r.Report)
	}
}

// TestResized checks that a resized example repeats its elements.
func TestResized(t *testing.T) {
	values := tensor.FromSlice([]int32{1, 2, 3, 4, 5, 6}, 2, 3)
	example := inputs.Case{Name: "example", Feeds: graphops.Feeds{"x": graphops.TensorValue(values), "y": graphops.TensorValue(values)}, Fed: []inputs.Fed{{Name: "x"}, {Name: "y"}}}
	got := sides.ResizedBy(example, "seq", map[string]int{"x": 1}, func(n int64) int64 { return n + 2 })
	x, y := got.Feeds["x"].Tensor, got.Feeds["y"].Tensor
	list, err := x.Int64s()
	if err != nil || got.Name != "example, seq=5" || !slices.Equal(x.Shape, []int64{2, 5}) || !slices.Equal(list, []int64{1, 2, 3, 1, 2, 4, 5, 6, 4, 5}) {
		t.Errorf("%s: %v %v, %v", got.Name, x.Shape, list, err)
	}
	if !slices.Equal(y.Shape, []int64{2, 3}) {
		t.Errorf("another input is %v", y.Shape)
	}
	if first, ok := sides.Changed(tensor.FromSlice([]bool{true, false}, 2), func(x float64) float64 { return x }); !ok || first.Data[0] != 0 || first.Data[1] != 1 {
		t.Errorf("truth becomes %v", first.Data)
	}
}

// TestWithSameSize checks the suggestion to make other axes of the same size dynamic too.
func TestWithSameSize(t *testing.T) {
	d := torch.Description{Inputs: []torch.Leaf{{Path: "a", Shape: []int64{4, 8}}, {Path: "b", Shape: []int64{4, 8}}, {Path: "c", Shape: []int64{3, 8}}}}
	axes := []torch.DynamicAxis{{Path: "a", Axis: 0, Symbol: "batch"}}
	next := new(torchJob).withSameSize(d, axes)
	if len(next) != 1 || !slices.Equal(next[0].Flags, []string{"--dynamic", "a:0=batch", "--dynamic", "b:0=batch"}) {
		t.Fatalf("%+v", next)
	}
	set := settingsFrom(append(next[0].Flags, "--no-check", "--opset", "18"))
	want := []session.Setting{{Name: "dynamic", Values: []string{"a:0=batch", "b:0=batch"}}, {Name: "no-check", Values: []string{"true"}}, {Name: "opset", Values: []string{"18"}}}
	if !slices.EqualFunc(set, want, func(a, b session.Setting) bool { return a.Name == b.Name && slices.Equal(a.Values, b.Values) }) {
		t.Errorf("%+v", set)
	}
	if next := new(torchJob).withSameSize(d, append(axes, torch.DynamicAxis{Path: "b", Axis: 0, Symbol: "batch"})); next != nil {
		t.Errorf("nothing is left to suggest, and is: %+v", next)
	}
}
