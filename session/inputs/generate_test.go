package inputs

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/sizing"
)

// shapeOf returns a shape: a number is a fixed size, a text is a symbol, and "" is an unknown size.
func shapeOf(dims ...any) graphops.Shape {
	s := graphops.Shape{}
	for _, d := range dims {
		switch d := d.(type) {
		case int:
			s = append(s, graphops.FixedDim(int64(d)))
		case string:
			s = append(s, graphops.SymbolDim(d))
		}
	}
	return s
}

// typesOf returns the types of inputs that take dense tensors.
func typesOf(specs ...Spec) []graphops.NamedType {
	out := make([]graphops.NamedType, len(specs))
	for i, s := range specs {
		out[i] = graphops.NamedType{Name: s.Name, Type: graphops.Type{Kind: graphops.TypeTensor, Elem: s.DType, Shape: s.Shape}}
	}
	return out
}

func generate(t *testing.T, o Options, specs ...Spec) graphops.Feeds {
	t.Helper()
	made, err := Generate(typesOf(specs...), o)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range made.Feeds {
		if err := v.Check(); err != nil {
			t.Errorf("input %q: %v", name, err)
		}
	}
	return made.Feeds
}

func TestSizes(t *testing.T) {
	specs := []Spec{
		{"x", tensor.F32, shapeOf("batch", 3, "seq")},
		{"past", tensor.F32, shapeOf(2, "batch", "past_len")},
		{"k", tensor.I64, shapeOf()},
		{"tokens", tensor.I64, shapeOf("seq")},
		{"old", tensor.F32, shapeOf("", "")},
	}
	tests := []struct {
		name string
		o    Options
		want []string
	}{
		{"defaults", Options{}, []string{"2×3×3", "2×2×5", "scalar", "3", "2×7"}},
		{"batch", Options{Batch: 4}, []string{"4×3×3", "2×4×5", "scalar", "3", "4×7"}},
		{"told", Options{Dims: map[string]int64{"seq": 7, "batch": 2, "past_len": 0}}, []string{"2×3×7", "2×2×0", "scalar", "7", "2×8"}},
		{"axes without a symbol", Options{Dims: map[string]int64{"old:1": 6}}, []string{"2×3×3", "2×2×5", "scalar", "3", "2×6"}},
		{"symbol over batch", Options{Batch: 9, Dims: map[string]int64{"batch": 2}}, []string{"2×3×3", "2×2×5", "scalar", "3", "9×7"}},
	}
	for _, c := range tests {
		feeds := generate(t, c.o, specs...)
		var got []string
		for _, s := range specs {
			got = append(got, tensor.FormatShape(feeds[s.Name].Tensor.Shape))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestOneSymbolOneSize checks that a symbol has the same size everywhere, also where it is not the
// batch.
func TestOneSymbolOneSize(t *testing.T) {
	feeds := generate(t, Options{Batch: 5}, Spec{"x", tensor.F32, shapeOf("N", 2)}, Spec{"y", tensor.F32, shapeOf(2, "N")})
	if got := tensor.FormatShape(feeds["y"].Tensor.Shape); got != "2×5" {
		t.Errorf("got %s, want 2×5", got)
	}
}

func TestBatchAxes(t *testing.T) {
	tests := []struct {
		dim  graphops.Dim
		axis int
		want bool
	}{
		{graphops.SymbolDim("batch_size"), 1, true},
		{graphops.SymbolDim("None"), 0, true},
		{graphops.SymbolDim("s77"), 0, true},
		{graphops.Dim{Value: -1}, 0, true},
		{graphops.Dim{Value: -1}, 1, false},
		{graphops.SymbolDim("sequence_length"), 0, false},
		{graphops.SymbolDim("num_boxes"), 0, false},
		{graphops.SymbolDim("N"), 1, false},
		{graphops.FixedDim(1), 0, false},
	}
	for _, c := range tests {
		if got := sizing.CountsSamples(c.dim, c.axis); got != c.want {
			t.Errorf("%v at axis %d: %v", c.dim, c.axis, got)
		}
	}
}

func TestGenerateValues(t *testing.T) {
	mean := func(values []float64) (mean, deviation float64) {
		var all tensor.Summary
		all.Add(values)
		s := all.Stats()
		return float64(s.Mean), float64(s.Std)
	}
	within := func(lo, hi float64) func([]float64) bool {
		return func(values []float64) bool {
			seenLo, seenHi := false, false
			for _, v := range values {
				if v < lo || v > hi || v != math.Trunc(v) {
					return false
				}
				seenLo, seenHi = seenLo || v == lo, seenHi || v == hi
			}
			return seenLo && seenHi
		}
	}
	normal := func(values []float64) bool {
		m, d := mean(values)
		return math.Abs(m) < 0.05 && math.Abs(d-1) < 0.05
	}
	tests := []struct {
		spec Spec
		ok   func(values []float64) bool
	}{
		{Spec{"x", tensor.F32, nil}, normal},
		{Spec{"x", tensor.F64, nil}, normal},
		{Spec{"x", tensor.F16, nil}, normal},
		{Spec{"x", tensor.BF16, nil}, normal},
		{Spec{"x", tensor.C64, nil}, normal},
		{Spec{"input_ids", tensor.I64, nil}, within(0, 9)},
		{Spec{"n", tensor.U32, nil}, within(0, 9)},
		{Spec{"image", tensor.U8, nil}, within(0, 255)},
		{Spec{"q", tensor.I8, nil}, within(0, 127)},
		{Spec{"q", tensor.I4, nil}, within(0, 7)},
		{Spec{"q", tensor.U2, nil}, within(0, 3)},
		{Spec{"flag", tensor.Bool, nil}, within(0, 1)},
		{Spec{"attention_mask", tensor.I64, nil}, within(1, 1)},
		{Spec{"Mask", tensor.Bool, nil}, within(1, 1)},
		{Spec{"position_ids", tensor.I64, nil}, within(0, 4999)},
		{Spec{"scale", tensor.F8E8M0, nil}, func(values []float64) bool { m, _ := mean(values); return m > 0.5 }},
		{Spec{"x", tensor.F8E4M3FN, nil}, normal},
		{Spec{"x", tensor.F4E2M1, nil}, func(values []float64) bool { m, _ := mean(values); return math.Abs(m) < 0.1 }},
	}
	for _, c := range tests {
		c.spec.Shape = shapeOf(5000)
		feeds := generate(t, Options{Seed: 3}, c.spec)
		values, err := feeds[c.spec.Name].Tensor.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		if !c.ok(values) {
			t.Errorf("%s %s: unexpected values, first %v", c.spec.Name, c.spec.DType, values[:8])
		}
	}
	feeds := generate(t, Options{}, Spec{"s", tensor.String, shapeOf(3)})
	if len(feeds["s"].Tensor.Strings) != 3 {
		t.Errorf("strings: %v", feeds["s"])
	}
}

// TestGenerateIsStable checks that the values depend on the seed and the input's name, and not on
// other inputs.
func TestGenerateIsStable(t *testing.T) {
	x := Spec{"x", tensor.F32, shapeOf(4)}
	alone := generate(t, Options{Seed: 7}, x)
	beside := generate(t, Options{Seed: 7}, Spec{"w", tensor.F32, shapeOf(9)}, x)
	other := generate(t, Options{Seed: 8}, x)
	renamed := generate(t, Options{Seed: 7}, Spec{"y", tensor.F32, shapeOf(4)})
	if diff := cmp.Diff(alone["x"], beside["x"]); diff != "" {
		t.Errorf("another input changed the values:\n%s", diff)
	}
	if cmp.Equal(alone["x"], other["x"]) {
		t.Error("another seed gives the same values")
	}
	if cmp.Equal(alone["x"], renamed["y"]) {
		t.Error("another name gives the same values")
	}
}

func TestGenerateRefuses(t *testing.T) {
	x := Spec{"x", tensor.F32, shapeOf("batch", 2)}
	tests := []struct {
		name string
		spec Spec
		o    Options
		text string
	}{
		{"unknown symbol", x, Options{Dims: map[string]int64{"bacth": 2}}, `no input has a dimension "bacth"; there are "batch"`},
		{"an axis that has a symbol", x, Options{Dims: map[string]int64{"x:0": 2}}, `axis 0 of input "x" is called "batch": --dim batch=2`},
		{"an axis that is fixed", x, Options{Dims: map[string]int64{"x:1": 3}}, `axis 1 of input "x" has the fixed size 2`},
		{"an axis that is not there", x, Options{Dims: map[string]int64{"x:2": 3}}, `no input has a dimension "x:2"; there are "batch"`},
		{"negative size", x, Options{Dims: map[string]int64{"batch": -2}}, "cannot have size -2"},
		{"negative batch", x, Options{Batch: -1}, "batch cannot be -1"},
		{"no batch axis", Spec{"x", tensor.F32, shapeOf(1, 2)}, Options{Batch: 8}, "no input has a free batch axis"},
		{"unknown rank", Spec{"x", tensor.F32, nil}, Options{}, "no known rank"},
		{"too large", Spec{"x", tensor.F32, shapeOf(1<<40, 2)}, Options{}, `input "x" of shape 1099511627776×2 takes 8.0 TiB, generated inputs take at most 128.0 MiB: raise it with --input-limit, or`},
		{"overflow", Spec{"x", tensor.F32, shapeOf(1<<40, 1<<40)}, Options{}, "more than 2^63"},
		{"too many strings", Spec{"x", tensor.String, shapeOf(1 << 40)}, Options{}, "generated inputs take at most 128.0 MiB"},
		{"more strings than can be counted", Spec{"x", tensor.String, shapeOf(1 << 62)}, Options{}, "generated inputs take at most 128.0 MiB"},
		{"over the limit", x, Options{Batch: 100, MaxBytes: 799}, "takes 800 B, generated inputs take at most 799 B"},
		{"unknown type", Spec{"x", tensor.DType(77), shapeOf(1)}, Options{}, "cannot be generated"},
		{"a rule for no input", x, Options{Each: map[string]Fill{"y": {}}}, `no input is called "y"; inputs are "x"`},
	}
	for _, c := range tests {
		_, err := Generate(typesOf(c.spec), c.o)
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.text)
		}
	}
	pair := typesOf(Spec{"x", tensor.F32, shapeOf(10)}, Spec{"y", tensor.F32, shapeOf(10)})
	if _, err := Generate(pair, Options{MaxBytes: 79}); err == nil || !strings.Contains(err.Error(), `"y" of shape 10 takes 40 B beside the 40 B of others, generated inputs take at most 79 B`) {
		t.Errorf("two that are too large together: %v", err)
	}
	if _, err := Generate(pair, Options{MaxBytes: 80}); err != nil {
		t.Errorf("two that fit: %v", err)
	}
	if _, err := Generate(typesOf(Spec{"x", tensor.F32, shapeOf(8, 2)}), Options{Batch: 8}); err != nil {
		t.Errorf("a batch that the shape has anyway: %v", err)
	}
}

func TestSpecs(t *testing.T) {
	got, err := Specs([]graphops.NamedType{{Name: "x", Type: graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32, Shape: shapeOf(2)}}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Spec{{"x", tensor.F32, shapeOf(2)}}, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	seq := graphops.Type{Kind: graphops.TypeSequence, Of: &graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32}}
	if _, err := Specs([]graphops.NamedType{{Name: "s", Type: seq}}); err == nil || !strings.Contains(err.Error(), `"s" takes seq(f32)`) {
		t.Errorf("a sequence: %v", err)
	}
}
