package tensor

import (
	"encoding/binary"
	"math"
	"testing"
)

// textbook spells a format the way its standard does, independently of the bit
// operations under test.
type textbook struct {
	dtype              DType
	bits, mantissa     int
	bias               int
	nan                func(code int) bool
	inf                func(code int) bool
	overflowToInfinity bool
}

var textbooks = []textbook{
	{F16, 16, 10, 15, func(c int) bool { return c&0x7FFF > 0x7C00 }, func(c int) bool { return c&0x7FFF == 0x7C00 }, true},
	{BF16, 16, 7, 127, func(c int) bool { return c&0x7FFF > 0x7F80 }, func(c int) bool { return c&0x7FFF == 0x7F80 }, true},
	{F8E4M3FN, 8, 3, 7, func(c int) bool { return c&0x7F == 0x7F }, never, false},
	{F8E4M3FNUZ, 8, 3, 8, func(c int) bool { return c == 0x80 }, never, false},
	{F8E5M2, 8, 2, 15, func(c int) bool { return c&0x7F > 0x7C }, func(c int) bool { return c&0x7F == 0x7C }, false},
	{F8E5M2FNUZ, 8, 2, 16, func(c int) bool { return c == 0x80 }, never, false},
	{F6E2M3, 6, 3, 1, never, never, false},
	{F6E3M2, 6, 2, 3, never, never, false},
	{F4E2M1, 4, 1, 1, never, never, false},
}

func never(int) bool { return false }

// value computes (-1)^s · 2^(e-bias) · 1.m, or 2^(1-bias) · 0.m where e is 0.
func (f textbook) value(code int) float64 {
	sign := 1.0
	if code>>(f.bits-1) == 1 {
		sign = -1
	}
	switch {
	case f.nan(code):
		return math.NaN()
	case f.inf(code):
		return math.Inf(int(sign))
	}
	e := code >> f.mantissa & (1<<(f.bits-1-f.mantissa) - 1)
	m := float64(code&(1<<f.mantissa-1)) / float64(int(1)<<f.mantissa)
	if e == 0 {
		return sign * math.Pow(2, float64(1-f.bias)) * m
	}
	return sign * math.Pow(2, float64(e-f.bias)) * (1 + m)
}

func decodeOne(t testing.TB, d DType, code int) float64 {
	t.Helper()
	var raw [8]byte
	binary.LittleEndian.PutUint64(raw[:], uint64(code))
	var out [1]float64
	if err := decodeFloat64(out[:], d, raw[:]); err != nil {
		t.Fatal(err)
	}
	return out[0]
}

func encodeOne(t testing.TB, d DType, x float64) int {
	t.Helper()
	var raw [8]byte
	if err := EncodeFloat64(raw[:], d, []float64{x}); err != nil {
		t.Fatal(err)
	}
	return int(binary.LittleEndian.Uint64(raw[:]))
}

func TestDecodeEveryCode(t *testing.T) {
	for _, f := range textbooks {
		t.Run(f.dtype.String(), func(t *testing.T) {
			for code := range 1 << f.bits {
				got, want := decodeOne(t, f.dtype, code), f.value(code)
				if math.Float64bits(got) != math.Float64bits(want) && !(got != got && want != want) {
					t.Fatalf("code %#x: got %v, want %v", code, got, want)
				}
			}
		})
	}
}

func TestEncodeEveryCode(t *testing.T) {
	for _, f := range textbooks {
		t.Run(f.dtype.String(), func(t *testing.T) {
			for code := range 1 << f.bits {
				want := f.value(code)
				if !f.overflowToInfinity && math.IsInf(want, 0) {
					continue // infinities saturate
				}
				got := f.value(encodeOne(t, f.dtype, want))
				if math.Float64bits(got) != math.Float64bits(want) && !(got != got && want != want) {
					t.Fatalf("code %#x, %v: encodes to %v", code, want, got)
				}
			}
		})
	}
}

// TestEncodeMidpoints checks every rounding decision there is: between two
// neighbours the midpoint goes to the even code, anything to one side of it to
// that neighbour.
func TestEncodeMidpoints(t *testing.T) {
	for _, f := range textbooks {
		t.Run(f.dtype.String(), func(t *testing.T) {
			for code := 0; code+1 < 1<<(f.bits-1); code++ {
				lo, hi := f.value(code), f.value(code+1)
				if hi != hi || math.IsInf(hi, 0) {
					break
				}
				middle := lo + (hi-lo)/2
				even := code + code&1
				for _, c := range []struct {
					x    float64
					want int
				}{
					{middle, even},
					{math.Nextafter(middle, 0), code},
					{math.Nextafter(middle, math.Inf(1)), code + 1},
				} {
					if got := encodeOne(t, f.dtype, c.x); got != c.want {
						t.Fatalf("%v between %#x and its successor: got %#x, want %#x", c.x, code, got, c.want)
					}
					negative := encodeOne(t, f.dtype, -c.x)
					if c.want != 0 && negative != c.want|1<<(f.bits-1) {
						t.Fatalf("%v: got %#x", -c.x, negative)
					}
				}
			}
		})
	}
}

func TestEncodeBeyondRange(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		dtype DType
		x     float64
		want  float64
	}{
		{F16, 65519.99, 65504},
		{F16, 65520, inf}, // half a step beyond the largest: rounds to 2^16
		{F16, 1e300, inf},
		{F16, -inf, -inf},
		{BF16, math.MaxFloat32, inf},
		{BF16, 3.3895e38, 3.3895313892515355e38},
		{F32, 1e39, inf},
		{F8E4M3FN, 464.0001, 448},
		{F8E4M3FN, inf, 448},
		{F8E4M3FN, -1e9, -448},
		{F8E4M3FNUZ, inf, 240},
		{F8E5M2, 1e9, 57344},
		{F8E5M2, inf, 57344},
		{F8E5M2FNUZ, -inf, -57344},
		{F4E2M1, 7, 6},
		{F4E2M1, -inf, -6},
		{F4E2M1, math.NaN(), 6},
		{F4E2M1, 5, 4}, // a tie between 4 and 6
		{F4E2M1, 0.25, 0},
		{F8E8M0, 3, 4},
		{F8E8M0, 4, 4},
		{F8E8M0, inf, math.Ldexp(1, 127)},
		{F8E8M0, 0, math.Ldexp(1, -127)},
	}
	for _, c := range tests {
		if got := decodeOne(t, c.dtype, encodeOne(t, c.dtype, c.x)); got != c.want {
			t.Errorf("%s of %v: got %v, want %v", c.dtype, c.x, got, c.want)
		}
	}
}

func TestEncodeNaN(t *testing.T) {
	for _, d := range []DType{F32, F64, F16, BF16, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0} {
		raw := make([]byte, 8)
		if err := EncodeFloat64(raw, d, []float64{math.NaN()}); err != nil {
			t.Fatal(err)
		}
		var back [1]float64
		if err := decodeFloat64(back[:], d, raw); err != nil {
			t.Fatal(err)
		}
		if back[0] == back[0] {
			t.Errorf("%s: NaN came back as %v", d, back[0])
		}
	}
	if got := encodeOne(t, F8E8M0, -1); got != 0xFF {
		t.Errorf("f8e8m0 of -1: got %#x, want NaN", got)
	}
}

func TestPowerOfTwoScale(t *testing.T) {
	for code := range 255 {
		want := math.Pow(2, float64(code-127))
		if got := decodeOne(t, F8E8M0, code); got != want {
			t.Errorf("code %#x: got %v, want %v", code, got, want)
		}
		if got := encodeOne(t, F8E8M0, want); got != code {
			t.Errorf("%v: got %#x, want %#x", want, got, code)
		}
	}
}

// FuzzEncode compares with the nearest code found by trying all of them.
func FuzzEncode(f *testing.F) {
	for _, x := range []float64{0, 1, -1, 65520, 5.9e-8, 2.98e-8, 1e-45, 448, 464, 240, 57344, math.Inf(1), math.NaN()} {
		f.Add(x)
	}
	var values [][]float64
	for _, b := range textbooks {
		all := make([]float64, 1<<b.bits)
		for code := range all {
			all[code] = b.value(code)
		}
		values = append(values, all)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		if x != x {
			return
		}
		for i, b := range textbooks {
			got := b.value(encodeOne(t, b.dtype, x))
			want := nearest(values[i], x, b)
			if got != want {
				t.Errorf("%s of %v: got %v, want %v", b.dtype, x, got, want)
			}
		}
	})
}

func nearest(values []float64, x float64, b textbook) float64 {
	limit, step := 0.0, 0.0
	best, bestCode := math.NaN(), 0
	for code, v := range values {
		if v != v || math.IsInf(v, 0) {
			continue
		}
		if v > limit {
			limit, step = v, v-limit
		}
		if best != best || math.Abs(v-x) < math.Abs(best-x) ||
			math.Abs(v-x) == math.Abs(best-x) && bestCode&1 == 1 && v != best {
			best, bestCode = v, code
		}
	}
	if b.overflowToInfinity && math.Abs(x) >= limit+step/2 {
		return math.Copysign(math.Inf(1), x)
	}
	if math.IsInf(x, 0) {
		return math.Copysign(limit, x)
	}
	return best
}
