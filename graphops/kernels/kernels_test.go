package kernels

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// numbers are float32s whose upper halves are all there are, so every exponent, subnormals,
// infinities and NaN, with lower halves around the ties of float16 and bfloat16.
func numbers() []byte {
	lows := []uint32{0, 1, 0xFFF, 0x1000, 0x1001, 0x2FFF, 0x3000, 0x3001, 0x7FFF, 0x8000, 0x8001, 0xFFFF}
	out := make([]byte, 0, 4<<16*len(lows))
	for _, low := range lows {
		for high := range uint32(1 << 16) {
			out = le.AppendUint32(out, high<<16|low)
		}
	}
	return out
}

// halves are all float16s and the ties between them, as float32s.
func halves() []byte {
	var out []byte
	for h := range uint32(1 << 16) {
		sign, exponent, fraction := h>>15<<31, h>>10&31, h&0x3FF
		bits := sign | (exponent+112)<<23 | fraction<<13
		switch exponent {
		case 0:
			bits = sign | math.Float32bits(float32(fraction)*0x1p-24)
		case 31:
			bits = sign | Infinity | fraction<<13
		}
		out = le.AppendUint32(out, bits)
		out = le.AppendUint32(out, bits|1<<12)
	}
	return out
}

// finite returns random numbers of all magnitudes.
func finite(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, 0, 4*n)
	for len(out) < 4*n {
		if bits := rng.Uint32(); bits&Infinity != Infinity {
			out = le.AppendUint32(out, bits)
		}
	}
	return out
}

// parts calls f with parts of raw that start at any byte and have any length up to 100 numbers, and
// with all of it.
func parts(raw []byte, f func(raw []byte)) {
	for n := range 100 {
		for shift := range 5 {
			f(raw[4*n+shift:][: 4*n : 4*n])
		}
	}
	f(raw)
}

func bounds(least, most float32) Bounds {
	return Bounds{math.Float32bits(least), math.Float32bits(most)}
}

var someBounds = []Bounds{
	{0, Infinity - 1},
	bounds(5.96e-08, 65504),
	bounds(1e-7, 1e4),
	bounds(1e-9, 65504),
	bounds(0, 70000),
	bounds(70000, 80000),
	bounds(1e-30, 1e-20),
	bounds(3, 3),
	{5, 4}, // not in order
	{0, Infinity},
	{Sign | 7, 9},
}

func TestNarrow(t *testing.T) {
	for _, raw := range [][]byte{numbers(), halves(), finite(1 << 16)} {
		for _, b := range someBounds {
			for name, k := range map[string]struct {
				fast, portable func(out, raw []byte, b Bounds) Changes
				count          func(raw []byte, b Bounds) Changes
			}{
				"float16":  {Float16, formatF16.portable, CountFloat16},
				"bfloat16": {Bfloat16, formatBF16.portable, CountBfloat16},
			} {
				parts(raw, func(raw []byte) {
					got, want := make([]byte, len(raw)/2+1), make([]byte, len(raw)/2+1)
					c, d := k.fast(got[1:], raw, b), k.portable(want[1:], raw, b)
					if i := difference(got[1:], want[1:], 2); i >= 0 {
						t.Fatalf("%s with %+v: number %d of %d, %#08x, is %x, expected %x", name, b, i, len(raw)/4, le.Uint32(raw[4*i:]), got[1+2*i:][:2], want[1+2*i:][:2])
					}
					if n := k.count(raw, b); c != d || n != d {
						t.Fatalf("%s of %d numbers with %+v: changes %+v, counted %+v, expected %+v", name, len(raw)/4, b, c, n, d)
					}
				})
			}
		}
	}
}

// difference returns the position of the first element that differs, or -1.
func difference(a, b []byte, width int) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range a {
		if a[i] != b[i] {
			return i / width
		}
	}
	return len(a) / width
}

// TestRoundAll compares all float16s with themselves: rounding must return the same code.
func TestRoundAll(t *testing.T) {
	raw := halves()
	for h := range 1 << 16 {
		bits := le.Uint32(raw[8*h:])
		if got := RoundF16(bits); got != uint16(h) {
			t.Fatalf("%#04x is %#08x as float32, and that is %#04x", h, bits, got)
		}
	}
}

func TestExtremes(t *testing.T) {
	for _, raw := range [][]byte{numbers(), halves(), finite(1 << 16)} {
		for _, start := range []extremesOf{{0, 0}, {math.MaxInt32, math.MaxUint32}, {5, Sign | 5}} {
			parts(raw, func(raw []byte) {
				most, least := Extremes(raw, start.most, start.least)
				wantMost, wantLeast := portableExtremes(raw, start.most, start.least)
				if most != wantMost || least != wantLeast {
					t.Fatalf("%d numbers: %#x, %#x, expected %#x, %#x", len(raw)/4, most, least, wantMost, wantLeast)
				}
			})
		}
	}
}

// extremesOf is where a search for extremes starts.
type extremesOf struct {
	most  int32
	least uint32
}

func TestExtremesEach(t *testing.T) {
	for _, raw := range [][]byte{numbers(), halves(), finite(1 << 16)} {
		parts(raw, func(raw []byte) {
			n := len(raw) / 4
			most, least := make([]int32, n), make([]uint32, n)
			for i := range n {
				most[i], least[i] = int32(i*31), uint32(i*17)
			}
			wantMost, wantLeast := slices.Clone(most), slices.Clone(least)
			got, want := ExtremesEach(most, least, raw), portableExtremesEach(wantMost, wantLeast, raw) < Infinity
			if got != want || !slices.Equal(most, wantMost) || !slices.Equal(least, wantLeast) {
				t.Fatalf("%d numbers, finite %v: other extremes, expected finite %v", n, got, want)
			}
		})
	}
}

// rounders are those of the 8-bit types with several zero points, and a few that no rule makes.
func rounders() []Rounder {
	var out []Rounder
	for _, scale := range []float32{1, 0.0123, 0x1p-126, 3e38, 1.0 / 3} {
		for _, r := range [][2]float32{{-128, 127}, {0, 255}} {
			for _, zero := range []int32{0, 128, -3, 255} {
				out = append(out, Rounder{scale, r[0] - float32(zero), r[1] - float32(zero), zero - RoundingBits})
			}
		}
	}
	return append(out, Rounder{0, -128, 127, -RoundingBits}, Rounder{float32(math.NaN()), -128, 127, -RoundingBits}, Rounder{float32(math.Inf(1)), -128, 127, -RoundingBits})
}

// ties are halves of a unit at a scale of 1, and their neighbours.
func ties() []byte {
	var out []byte
	for i := -1100; i <= 1100; i++ {
		bits := math.Float32bits(float32(i) / 2)
		for d := range uint32(3) {
			out = le.AppendUint32(out, bits+d-1)
		}
	}
	return out
}

func TestCodes(t *testing.T) {
	for _, raw := range [][]byte{ties(), halves(), numbers()} {
		for i, r := range rounders() {
			whole := raw
			if i > 7 && len(raw) > 1<<20 {
				whole = raw[:1<<18]
			}
			parts(whole, func(raw []byte) {
				got, want := make([]byte, len(raw)/4+1), make([]byte, len(raw)/4+1)
				r.Codes(got[1:], raw)
				r.portableCodes(want[1:], raw)
				if i := difference(got[1:], want[1:], 1); i >= 0 {
					t.Fatalf("%+v: number %d of %d, %v, is %d, expected %d", r, i, len(raw)/4, math.Float32frombits(le.Uint32(raw[4*i:])), got[1+i], want[1+i])
				}
			})
		}
	}
}

func TestCodesEach(t *testing.T) {
	all := rounders()
	for _, raw := range [][]byte{ties(), halves(), finite(1 << 16)} {
		parts(raw, func(raw []byte) {
			n := len(raw) / 4
			rs, got := NewRounders(n+3), make([]byte, n+1)
			for i := range n {
				rs.Set(i+3, all[i%len(all)])
			}
			rs = rs.Slice(3, int64(n+3))
			rs.CodesEach(got[1:], raw)
			for i, code := range got[1:] {
				x := math.Float32frombits(le.Uint32(raw[4*i:]))
				if want := byte(all[i%len(all)].Integer(x)); code != want || rs.At(int64(i)) != all[i%len(all)] && all[i%len(all)].Scale == all[i%len(all)].Scale {
					t.Fatalf("%+v: number %d of %d, %v, is %d, expected %d", rs.At(int64(i)), i, n, x, code, want)
				}
			}
		})
	}
}

func BenchmarkKernels(b *testing.B) {
	raw := make([]byte, 1<<18)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := 0; i < len(raw); i += 4 {
		le.PutUint32(raw[i:], math.Float32bits(float32(rng.NormFloat64())))
	}
	n := len(raw) / 4
	out, most, least, rs := make([]byte, len(raw)/2), make([]int32, n), make([]uint32, n), NewRounders(n)
	r := Rounder{0.0123, -128, 127, -RoundingBits}
	for i := range n {
		rs.Set(i, r)
	}
	for _, k := range []struct {
		name           string
		fast, portable func()
	}{
		{"extremes", func() { Extremes(raw, 0, 0) }, func() { portableExtremes(raw, 0, 0) }},
		{"extremes of each", func() { ExtremesEach(most, least, raw) }, func() { portableExtremesEach(most, least, raw) }},
		{"codes", func() { r.Codes(out[:n], raw) }, func() { r.portableCodes(out[:n], raw) }},
		{"codes of each", func() { rs.CodesEach(out[:n], raw) }, nil},
		{"float16", func() { Float16(out, raw, someBounds[1]) }, func() { formatF16.portable(out, raw, someBounds[1]) }},
		{"bfloat16", func() { Bfloat16(out, raw, someBounds[0]) }, func() { formatBF16.portable(out, raw, someBounds[0]) }},
		{"count", func() { CountFloat16(raw, someBounds[1]) }, func() { portableCount(raw, someBounds[1], formatF16) }},
	} {
		for i, f := range []func(){k.fast, k.portable} {
			if f == nil {
				continue
			}
			b.Run(fmt.Sprintf("%s %s", k.name, []string{"chosen", "portable"}[i]), func(b *testing.B) {
				b.SetBytes(int64(len(raw)))
				for b.Loop() {
					f()
				}
			})
		}
	}
}
