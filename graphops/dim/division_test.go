package dim_test

import (
	"math"
	"testing"

	"lathe/graphops/dim"
)

func TestFactor(t *testing.T) {
	h, w := dim.Symbol("h"), dim.Symbol("w")
	times := func(n int64, d dim.Dim) dim.Dim { return d.Mul(dim.Number(n)) }
	for _, x := range []struct {
		of   dim.Dim
		n    int64
		want int64
	}{
		{times(4, h), 32, 4},
		{times(6, h).Add(times(-9, w)), 12, 3},
		{times(6, h).Add(dim.Number(1)), 6, 1},
		{h, 5, 1},
		{dim.Number(0), 7, 7},
		{dim.Number(12), 8, 4},
		{times(math.MinInt64, h), 6, 2},
	} {
		if got := x.of.Factor(x.n); got != x.want {
			t.Errorf("the factor of %s and %d is %d, want %d", x.of, x.n, got, x.want)
		}
	}
}
