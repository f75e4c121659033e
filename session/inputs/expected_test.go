package inputs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
)

// TestExpectedArrays checks that arrays with the name of an output are split into cases like the
// inputs.
func TestExpectedArrays(t *testing.T) {
	free := []Spec{{"x", tensor.F32, shapeOf("batch", 2)}}
	outputs := declared(t, "z f32[batch,1]; y i64[batch]; total f32")
	x := numbered("x", tensor.F32, 70, 2)
	for name, c := range map[string]struct {
		arrays []npz.Entry
		specs  []Spec
		want   string
		note   string
	}{
		"dealt":            {[]npz.Entry{x, numbered("z", tensor.F32, 70, 1)}, free, "z=64×1 | z=6×1", ""},
		"of another width": {[]npz.Entry{x, numbered("z", tensor.F64, 70, 1)}, free, "z=64×1 | z=6×1", ""},
		"of another rank":  {[]npz.Entry{x, numbered("z", tensor.F32, 70)}, free, " | ", `array "z" is used by no input`},
		"of another kind":  {[]npz.Entry{x, numbered("z", tensor.I64, 70, 1)}, free, " | ", `array "z" is used by no input`},
		"not by rows":      {[]npz.Entry{x, numbered("total", tensor.F32)}, free, " | ", `array "total" of shape scalar has the name of an output, but not one row for each of the 70 input rows; it is left out`},
		"labels as well":   {[]npz.Entry{x, numbered("y", tensor.I32, 70)}, free, "64 labels y=64 | 6 labels y=6", ""},
		"an input too":     {[]npz.Entry{numbered("z", tensor.F32, 1, 1)}, []Spec{{"z", tensor.F32, shapeOf(1, 1)}}, "", ""},
		"whole":            {[]npz.Entry{numbered("x", tensor.F32, 5, 2), numbered("total", tensor.F32)}, []Spec{{"x", tensor.F32, shapeOf(5, 2)}}, "total=scalar", ""},
	} {
		got, err := fromArrays(c.arrays, c.specs, FileOptions{Outputs: outputs}, "f")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, expectations(got.Cases, outputs)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if notes := strings.Join(got.Notes, "; "); notes != c.note {
			t.Errorf("%s: notes %q, want %q", name, notes, c.note)
		}
	}
}

// expectations describes what each case expects, in the order of the outputs.
func expectations(cases []Case, outputs []graphops.NamedType) string {
	var lines []string
	for _, c := range cases {
		var words []string
		if c.Labels != nil {
			words = append(words, fmt.Sprintf("%d labels", len(c.Labels)))
		}
		for _, o := range outputs {
			if v, ok := c.Expected[o.Name]; ok {
				words = append(words, o.Name+"="+tensor.FormatShape(v.Tensor.Shape))
			}
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, " | ")
}

// TestExpectedAlone checks that the cases of a model without inputs have only outputs, and that
// expected values keep the type that the file has.
func TestExpectedAlone(t *testing.T) {
	dir := folder(t, map[string][]byte{
		"test_data_set_0/output_0.pb": pb(t, "", literal(t, "f64[3]{1,2,3}")),
		"test_data_set_0/output_1.pb": pb(t, "", literal(t, "i64[1]{4}")),
	})
	outputs := append(declared(t, "z f32[2]"), graphops.NamedType{Name: "untyped"})
	got, err := ReadCases(dir, nil, FileOptions{Outputs: outputs})
	if err != nil || len(got.Cases) != 1 {
		t.Fatal(got, err)
	}
	e := got.Cases[0].Expected
	if show(e["z"]) != "f64[3]{1,2,3}" || show(e["untyped"]) != "i64[1]{4}" {
		t.Errorf("expected %v", e)
	}
}
