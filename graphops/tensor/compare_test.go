package tensor

import (
	"bytes"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func compare(t testing.TB, a, b Tensor, tol Tolerance) Metrics {
	t.Helper()
	m, err := Compare(a, b, tol)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCompareByHand(t *testing.T) {
	a := FromSlice([]float64{3, 4, 0, 0}, 2, 2)
	b := FromSlice([]float64{3, 4, 0, 5}, 2, 2)
	got := compare(t, a, b, Tolerance{RTol: 0.5, ATol: 1})
	want := Metrics{
		Total: 4, Mismatched: 1, Finite: 4,
		MaxAbs: 5, MeanAbs: 1.25, MaxRel: 2.5, MeanRel: 0.625, RelFloor: 2,
		RMS: 2.5, RMSA: 2.5, Cosine: 5 / math.Sqrt(50), SNR: 0,
		ArgmaxRows: 2, ArgmaxAgree: 1,
		Used: 5, Worst: &Worst{Index: []int64{1, 1}, A: 0, B: 5},
		ULP: &ULP{Max: 0x4014 << 48, Mean: 0x4014 << 46, P99: 1<<63 - 1},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-15, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCompareNonFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name string
		a, b []float64
		want Metrics // only the counts and Worst
	}{
		{"agree", []float64{nan, inf, -inf, 1}, []float64{nan, inf, -inf, 1}, Metrics{NaN: 1, Inf: 2}},
		{"nan against number", []float64{1, 2}, []float64{1, nan}, Metrics{NaN: 1, NaNMismatched: 1, Mismatched: 1}},
		{"number against inf", []float64{1, 2}, []float64{inf, 2}, Metrics{Inf: 1, InfMismatched: 1, Mismatched: 1}},
		{"opposite infinities", []float64{inf}, []float64{-inf}, Metrics{Inf: 1, InfMismatched: 1, Mismatched: 1}},
		{"nan against inf", []float64{nan}, []float64{inf}, Metrics{NaN: 1, NaNMismatched: 1, Inf: 1, InfMismatched: 1, Mismatched: 1}},
	}
	for _, c := range tests {
		n := int64(len(c.a))
		got := compare(t, FromSlice(c.a, n), FromSlice(c.b, n), Tolerance{RTol: 1, ATol: 1e9})
		counts := Metrics{
			NaN: got.NaN, Inf: got.Inf, Mismatched: got.Mismatched,
			NaNMismatched: got.NaNMismatched, InfMismatched: got.InfMismatched,
		}
		if diff := cmp.Diff(c.want, counts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if (got.Mismatched > 0) != math.IsInf(got.Used, 1) {
			t.Errorf("%s: %d mismatched, but %v of the tolerance used", c.name, got.Mismatched, got.Used)
		}
	}
}

// TestWorstIsNotFinite: a pair that is not finite outweighs any finite error.
func TestWorstIsNotFinite(t *testing.T) {
	a := FromSlice([]float64{1e300, 1, 2}, 3)
	b := FromSlice([]float64{-1e300, math.NaN(), 2}, 3)
	got := compare(t, a, b, Tolerance{RTol: 1e-3})
	if got.Worst.Index[0] != 1 {
		t.Errorf("worst at %v, want 1", got.Worst.Index)
	}
}

func TestCompareNothing(t *testing.T) {
	nan := math.NaN()
	for name, pair := range map[string][2]Tensor{
		"empty":   {FromSlice([]float32{}, 0, 3), FromSlice([]float32{}, 0, 3)},
		"all NaN": {FromSlice([]float64{nan}, 1), FromSlice([]float64{nan}, 1)},
	} {
		m := compare(t, pair[0], pair[1], Tolerance{})
		if m.Mismatched != 0 || m.MaxAbs != 0 || m.Cosine != 1 || !math.IsInf(m.SNR, 1) {
			t.Errorf("%s: %+v", name, m)
		}
	}
	m := compare(t, FromSlice([]float64{nan}, 1), FromSlice([]float64{1}, 1), Tolerance{})
	if m.MaxAbs == m.MaxAbs || m.SNR == m.SNR || m.Mismatched != 1 {
		t.Errorf("nothing finite and a mismatch: %+v", m)
	}
}

func TestCompareZeros(t *testing.T) {
	zero, one := FromSlice([]float32{0, 0}, 2), FromSlice([]float32{0, 1}, 2)
	if m := compare(t, zero, zero, Tolerance{}); m.Cosine != 1 || !math.IsInf(m.SNR, 1) || m.Mismatched != 0 {
		t.Errorf("both zero: %+v", m)
	}
	if m := compare(t, zero, one, Tolerance{}); m.Cosine != 0 || !math.IsInf(m.SNR, -1) || m.Mismatched != 1 {
		t.Errorf("zero against one: %+v", m)
	}
	if m := compare(t, zero, one, Tolerance{RTol: 1e-3}); !math.IsInf(m.MaxRel, 1) || !math.IsInf(m.MeanRel, 1) {
		t.Errorf("relative to zero without a floor: %+v", m)
	}
}

func TestCompareIntegersExactly(t *testing.T) {
	tests := []struct {
		name       string
		a, b       Tensor
		mismatched int64
		maxAbs     float64
	}{
		{"beyond 2^53", FromSlice([]int64{1 << 60}, 1), FromSlice([]int64{1<<60 + 1}, 1), 1, 1},
		{"the whole range", FromSlice([]int64{math.MinInt64}, 1), FromSlice([]int64{math.MaxInt64}, 1), 1, math.MaxUint64},
		{"unsigned", FromSlice([]uint64{math.MaxUint64}, 1), FromSlice([]uint64{math.MaxUint64 - 1}, 1), 1, 1},
		{"unsigned is not signed", FromSlice([]uint64{1 << 63}, 1), FromSlice([]uint64{0}, 1), 1, 1 << 63},
		{"widths mixed", FromSlice([]int8{-5, 7}, 2), FromSlice([]int64{-5, 7}, 2), 0, 0},
		{"bools", FromSlice([]bool{true, false}, 2), FromSlice([]bool{true, true}, 2), 1, 1},
	}
	for _, c := range tests {
		m := compare(t, c.a, c.b, Tolerance{})
		if m.Mismatched != c.mismatched || m.MaxAbs != c.maxAbs || m.ArgmaxRows != 0 {
			t.Errorf("%s: %+v", c.name, m)
		}
	}
}

func TestCompareStrings(t *testing.T) {
	a := FromStrings([]string{"a", "b", "c", "d"}, 2, 2)
	b := FromStrings([]string{"a", "b", "C", "D"}, 2, 2)
	want := Metrics{Total: 4, Mismatched: 2, Worst: &Worst{Index: []int64{1, 0}, TextA: "c", TextB: "C"}}
	if diff := cmp.Diff(want, compare(t, a, b, Tolerance{RTol: 9})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCompareComplex(t *testing.T) {
	m := compare(t, FromSlice([]complex64{1 + 2i, 3}, 2), FromSlice([]complex64{1 + 2i, 3 - 4i}, 2), Tolerance{})
	if m.Total != 4 || m.Mismatched != 1 || m.MaxAbs != 4 {
		t.Errorf("%+v", m)
	}
	if diff := cmp.Diff([]int64{1, 1}, m.Worst.Index); diff != "" {
		t.Errorf("worst (-want +got):\n%s", diff)
	}
}

func TestCompareRefuses(t *testing.T) {
	f := FromSlice([]float32{1, 2}, 2)
	short := f
	short.Data = short.Data[:7]
	for _, c := range []struct {
		name string
		a, b Tensor
		text string
	}{
		{"shape", f, FromSlice([]float32{1, 2}, 1, 2), "the shapes differ: 2 and 1×2"},
		{"string", f, FromStrings([]string{"a", "b"}, 2), "type f32 and str cannot be compared"},
		{"complex", f, FromSlice([]complex64{1, 2}, 2), "type f32 and c64"},
		{"u64 and i64", FromSlice([]uint64{1, 2}, 2), FromSlice([]int64{1, 2}, 2), "type u64 and i64"},
		{"short data", f, short, "needs 8 bytes, got 7"},
		{"unknown type", Tensor{DType: 77, Shape: []int64{1}}, f, "the shapes differ: 1 and 2"},
	} {
		_, err := Compare(c.a, c.b, Tolerance{})
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.text)
		}
	}
}

// TestCompareAgainstExactArithmetic uses numbers that break plain sums of
// squares, spread over several chunks.
func TestCompareAgainstExactArithmetic(t *testing.T) {
	for name, as := range series() {
		bs := make([]float64, len(as))
		for i, a := range as {
			bs[i] = a * (1 + float64(i%5-2)/64)
		}
		n := int64(len(as))
		got := compare(t, FromSlice(as, n), FromSlice(bs, n), Tolerance{RTol: 1e-3})
		dd, aa, bb, ab := new(big.Float), new(big.Float), new(big.Float), new(big.Float)
		for i, a := range as {
			d := a - bs[i]
			addProduct(dd, d, d)
			addProduct(aa, a, a)
			addProduct(bb, bs[i], bs[i])
			addProduct(ab, a, bs[i])
		}
		rms, _ := new(big.Float).Sqrt(new(big.Float).Quo(dd, big.NewFloat(float64(n)))).Float64()
		if !near(got.RMS, rms, 0) {
			t.Errorf("%s: rms %v, want %v", name, got.RMS, rms)
		}
		if dd.Sign() == 0 {
			continue
		}
		power, _ := new(big.Float).Quo(aa, dd).Float64()
		if want := 10 * math.Log10(power); !near(got.SNR, want, 1e-12) {
			t.Errorf("%s: snr %v, want %v", name, got.SNR, want)
		}
		norm := new(big.Float).Sqrt(new(big.Float).Mul(aa, bb))
		if want, _ := norm.Quo(ab, norm).Float64(); !near(got.Cosine, want, 0) {
			t.Errorf("%s: cosine %v, want %v", name, got.Cosine, want)
		}
	}
}

func addProduct(total *big.Float, x, y float64) {
	total.SetPrec(2000)
	p := new(big.Float).SetPrec(2000).SetFloat64(x)
	total.Add(total, p.Mul(p, big.NewFloat(y)))
}

// TestDistanceBeyondRange: two finite numbers whose distance is not finite.
func TestDistanceBeyondRange(t *testing.T) {
	m := compare(t, FromSlice([]float64{1.5e308}, 1), FromSlice([]float64{-1.5e308}, 1), Tolerance{})
	if !math.IsInf(m.MaxAbs, 1) || m.Cosine != -1 || !near(m.SNR, 10*math.Log10(0.25), 0) {
		t.Errorf("%+v", m)
	}
}

func TestArgmaxAgreement(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name        string
		a, b        Tensor
		rows, agree int64
	}{
		{"first of equals", FromSlice([]float64{1, 1, 1, 1}, 2, 2), FromSlice([]float64{1, 0, 0, 1}, 2, 2), 2, 1},
		{"NaN is largest", FromSlice([]float64{9, nan, 1}, 3), FromSlice([]float64{1, 9, 8}, 3), 1, 1},
		{"one class", FromSlice([]float64{1, 2}, 2, 1), FromSlice([]float64{1, 2}, 2, 1), 0, 0},
		{"scalar", FromSlice([]float64{1}), FromSlice([]float64{2}), 0, 0},
		{"no rows", FromSlice([]float64{}, 0, 3), FromSlice([]float64{}, 0, 3), 0, 0},
	}
	for _, c := range tests {
		m := compare(t, c.a, c.b, Tolerance{})
		if m.ArgmaxRows != c.rows || m.ArgmaxAgree != c.agree {
			t.Errorf("%s: %d of %d rows, want %d of %d", c.name, m.ArgmaxAgree, m.ArgmaxRows, c.agree, c.rows)
		}
	}
}

// TestArgmaxAcrossChunks has rows longer than a chunk.
func TestArgmaxAcrossChunks(t *testing.T) {
	n := chunkNumbers + 7
	a, b := make([]float32, 3*n), make([]float32, 3*n)
	a[n-1], b[n-1] = 1, 1
	a[n+2], b[n+3] = 1, 1
	a[3*n-1], b[3*n-1] = 1, 1
	m := compare(t, FromSlice(a, 3, int64(n)), FromSlice(b, 3, int64(n)), Tolerance{})
	if m.ArgmaxRows != 3 || m.ArgmaxAgree != 2 {
		t.Errorf("%d of %d rows agree, want 2 of 3", m.ArgmaxAgree, m.ArgmaxRows)
	}
}

func TestCorrect(t *testing.T) {
	logits := FromSlice([]float32{0, 1, 5, 2, 3, 3}, 3, 2)
	if n, err := Correct(logits, []int64{1, 0, 1}); n != 2 || err != nil {
		t.Errorf("got %d, %v; want 2", n, err)
	}
	for name, c := range map[string]struct {
		t      Tensor
		labels []int64
	}{
		"too few":    {logits, []int64{1}},
		"scalar":     {FromSlice([]float32{1}), []int64{0}},
		"no classes": {FromSlice([]float32{}, 3, 0), []int64{0, 0, 0}},
		"strings":    {FromStrings([]string{"a", "b"}, 1, 2), []int64{0}},
	} {
		if _, err := Correct(c.t, c.labels); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// FuzzCompare checks what holds for any bytes: no panic, counts that add up,
// and a tensor that equals itself.
func FuzzCompare(f *testing.F) {
	f.Add(int32(F16), []byte{0, 0x7C, 1, 2}, []byte{0, 0xFC, 1, 2}, 0.1, 0.1)
	f.Add(int32(I4), []byte{0x12, 0x34}, []byte{0x12, 0x35}, 0.0, 0.0)
	f.Add(int32(U64), bytes.Repeat([]byte{0xFF}, 8), bytes.Repeat([]byte{0}, 8), 0.0, 0.0)
	f.Fuzz(func(t *testing.T, dtype int32, a, b []byte, rtol, atol float64) {
		d := DType(dtype)
		bits := int64(d.Bits())
		if bits == 0 || rtol < 0 || atol < 0 || rtol-rtol != 0 || atol-atol != 0 {
			return
		}
		size := min(len(a), len(b)) / int((bits+7)/8) * int((bits+7)/8)
		shape := []int64{int64(size) * 8 / bits}
		ta, tb := Tensor{DType: d, Shape: shape, Data: a[:size]}, Tensor{DType: d, Shape: shape, Data: b[:size]}
		m := compare(t, ta, tb, Tolerance{RTol: rtol, ATol: atol})
		if m.Total != shape[0]*int64(d.Components()) || m.Mismatched > m.Total || (m.Mismatched > 0) != (m.Used > 1) {
			t.Errorf("%s: %+v", d, m)
		}
		if m := compare(t, ta, ta, Tolerance{}); m.Mismatched != 0 || m.MaxAbs != 0 {
			t.Errorf("%s differs from itself: %+v", d, m)
		}
	})
}
