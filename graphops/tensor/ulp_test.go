package tensor

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestULP(t *testing.T) {
	next := func(x float32, n int) float32 { return math.Float32frombits(math.Float32bits(x) + uint32(n)) }
	minus := math.Float32frombits(1 << 31)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	f32 := func(xs ...float32) Tensor { return FromSlice(xs, int64(len(xs))) }
	coded := func(d DType, codes ...byte) Tensor {
		return Tensor{DType: d, Shape: []int64{int64(len(codes) / 2)}, Data: codes}
	}
	tests := []struct {
		name string
		a, b Tensor
		want *ULP
	}{
		{"equal", f32(1, 2, 3), f32(1, 2, 3), &ULP{}},
		{"neighbours", f32(1, 2), f32(next(1, 1), 2), &ULP{Max: 1, Mean: 0.5, P99: 1}},
		{"downwards", f32(next(1, 5)), f32(1), &ULP{Max: 5, Mean: 5, Median: 7, P99: 7}},
		{"over a power of two", f32(1), f32(next(1, -3)), &ULP{Max: 3, Mean: 3, Median: 3, P99: 3}},
		{"the zeros are one", f32(0, minus), f32(minus, 0), &ULP{}},
		{"through zero", f32(next(0, 1)), f32(next(minus, 1)), &ULP{Max: 2, Mean: 2, Median: 3, P99: 3}},
		{"through zero, far", f32(1), f32(-1), &ULP{Max: 2 * 0x3F80_0000, Mean: 2 * 0x3F80_0000, Median: 1<<31 - 1, P99: 1<<31 - 1}},
		{"the whole range", f32(math.MaxFloat32), f32(-math.MaxFloat32), &ULP{Max: 2 * 0x7F7F_FFFF, Mean: 2 * 0x7F7F_FFFF, Median: 1<<32 - 1, P99: 1<<32 - 1}},
		{"without what is not finite", f32(nan, 1, inf, 1, inf, 7), f32(1, nan, 1, inf, -inf, 7), &ULP{}},
		{"f64 through zero", FromSlice([]float64{5e-324}, 1), FromSlice([]float64{-1e-323}, 1), &ULP{Max: 3, Mean: 3, Median: 3, P99: 3}},
		{"f16", coded(F16, 0, 0x3C), coded(F16, 2, 0x3C), &ULP{Max: 2, Mean: 2, Median: 3, P99: 3}},
		{"f16 infinity", coded(F16, 0xFF, 0x7B), coded(F16, 0, 0x7C), &ULP{}},
		{"bf16", coded(BF16, 0, 0x80), coded(BF16, 1, 0), &ULP{Max: 1, Mean: 1, Median: 1, P99: 1}},
		{"complex", FromSlice([]complex64{complex(1, 2)}, 1), FromSlice([]complex64{complex(1, next(2, 4))}, 1), &ULP{Max: 4, Mean: 2, P99: 7}},
		{"of two types", f32(1), FromSlice([]float64{2}, 1), nil},
		{"of integers", FromSlice([]int8{1}, 1), FromSlice([]int8{2}, 1), nil},
	}
	for _, c := range tests {
		if diff := cmp.Diff(c.want, compare(t, c.a, c.b, Tolerance{}).ULP); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestTopK(t *testing.T) {
	nan := math.NaN()
	row := func(xs ...float64) Tensor { return FromSlice(xs, 1, int64(len(xs))) }
	tests := []struct {
		name        string
		a, b        Tensor
		rows, agree int64
	}{
		{"first", row(9, 0, 0, 0, 0, 0), row(9, 1, 2, 3, 4, 5), 1, 1},
		{"fifth", row(9, 0, 0, 0, 0, 0), row(1, 5, 4, 3, 2, 0), 1, 1},
		{"sixth", row(9, 0, 0, 0, 0, 0), row(1, 6, 5, 4, 3, 2), 1, 0},
		{"of equal ones the first", row(0, 0, 0, 0, 0, 9), row(1, 1, 1, 1, 1, 1), 1, 0},
		{"NaN is largest", row(9, 0, 0, 0, 0, 0), row(7, nan, nan, nan, nan, nan), 1, 0},
		{"NaN beside numbers", row(nan, 0, 0, 0, 0, 0), row(7, 9, nan, nan, nan, 1), 1, 1},
		{"too few", row(9, 0, 0, 0, 0), row(0, 9, 0, 0, 0), 0, 0},
	}
	for _, c := range tests {
		m := compare(t, c.a, c.b, Tolerance{})
		if m.TopKRows != c.rows || m.TopKAgree != c.agree {
			t.Errorf("%s: %d of %d rows, want %d of %d", c.name, m.TopKAgree, m.TopKRows, c.agree, c.rows)
		}
	}
}

// TestEqualChunks: what is the same on both sides is skipped, and metrics are those of
// all elements nevertheless. Rows begin and end within chunks, on both sides of one
// that differs.
func TestEqualChunks(t *testing.T) {
	for _, row := range []int{7, 100, chunkNumbers, 2*chunkNumbers + 3} {
		n := 6 * chunkNumbers / row * row
		as := make([]float32, n)
		for i := range as {
			as[i] = float32(i * 7919 % 10007)
		}
		as[1] = float32(math.Inf(1))
		as[n-1] = float32(math.NaN())
		for _, at := range []int{0, n / 2, n - 2} {
			bs := append([]float32(nil), as...)
			bs[at] += 20000
			shape := []int64{int64(n / row), int64(row)}
			got := compare(t, FromSlice(as, shape...), FromSlice(bs, shape...), Tolerance{RTol: 1e-3, ATol: 1e-3})
			// wider numbers have other bytes, so nothing is skipped
			wide := make([]float64, n)
			for i, b := range bs {
				wide[i] = float64(b)
			}
			want := compare(t, FromSlice(as, shape...), FromSlice(wide, shape...), Tolerance{RTol: 1e-3, ATol: 1e-3})
			got.ULP = nil
			same := got.Total == want.Total && got.Finite == want.Finite && got.Mismatched == want.Mismatched && got.NaN == 1 && got.Inf == 1 &&
				got.ArgmaxRows == want.ArgmaxRows && got.ArgmaxAgree == want.ArgmaxAgree && got.TopKRows == want.TopKRows && got.TopKAgree == want.TopKAgree &&
				near(got.RMSA, want.RMSA, 0) && near(got.Cosine, want.Cosine, 0) && near(got.SNR, want.SNR, 0) && cmp.Equal(got.Worst, want.Worst)
			if !same {
				t.Errorf("rows of %d, element %d differs:\n got %+v\nwant %+v", row, at, got, want)
			}
		}
	}
}
