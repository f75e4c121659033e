package compare

import (
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// TestCounted: rows that a mask leaves out are not judged, and the place of an error is that in the
// whole output.
func TestCounted(t *testing.T) {
	value := func(name string, at ...int) graphops.Got {
		x := make([]float32, 2*3*4)
		for i := range x {
			x[i] = float32(i)
		}
		for _, i := range at {
			x[i] += 5
		}
		return graphops.Got{Name: name, Value: graphops.TensorValue(tensor.FromSlice(x, 2, 3, 4))}
	}
	// Two sequences with five positions. The last three are new, and the last one of the second sequence
	// is padding: elements 20 to 23.
	mask := &inputs.Counted{Sequences: 2, Positions: 5, At: []bool{true, true, true, true, true, true, true, true, true, false}}
	rows := map[string]Rows{"y": {Sequences: 0, Positions: 1, New: true}}
	for name, c := range map[string]struct {
		wrong   []int
		mask    *inputs.Counted
		verdict Verdict
		worst   []int64
		left    int64
	}{
		"in the padding":         {[]int{21}, mask, Pass, nil, 1},
		"beside it":              {[]int{17, 21}, mask, Fail, []int64{1, 1, 1}, 1},
		"without a mask":         {[]int{21}, nil, Fail, []int64{1, 2, 1}, 0},
		"a mask of another size": {[]int{21}, &inputs.Counted{Sequences: 3, Positions: 5, At: make([]bool, 15)}, Fail, []int64{1, 2, 1}, 0},
	} {
		a, b := fake{answers: [][]graphops.Got{{value("y")}}}, fake{answers: [][]graphops.Got{{value("y", c.wrong...)}}}
		r, err := Compare(t.Context(), &a, &b, []inputs.Case{{Name: "one", Feeds: graphops.Feeds{"case": graphops.TensorValue(tensor.FromSlice([]int64{0}, 1))}, Counted: c.mask}}, Options{Rows: rows}, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := r.Cases[0].Outputs[0]
		if o.Verdict != c.verdict || o.LeftOut != c.left || c.worst != nil && !slices.Equal(o.Worst.Index, c.worst) {
			t.Errorf("%s: %s, %d left out, worst %+v", name, o.Verdict, o.LeftOut, o.Worst)
		}
	}
}
