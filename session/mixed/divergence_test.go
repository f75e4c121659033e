package mixed

import (
	"math"
	"testing"

	"lathe/graphops/tensor"
)

// TestDivergence compares with numbers that scipy.stats.entropy gives for the softmax of each row.
func TestDivergence(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name         string
		shape        []int64
		a, b         []float64
		probable     bool
		want, within float64
	}{
		{"equal", []int64{1, 3}, []float64{1, 2, 3}, []float64{1, 2, 3}, false, 0, 0},
		{"a constant added", []int64{1, 3}, []float64{1, 2, 3}, []float64{1001, 1002, 1003}, false, 0, 1e-12},
		{"ln 2", []int64{2}, []float64{100, 0}, []float64{0, 0}, false, math.Ln2, 1e-12},
		{"two rows", []int64{2, 2}, []float64{100, 0, 3, 3}, []float64{0, 0, 3, 3}, false, math.Ln2 / 2, 1e-12},
		{"probabilities", []int64{2}, []float64{1, 0}, []float64{0.5, 0.5}, true, math.Ln2, 1e-6},
		{"a probability that became 0", []int64{2}, []float64{0.5, 0.5}, []float64{1, 0}, true, 8.5172, 1e-3},
		{"a mask", []int64{3}, []float64{0, 0, -inf}, []float64{0, 0, -inf}, false, 0, 0},
		{"NaN", []int64{2}, []float64{0, 0}, []float64{math.NaN(), 0}, false, inf, 0},
	} {
		a, err := tensor.FromFloat64s(tensor.F64, c.a, c.shape...)
		if err != nil {
			t.Fatal(err)
		}
		b, err := tensor.FromFloat64s(tensor.F64, c.b, c.shape...)
		if err != nil {
			t.Fatal(err)
		}
		var d divergence
		if err := d.add("y", a, b, c.probable); err != nil {
			t.Fatal(err)
		}
		if got := d.of("y"); got != c.want && !(math.Abs(got-c.want) <= c.within) {
			t.Errorf("%s: %v, expected %v", c.name, got, c.want)
		}
	}
	one, err := tensor.FromFloat64s(tensor.F64, []float64{1, 2}, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	var d divergence
	if err := d.add("y", one, one, false); err != nil || !math.IsNaN(d.of("y")) {
		t.Errorf("%v, %v: expected that rows of one number have no divergence", d.of("y"), err)
	}
}
