package tensor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func encoded(values ...float32) []byte { return FromSlice(values, int64(len(values))).Data }

// affines quantizes values as a whole tensor would be: ranges first.
func affines(t *testing.T, rule AffineRule, c Channels, values []float32) []Affine {
	t.Helper()
	ranges, err := Ranges(bytes.NewReader(encoded(values...)), int64(len(values)), c)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]Affine, len(ranges))
	for i, r := range ranges {
		if out[i], err = rule.Affine(r); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func quantized(t *testing.T, to DType, c Channels, by []Affine, values []float32) []int {
	t.Helper()
	var buf bytes.Buffer
	if err := Quantize(&buf, bytes.NewReader(encoded(values...)), int64(len(values)), to, c, by); err != nil {
		t.Fatal(err)
	}
	return codesOf(to, buf.Bytes())
}

func codesOf(to DType, b []byte) []int {
	out := make([]int, len(b))
	for i, c := range b {
		out[i] = int(c)
		if to == I8 {
			out[i] = int(int8(c))
		}
	}
	return out
}

// TestQuantizeVectors holds what onnxruntime.quantization answers for small
// tensors.
func TestQuantizeVectors(t *testing.T) {
	w := []float32{0.5, -1, 2, 0.25, -0.75, 1.5} // 3×2
	columns := ChannelsAlong([]int64{3, 2}, 1)
	tests := []struct {
		name     string
		rule     AffineRule
		channels Channels
		values   []float32
		want     []Affine
		codes    []int
	}{
		{
			"int8",
			AffineRule{Type: I8, Symmetric: true},
			OneChannel, w,
			[]Affine{{0.015748031437397003, 0}},
			[]int{32, -64, 127, 16, -48, 95},
		},
		{
			"uint8",
			AffineRule{Type: U8},
			OneChannel, w,
			[]Affine{{0.0117647061124444, 85}},
			[]int{127, 0, 255, 106, 21, 213},
		},
		{
			"int8 per channel",
			AffineRule{Type: I8, Symmetric: true},
			columns, w,
			[]Affine{{0.015748031437397003, 0}, {0.011811023578047752, 0}},
			[]int{32, -85, 127, 21, -48, 127},
		},
		{
			"int8 per channel, reduced",
			AffineRule{Type: I8, Symmetric: true, Reduced: true},
			columns, w,
			[]Affine{{0.03125, 0}, {0.0234375, 0}},
			[]int{16, -43, 64, 11, -24, 64},
		},
		{
			"int8 asymmetric",
			AffineRule{Type: I8},
			OneChannel, w,
			[]Affine{{0.0117647061124444, -43}},
			[]int{-1, -128, 127, -22, -107, 85},
		},
		{
			"uint8 symmetric",
			AffineRule{Type: U8, Symmetric: true},
			OneChannel, w,
			[]Affine{{0.0156862754374742508, 128}},
			[]int{160, 64, 255, 144, 80, 224},
		},
		{"int8 zeros", AffineRule{Type: I8, Symmetric: true}, OneChannel, []float32{0, 0}, []Affine{{1, 0}}, []int{0, 0}},
		{"uint8 zeros", AffineRule{Type: U8}, OneChannel, []float32{0, float32(math.Copysign(0, -1))}, []Affine{{1, 0}}, []int{0, 0}},
		{
			"half to even",
			AffineRule{Type: I8, Symmetric: true},
			OneChannel,
			[]float32{127, 0.5, 1.5, -2.5},
			[]Affine{{1, 0}},
			[]int{127, 0, 2, -2},
		},
		{"too small for a scale", AffineRule{Type: U8}, OneChannel, []float32{1e-39, 1e-40}, []Affine{{1, 0}}, []int{0, 0}},
		{"all positive", AffineRule{Type: U8}, OneChannel, []float32{255, 254, 1}, []Affine{{1, 0}}, []int{255, 254, 1}},
		{"all negative", AffineRule{Type: U8}, OneChannel, []float32{-255, -254, -1}, []Affine{{1, 255}}, []int{0, 1, 254}},
		{"empty", AffineRule{Type: U8}, OneChannel, nil, []Affine{{1, 0}}, []int{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			by := affines(t, tt.rule, tt.channels, tt.values)
			if diff := cmp.Diff(tt.want, by); diff != "" {
				t.Errorf("scales (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.codes, quantized(t, tt.rule.Type, tt.channels, by, tt.values)); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAffineWidth tells a width that is rounded to float32 from one that is not,
// and keeps one that overflows finite.
func TestAffineWidth(t *testing.T) {
	r := Range{-0.1, 1e7} // the width rounds to 1e7
	a, err := AffineRule{Type: U8}.Affine(r)
	if want := float32(1e7 / 255.0); err != nil || a.Scale != want {
		t.Errorf("scale of %v = %v, %v; want %v", r, a.Scale, err, want)
	}
	for _, symmetric := range []bool{false, true} {
		r := Range{-3e38, 3e38}
		a, err := AffineRule{Type: I8, Symmetric: symmetric}.Affine(r)
		if err != nil || math.IsInf(float64(a.Scale), 0) || a.Scale < 2e36 {
			t.Errorf("symmetric %v: %v gives %v, %v; want a finite scale", symmetric, r, a, err)
		}
		if !r.Overflows(symmetric) {
			t.Errorf("%v.Overflows(%v) = false", r, symmetric)
		}
	}
	if r := (Range{0, 3e38}); r.Overflows(false) || !r.Overflows(true) {
		t.Errorf("%v overflows mirrored, and only then", r)
	}
}

// naive quantizes one number as the formula reads.
func naive(x float32, a Affine, to DType) byte {
	lo, hi := -128.0, 127.0
	if to == U8 {
		lo, hi = 0, 255
	}
	q := math.RoundToEven(float64(x/a.Scale)) + float64(a.Zero)
	return byte(int(max(lo, min(hi, q))))
}

func TestQuantizeEqualsFormula(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, shape := range [][]int64{{1}, {7}, {3, 5}, {5, 3, 4}, {1, 20000}, {20000, 1}, {2, 9000, 2}, {130, 257}} {
		n, err := Elements(shape)
		if err != nil {
			t.Fatal(err)
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(random.NormFloat64())
			if i%3 == 0 { // halves of small numbers hit ties
				values[i] = float32(random.IntN(64)-32) / 2
			}
		}
		for _, rule := range []AffineRule{
			{Type: I8, Symmetric: true},
			{Type: I8, Reduced: true},
			{Type: U8},
			{Type: U8, Symmetric: true, Reduced: true},
		} {
			checkFormula(t, shape, values, rule, OneChannel, func(int64) int64 { return 0 })
			inner := int64(1)
			for axis := len(shape) - 1; axis >= 0; axis-- {
				count, step := shape[axis], inner
				checkFormula(t, shape, values, rule, ChannelsAlong(shape, axis), func(i int64) int64 { return i / step % count })
				inner *= shape[axis]
			}
		}
	}
}

func checkFormula(t *testing.T, shape []int64, values []float32, rule AffineRule, c Channels, channel func(int64) int64) {
	t.Helper()
	by := affines(t, rule, c, values)
	want := make([]byte, len(values))
	for i, x := range values {
		want[i] = naive(x, by[channel(int64(i))], rule.Type)
	}
	// Diff takes long on many numbers.
	if a, b := codesOf(rule.Type, want), quantized(t, rule.Type, c, by, values); !slices.Equal(a, b) {
		t.Errorf("shape %v, %+v, %+v (-formula +got):\n%.2000s", shape, rule, c, cmp.Diff(a, b))
	}
}

func TestQuantizeTransposedEqualsTransposeOfQuantized(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, shape := range [][2]int64{{1, 1}, {3, 2}, {2, 3}, {1, 5000}, {5000, 1}, {37, 111}, {70_000, 3}, {3, 70_000}, {0, 4}, {4, 0}} {
		rows, cols := shape[0], shape[1]
		values := make([]float32, rows*cols)
		for i := range values {
			values[i] = float32(random.NormFloat64())
		}
		for _, c := range []Channels{OneChannel, ChannelsAlong(shape[:], 0)} {
			if rows == 0 && c.Count == 0 {
				continue
			}
			t.Run(fmt.Sprint(shape, c), func(t *testing.T) {
				by := affines(t, AffineRule{Type: I8, Symmetric: true}, c, values)
				plain := quantized(t, I8, c, by, values)
				want := make([]int, len(plain))
				for i, code := range plain {
					want[int64(i)%cols*rows+int64(i)/cols] = code
				}
				var buf bytes.Buffer
				if err := QuantizeTransposed(&buf, bytes.NewReader(encoded(values...)), rows, cols, I8, by); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(want, codesOf(I8, buf.Bytes())) {
					t.Error("differs from the transpose of what Quantize writes")
				}
			})
		}
	}
}

func TestRangesRefuseWhatIsNotFinite(t *testing.T) {
	values := make([]float32, 3*chunkNumbers*4)
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		for _, at := range []int{0, 5, chunkNumbers * 4, len(values) - 1} {
			values[at] = bad
			_, err := Ranges(bytes.NewReader(encoded(values...)), int64(len(values)), OneChannel)
			var notFinite *NotFiniteError
			if !errors.As(err, &notFinite) || notFinite.Index != int64(at) {
				t.Errorf("%v at element %d: error %v", bad, at, err)
			}
			values[at] = 0
		}
	}
}

func TestQuantizeErrors(t *testing.T) {
	three := encoded(1, 2, 3)
	if _, err := Ranges(bytes.NewReader(three[:11]), 3, OneChannel); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a short source: %v", err)
	}
	if err := Quantize(io.Discard, bytes.NewReader(three[:7]), 3, I8, OneChannel, []Affine{{1, 0}}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a short source: %v", err)
	}
	if err := QuantizeTransposed(io.Discard, bytes.NewReader(three), 2, 2, I8, []Affine{{1, 0}}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a short source, transposed: %v", err)
	}
	if err := Quantize(io.Discard, bytes.NewReader(three), 3, I32, OneChannel, []Affine{{1, 0}}); err == nil {
		t.Error("i32 is taken")
	}
	if _, err := (AffineRule{Type: F32}).Affine(Range{}); err == nil {
		t.Error("a rule for f32 is taken")
	}
	if err := Quantize(io.Discard, bytes.NewReader(three), 3, I8, Channels{3, 1}, []Affine{{1, 0}}); err == nil {
		t.Error("one scale for three channels is taken")
	}
}

// FuzzQuantize compares the rounding by addition with the formula, for any
// number and any scale that a range gives.
func FuzzQuantize(f *testing.F) {
	f.Add(float32(0.5), float32(-1), float32(2), true, false)
	f.Add(float32(127.5), float32(-127.5), float32(254), false, true)
	f.Fuzz(func(t *testing.T, x, y, z float32, symmetric, reduced bool) {
		values := []float32{x, y, z}
		if firstNotFinite(encoded(values...)) >= 0 {
			t.Skip("not finite")
		}
		for _, to := range []DType{I8, U8} {
			by := affines(t, AffineRule{to, symmetric, reduced}, OneChannel, values)
			got := quantized(t, to, OneChannel, by, values)
			for i, v := range values {
				if want := codesOf(to, []byte{naive(v, by[0], to)})[0]; got[i] != want {
					t.Errorf("%v by %+v to %s = %d, want %d", v, by[0], to, got[i], want)
				}
			}
		}
	})
}

func BenchmarkQuantize(b *testing.B) {
	const rows, cols = 2048, 2048
	data := make([]byte, 4*rows*cols)
	random := rand.New(rand.NewPCG(5, 6))
	for i := 0; i < len(data); i += 4 {
		le.PutUint32(data[i:], math.Float32bits(float32(random.NormFloat64())))
	}
	one := []Affine{{0.03, 0}}
	many := make([]Affine, cols)
	for i := range many {
		many[i] = one[0]
	}
	columns := ChannelsAlong([]int64{rows, cols}, 1)
	run := func(name string, f func(r *bytes.Reader) error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := f(bytes.NewReader(data)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	const n = rows * cols
	run("ranges", func(r *bytes.Reader) error { _, err := Ranges(r, n, OneChannel); return err })
	run("ranges per column", func(r *bytes.Reader) error { _, err := Ranges(r, n, columns); return err })
	run("per tensor", func(r *bytes.Reader) error { return Quantize(io.Discard, r, n, I8, OneChannel, one) })
	run("per column", func(r *bytes.Reader) error { return Quantize(io.Discard, r, n, I8, columns, many) })
	run("transposed", func(r *bytes.Reader) error { return QuantizeTransposed(io.Discard, r, rows, cols, I8, one) })
}
