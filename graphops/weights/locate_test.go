package weights_test

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
)

func TestLocate(t *testing.T) {
	const rows, columns = 6, 8
	for want, change := range map[string]func(row, column int, v float32) float32{
		"all at [:,5]; b = 30 × a": func(_, column int, v float32) float32 {
			if column == 5 {
				return 30 * v
			}
			return v
		},
		"all at [2:4,1:3]": func(row, column int, v float32) float32 {
			if row >= 2 && row < 4 && column >= 1 && column < 3 {
				return v + 1
			}
			return v
		},
		"b = -a":      func(_, _ int, v float32) float32 { return -v },
		"b = 0.1 × a": func(_, _ int, v float32) float32 { return v / 10 },
		"":            func(row, _ int, v float32) float32 { return v + float32(row) },
	} {
		a, b := make([]float32, rows*columns), make([]float32, rows*columns)
		for i := range a {
			a[i] = float32(i) + 0.5
			b[i] = change(i/columns, i%columns, a[i])
		}
		x, y := graphops.NewTensorOf("w", tensor.FromSlice(a, rows, columns)), graphops.NewTensorOf("w", tensor.FromSlice(b, rows, columns))
		m, err := weights.Compare(t.Context(), x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := weights.Locate(t.Context(), x, y, *m, nil); err != nil || r.String() != want {
			t.Errorf("%q, %v, want %q", r, err, want)
		}
	}
}
