package inputs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
)

// numbered makes an array of the given shape whose elements count up.
func numbered(name string, d tensor.DType, dims ...int64) npz.Entry {
	n, err := tensor.Elements(dims)
	if err != nil {
		panic(err)
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i)
	}
	t, err := tensor.FromFloat64s(d, values, dims...)
	if err != nil {
		panic(err)
	}
	return npz.Entry{Name: name, Tensor: t}
}

// outline describes a case as "name x=2×3 (0) y=…; labels", with the shape and the first element of
// each array.
func outline(t *testing.T, specs []Spec, c Case) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(c.Name)
	for _, s := range specs {
		v := c.Feeds[s.Name].Tensor
		if err := v.Check(); err != nil {
			t.Errorf("case %s, input %q: %v", c.Name, s.Name, err)
		}
		first := "-"
		if values, err := v.Float64s(); err == nil && len(values) > 0 {
			first = fmt.Sprint(values[0])
		}
		fmt.Fprintf(&b, " %s=%s (%s)", s.Name, tensor.FormatShape(v.Shape), first)
	}
	if c.Labels != nil {
		fmt.Fprintf(&b, " %v", c.Labels)
	}
	return b.String()
}

func TestFromArrays(t *testing.T) {
	free := Spec{"x", tensor.F32, shapeOf("batch", 2)}
	one := Spec{"x", tensor.F32, shapeOf(1, 2)}
	x, many := numbered("x", tensor.F32, 5, 2), numbered("x", tensor.F32, 130, 2)
	labels := numbered("labels", tensor.I64, 5)
	tests := []struct {
		name   string
		arrays []npz.Entry
		specs  []Spec
		want   []string
		notes  []string
	}{
		{
			"free batch",
			[]npz.Entry{many},
			[]Spec{free},
			[]string{"f[0:64] x=64×2 (0)", "f[64:128] x=64×2 (128)", "f[128:130] x=2×2 (256)"},
			nil,
		},
		{"few rows", []npz.Entry{x}, []Spec{free}, []string{"f[0:5] x=5×2 (0)"}, nil},
		{
			"fixed batch with labels",
			[]npz.Entry{labels, x},
			[]Spec{one},
			[]string{
				"f[0:1] x=1×2 (0) [0]", "f[1:2] x=1×2 (2) [1]", "f[2:3] x=1×2 (4) [2]",
				"f[3:4] x=1×2 (6) [3]", "f[4:5] x=1×2 (8) [4]",
			},
			nil,
		},
		{
			"rows left over",
			[]npz.Entry{x, labels},
			[]Spec{{"x", tensor.F32, shapeOf(2, 2)}},
			[]string{"f[0:2] x=2×2 (0) [0 1]", "f[2:4] x=2×2 (4) [2 3]"},
			[]string{"the last 1 of 5 rows do not fill a batch of 2 and are left out"},
		},
		{"the whole batch", []npz.Entry{x, labels}, []Spec{{"x", tensor.F32, shapeOf(5, 2)}}, []string{"f x=5×2 (0) [0 1 2 3 4]"}, nil},
		{
			"another name",
			[]npz.Entry{numbered("data", tensor.F32, 5, 2), labels},
			[]Spec{free},
			[]string{"f[0:5] x=5×2 (0) [0 1 2 3 4]"},
			[]string{`array "data" is used for input "x": it is the only one left`},
		},
		{
			"converted",
			[]npz.Entry{numbered("x", tensor.F64, 1, 2)},
			[]Spec{free},
			[]string{"f[0:1] x=1×2 (0)"},
			[]string{`array "x" is converted from f64 to f32`},
		},
		{
			"unused",
			[]npz.Entry{x, numbered("z", tensor.F32, 1)},
			[]Spec{free},
			[]string{"f[0:5] x=5×2 (0)"},
			[]string{`array "z" is used by no input`},
		},
		{
			"shared",
			[]npz.Entry{many, numbered("k", tensor.I64), numbered("boxes", tensor.F32, 3, 4)},
			[]Spec{free, {"k", tensor.I64, shapeOf()}, {"boxes", tensor.F32, shapeOf(3, 4)}},
			[]string{
				"f[0:64] x=64×2 (0) k=scalar (0) boxes=3×4 (0)", "f[64:128] x=64×2 (128) k=scalar (0) boxes=3×4 (0)",
				"f[128:130] x=2×2 (256) k=scalar (0) boxes=3×4 (0)",
			},
			nil,
		},
		{
			"free beside fixed",
			[]npz.Entry{x, numbered("y", tensor.F32, 5, 1)},
			[]Spec{free, {"y", tensor.F32, shapeOf(1, 1)}},
			[]string{
				"f[0:1] x=1×2 (0) y=1×1 (0)", "f[1:2] x=1×2 (2) y=1×1 (1)", "f[2:3] x=1×2 (4) y=1×1 (2)",
				"f[3:4] x=1×2 (6) y=1×1 (3)", "f[4:5] x=1×2 (8) y=1×1 (4)",
			},
			nil,
		},
		{
			"free beside a full batch",
			[]npz.Entry{x, numbered("y", tensor.F32, 5, 1)},
			[]Spec{free, {"y", tensor.F32, shapeOf(5, 1)}},
			[]string{"f[0:5] x=5×2 (0) y=5×1 (0)"},
			nil,
		},
		{
			"a sequence is not rows",
			[]npz.Entry{numbered("ids", tensor.I64, 100)},
			[]Spec{{"ids", tensor.I64, shapeOf("sequence")}},
			[]string{"f ids=100 (0)"},
			nil,
		},
		{"labels as input", []npz.Entry{labels}, []Spec{{"labels", tensor.I64, shapeOf("batch")}}, []string{"f[0:5] labels=5 (0)"}, nil},
		{
			"labels of another length",
			[]npz.Entry{x, numbered("y", tensor.I64, 4)},
			[]Spec{free},
			[]string{"f[0:5] x=5×2 (0)"},
			[]string{`array "y" has shape 4, which is not one label for each of 5 rows; it is left out`},
		},
		{"no rows", []npz.Entry{numbered("x", tensor.F32, 0, 2)}, []Spec{free}, []string{"f x=0×2 (-)"}, nil},
		{"unknown rank", []npz.Entry{x}, []Spec{{"x", tensor.F32, nil}}, []string{"f x=5×2 (0)"}, nil},
		{"no inputs", nil, nil, []string{"f"}, nil},
	}
	for _, c := range tests {
		got, err := fromArrays(c.arrays, c.specs, FileOptions{}, "f")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var lines []string
		for _, one := range got.Cases {
			lines = append(lines, outline(t, c.specs, one))
		}
		if diff := cmp.Diff(c.want, lines); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.notes, got.Notes, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: notes (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestFromArraysRefuses(t *testing.T) {
	x := numbered("x", tensor.F32, 5, 2)
	tests := []struct {
		name   string
		arrays []npz.Entry
		specs  []Spec
		text   string
	}{
		{"no array", []npz.Entry{numbered("a", tensor.F32, 1), numbered("b", tensor.F32, 1)}, []Spec{{"x", tensor.F32, shapeOf(1)}}, `no array for input "x"; arrays that no input uses: "a", "b"`},
		{"nothing", nil, []Spec{{"x", tensor.F32, shapeOf(1)}}, "uses"},
		{"rank", []npz.Entry{x}, []Spec{{"x", tensor.F32, shapeOf("batch", 2, 1)}}, "has shape 5×2, input \"x\" expects batch×2×1"},
		{"dimension", []npz.Entry{x}, []Spec{{"x", tensor.F32, shapeOf("batch", 3)}}, "expects batch×3"},
		{"integer for float", []npz.Entry{numbered("x", tensor.U8, 5, 2)}, []Spec{{"x", tensor.F32, shapeOf("batch", 2)}}, "type u8, expected f32"},
		{"float for integer", []npz.Entry{x}, []Spec{{"x", tensor.I64, shapeOf("batch", 2)}}, "type f32, expected i64"},
		{"too large", []npz.Entry{numbered("x", tensor.I64, 300, 1)}, []Spec{{"x", tensor.I8, shapeOf("batch", 1)}}, "128 at element 128 is outside"},
		{"rows differ", []npz.Entry{x, numbered("y", tensor.F32, 4)}, []Spec{{"x", tensor.F32, shapeOf("batch", 2)}, {"y", tensor.F32, shapeOf("batch")}}, `array "x" has 5 rows, "y" has 4`},
		{"batches differ", []npz.Entry{x, numbered("y", tensor.F32, 5)}, []Spec{{"x", tensor.F32, shapeOf(1, 2)}, {"y", tensor.F32, shapeOf(2)}}, `input "x" takes 1 rows at once, "y" takes 2`},
		{"too few rows", []npz.Entry{x}, []Spec{{"x", tensor.F32, shapeOf(8, 2)}}, `the arrays have 5 rows, input "x" takes 8`},
		{"a batch of none", []npz.Entry{x}, []Spec{{"x", tensor.F32, shapeOf(0, 2)}}, "takes 0 at once"},
		{"too many cases", []npz.Entry{numbered("x", tensor.U8, 200_001)}, []Spec{{"x", tensor.U8, shapeOf(1)}}, "at most 100000"},
	}
	for _, c := range tests {
		_, err := fromArrays(c.arrays, c.specs, FileOptions{}, "f")
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.text)
		}
	}
}

func TestDigits(t *testing.T) {
	arrays, err := npz.Open("../../testdata/digits_test.npz", npz.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := fromArrays(arrays, []Spec{{"input", tensor.F32, shapeOf("batch", 1, 8, 8)}}, FileOptions{}, "digits_test.npz")
	if err != nil {
		t.Fatal(err)
	}
	last := got.Cases[len(got.Cases)-1]
	if len(got.Cases) != 6 || last.Name != "digits_test.npz[320:360]" || len(last.Labels) != 40 || len(got.Notes) != 0 {
		t.Errorf("%d cases, the last %s with %d labels; notes %q", len(got.Cases), last.Name, len(last.Labels), got.Notes)
	}
}
