package tensor

import (
	"bytes"
	"math"
	"testing"
)

// TestQuantizeError works out by the codes that Quantize writes what QuantizeError must
// tell.
func TestQuantizeError(t *testing.T) {
	xs := []float32{0, 1, -1, 0.3, 2.49, 2.51, -40, 40, 0.004, -0.007, 0.5, 1.5}
	src := FromSlice(xs, int64(len(xs))).Data
	for _, to := range []DType{I8, U8, I16, U16, I4, U4} {
		for _, c := range []Channels{OneChannel, {Count: 3, Inner: 1}, {Count: 2, Inner: 3}} {
			by := make([]Affine, c.Count)
			for i := range by {
				by[i] = Affine{Scale: 0.02 * float32(i+1), Zero: int32(i)}
			}
			got, err := QuantizeError(bytes.NewReader(src), int64(len(xs)), to, c, by)
			if err != nil {
				t.Fatal(err)
			}
			var codes bytes.Buffer
			if err := Quantize(&codes, bytes.NewReader(src), int64(len(xs)), to, c, by); err != nil {
				t.Fatal(err)
			}
			qs, err := Tensor{DType: to, Shape: []int64{int64(len(xs))}, Data: codes.Bytes()}.Float64s()
			if err != nil {
				t.Fatal(err)
			}
			want := CodeError{Elements: int64(len(xs))}
			for i, x := range xs {
				channel := int64(i) / c.Inner % c.Count
				y := float64(by[channel].Scale) * (qs[i] - float64(by[channel].Zero))
				d := math.Abs(y - float64(x))
				want.Signal += float64(x) * float64(x)
				want.Noise += d * d
				if d > want.MaxAbs {
					want.MaxAbs, want.MaxAt = d, int64(i)
				}
				if d > float64(by[channel].Scale)*0.5001 {
					want.Cut++
				}
			}
			if got.MaxAbs != want.MaxAbs || got.MaxAt != want.MaxAt || got.Cut != want.Cut || math.Abs(got.Noise-want.Noise) > 1e-9*want.Noise || math.Abs(got.Signal-want.Signal) > 1e-9*want.Signal {
				t.Errorf("%s, %+v: %+v, want %+v", to, c, got, want)
			}
		}
	}
}

// TestQuantizeErrorOfOdd counts what is not finite, and says nothing changes where
// nothing does.
func TestQuantizeErrorOfOdd(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	src := FromSlice([]float32{inf, nan, -inf, 3}, 4).Data
	e, err := QuantizeError(bytes.NewReader(src), 4, I8, OneChannel, []Affine{{Scale: 1}})
	if err != nil || e.NotFinite != 3 || e.Noise != 0 || !math.IsInf(e.SNR(), 1) {
		t.Errorf("%+v, %v", e, err)
	}
	h, err := Narrowing{To: F16, MinPositive: 5.96e-08, MaxFinite: 65504}.Error(bytes.NewReader(FromSlice([]float32{inf, 1e6, 1e-9, 3, 0.1}, 5).Data), 5)
	if err != nil || h.NotFinite != 1 || h.Cut != 2 || h.MaxAbs != 1e6-65504 || h.MaxAt != 1 {
		t.Errorf("%+v, %v", h, err)
	}
	if _, err := QuantizeError(bytes.NewReader(src), 5, I8, OneChannel, []Affine{{Scale: 1}}); err == nil {
		t.Error("what is short is no error")
	}
	empty, err := QuantizeError(bytes.NewReader(nil), 0, I8, OneChannel, []Affine{{Scale: 1}})
	if err != nil || !math.IsInf(empty.SNR(), 1) {
		t.Errorf("%+v, %v", empty, err)
	}
}
