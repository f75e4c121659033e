package inputs

import (
	"fmt"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
)

// TestSamples checks that only the first rows and their labels are used, and that a fixed batch is
// used whole.
func TestSamples(t *testing.T) {
	labels := make([]int64, 100)
	arrays := []npz.Entry{
		{Name: "x", Tensor: tensor.FromSlice(make([]float32, 200), 100, 2)},
		{Name: "labels", Tensor: tensor.FromSlice(labels, 100)},
	}
	for _, c := range []struct {
		batch   graphops.Dim
		samples int64
		rows    []int64
	}{
		{graphops.Dim{Value: -1, Symbol: "batch"}, 0, []int64{64, 36}},
		{graphops.Dim{Value: -1, Symbol: "batch"}, 70, []int64{64, 6}},
		{graphops.Dim{Value: -1, Symbol: "batch"}, 1000, []int64{64, 36}},
		{graphops.Dim{Value: 40}, 1, []int64{40}},
		{graphops.Dim{Value: 40}, 41, []int64{40, 40}},
		{graphops.Dim{Value: 40}, 99, []int64{40, 40}},
		{graphops.Dim{Value: 100}, 3, []int64{100}},
	} {
		got, err := fromArrays(arrays, []Spec{{"x", tensor.F32, graphops.Shape{c.batch, {Value: 2}}}}, FileOptions{Samples: c.samples}, "f")
		if err != nil {
			t.Fatal(err)
		}
		var rows []int64
		for _, k := range got.Cases {
			n := k.Feeds["x"].Tensor.Shape[0]
			if rows = append(rows, n); int64(len(k.Labels)) != n {
				t.Errorf("%d labels for %d rows", len(k.Labels), n)
			}
		}
		if fmt.Sprint(rows) != fmt.Sprint(c.rows) {
			t.Errorf("%d of batch %v: %v, expected %v", c.samples, c.batch, rows, c.rows)
		}
	}
}
