package tensor

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestCombine(t *testing.T) {
	for _, c := range []struct {
		name  string
		a, b  Tensor
		shape []int64
		by    Combination
		want  []float64
		err   string
	}{
		{"sum", FromSlice([]float32{1, 2}, 2), FromSlice([]float32{10}), []int64{2}, Combination{}, []float64{11, 12}, ""},
		{"negated", FromSlice([]float32{1}, 1), FromSlice([]float32{10}, 1), []int64{1}, Combination{NegateA: true, NegateB: true}, []float64{-11}, ""},
		{"column and row", FromSlice([]float32{1, 2}, 2, 1), FromSlice([]float32{10, 20, 30}, 3), []int64{2, 3}, Combination{Op: Product}, []float64{10, 20, 30, 20, 40, 60}, ""},
		{"middle axis", FromSlice([]float32{1, 2, 3, 4}, 2, 1, 2), FromSlice([]float32{10, 20}, 2, 1), []int64{2, 2, 2}, Combination{}, []float64{11, 12, 21, 22, 13, 14, 23, 24}, ""},
		{"quotient", FromSlice([]float64{1, 2}, 2), FromSlice([]float64{4}), []int64{2}, Combination{Op: Quotient}, []float64{0.25, 0.5}, ""},
		{"empty", FromSlice([]float32{}, 0), FromSlice([]float32{4}), []int64{0}, Combination{}, nil, ""},
		{"wraps", FromSlice([]int8{127, -128}, 2), FromSlice([]int8{1, -1}, 2), []int64{2}, Combination{}, []float64{-128, 127}, ""},
		{"wraps twice", FromSlice([]uint8{200}, 1), FromSlice([]uint8{200}, 1), []int64{1}, Combination{Op: Product}, []float64{64}, ""},
		{"wraps in 64 bits", FromSlice([]int64{math.MaxInt64}, 1), FromSlice([]int64{1}, 1), []int64{1}, Combination{}, []float64{math.MinInt64}, ""},
		{"zeros", FromSlice([]float32{0}, 1), FromSlice([]float32{1e-40}, 1), []int64{1}, Combination{Op: Product}, []float64{0}, ""},
		{"cancels", FromSlice([]float32{8}, 1), FromSlice([]float32{-7}, 1), []int64{1}, Combination{}, nil, "cancel"},
		{"overflows", FromSlice([]float32{3e38}, 1), FromSlice([]float32{3e38}, 1), []int64{1}, Combination{}, nil, "f32 cannot represent"},
		{"vanishes", FromSlice([]float32{1e-30}, 1), FromSlice([]float32{1e-30}, 1), []int64{1}, Combination{Op: Product}, nil, "f32 cannot represent"},
		{"infinite", FromSlice([]float32{float32(math.Inf(1))}, 1), FromSlice([]float32{1}, 1), []int64{1}, Combination{}, nil, "f32 cannot represent"},
		{"not a number", FromSlice([]float32{float32(math.NaN())}, 1), FromSlice([]float32{1}, 1), []int64{1}, Combination{Op: Product}, nil, "f32 cannot represent"},
		{"over zero", FromSlice([]float32{0}, 1), FromSlice([]float32{0}, 1), []int64{1}, Combination{Op: Quotient}, nil, "f32 cannot represent"},
		{"integers divided", FromSlice([]int32{1}, 1), FromSlice([]int32{1}, 1), []int64{1}, Combination{Op: Quotient}, nil, "cannot be combined"},
		{"booleans", FromSlice([]bool{true}, 1), FromSlice([]bool{true}, 1), []int64{1}, Combination{}, nil, "cannot be combined"},
		{"two types", FromSlice([]int32{1}, 1), FromSlice([]float32{1}, 1), []int64{1}, Combination{}, nil, "i32 and f32"},
		{"two shapes", FromSlice([]float32{1, 2}, 2), FromSlice([]float32{1}, 1), []int64{3}, Combination{}, nil, "cannot be broadcast"},
	} {
		got, err := Combine(c.a, c.b, c.shape, c.by)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.err)
			}
			continue
		}
		list, errList := got.Float64s()
		if err != nil || errList != nil || !slices.Equal(list, c.want) || !slices.Equal(got.Shape, c.shape) {
			t.Errorf("%s: %v of shape %v, %v, %v; want %v", c.name, list, got.Shape, err, errList, c.want)
		}
	}
}

func TestBroadcasts(t *testing.T) {
	for _, c := range []struct {
		from, to []int64
		want     bool
	}{
		{nil, nil, true},
		{nil, []int64{2}, true},
		{[]int64{1}, []int64{2, 3}, true},
		{[]int64{3}, []int64{2, 3}, true},
		{[]int64{2}, []int64{2, 3}, false},
		{[]int64{1, 1}, []int64{3}, false},
		{[]int64{2, 1}, []int64{2, 3}, true},
		{[]int64{3}, []int64{1}, false},
		{[]int64{1}, []int64{0}, true},
	} {
		if got := Broadcasts(c.from, c.to); got != c.want {
			t.Errorf("%v to %v: %v", c.from, c.to, got)
		}
	}
}
