package tensor

import (
	"bytes"
	"math"
	"testing"

	"lathe/graphops/kernels"
)

func floatBytes(xs ...float32) []byte {
	b := make([]byte, 4*len(xs))
	for i, x := range xs {
		le.PutUint32(b[4*i:], math.Float32bits(x))
	}
	return b
}

func narrow(t *testing.T, r Narrowing, xs ...float32) []uint16 {
	t.Helper()
	var out bytes.Buffer
	if _, err := r.Write(&out, bytes.NewReader(floatBytes(xs...)), int64(len(xs))); err != nil {
		t.Fatal(err)
	}
	codes := make([]uint16, len(xs))
	for i := range codes {
		codes[i] = le.Uint16(out.Bytes()[2*i:])
	}
	return codes
}

// TestNarrowF16 has the reference's vectors, with its bounds and with others.
func TestNarrowF16(t *testing.T) {
	inf, nan := float32(math.Inf(1)), math.Float32frombits(0x7FC00000)
	reference := Narrowing{F16, 5.96e-08, 65504}
	for _, tt := range []struct {
		r    Narrowing
		x    float32
		want uint16
	}{
		{reference, 1e-9, 0x0001},
		{reference, -1e-9, 0x8001},
		{reference, 6e-8, 0x0001},
		{reference, 1e-7, 0x0002},
		{reference, 3.1e-5, 0x0208},
		{reference, 1. / 3, 0x3555},
		{reference, 0.1, 0x2e66},
		{reference, 2049, 0x6800},
		{reference, 2051, 0x6802},
		{reference, 65519, 0x7bff},
		{reference, 65520, 0x7bff},
		{reference, 1e5, 0x7bff},
		{reference, -1e6, 0xfbff},
		{reference, inf, 0x7c00},
		{reference, -inf, 0xfc00},
		{reference, nan, 0x7e00},
		{reference, 0, 0},
		{reference, float32(math.Copysign(0, -1)), 0x8000},
		{reference, math.SmallestNonzeroFloat32, 0x0001},
		{reference, -math.MaxFloat32, 0xfbff},
		{reference, math.Float32frombits(0x7f800001), 0x7c01},
		{reference, math.Float32frombits(0x7f802000), 0x7c01},
		{reference, math.Float32frombits(0xffffffff), 0xffff},
		{reference, math.Float32frombits(0x7fc12345), 0x7e09},
		{Narrowing{F16, 1e-7, 1e4}, 1e5, 0x70e2},
		{Narrowing{F16, 1e-7, 1e4}, 1e-9, 0x0002},
		{Narrowing{To: F16}, 1e-9, 0},
		{Narrowing{To: F16}, 65519, 0x7bff},
		{Narrowing{To: F16}, 65520, 0x7c00},
		{Narrowing{To: F16}, 0x1p-25, 0},
		{Narrowing{To: F16}, 0x1.000002p-25, 1},
		{Narrowing{To: BF16}, 1. / 3, 0x3eab},
		{Narrowing{To: BF16}, math.MaxFloat32, 0x7f80},
		{Narrowing{To: BF16}, nan, 0x7fc0},
		{Narrowing{To: BF16}, math.Float32frombits(0xff800001), 0xffc0},
		{Narrowing{To: BF16}, 1 + 0x1p-8, 0x3f80},
		{Narrowing{To: BF16}, 1 + 0x3p-8, 0x3f82},
	} {
		if got := narrow(t, tt.r, tt.x)[0]; got != tt.want {
			t.Errorf("%v in %+v is %#04x, expected %#04x", tt.x, tt.r, got, tt.want)
		}
	}
}

// TestNarrowAgrees compares with the encoder that rounds a float64, on every upper
// half of a float32 and lower halves around the ties.
func TestNarrowAgrees(t *testing.T) {
	for high := range uint32(1 << 16) {
		for _, low := range []uint32{0, 1, 0xFFF, 0x1000, 0x1001, 0x2FFF, 0x3000, 0x3001, 0x7FFF, 0x8000, 0x8001, 0xFFFF} {
			x := math.Float32frombits(high<<16 | low)
			b := math.Float32bits(x)
			if got, want := kernels.RoundBF16(b), formatBF16.encode(float64(x)); got != want {
				t.Fatalf("%#08x is %#04x in bf16, expected %#04x", b, got, want)
			}
			got, want := kernels.RoundF16(b), formatF16.encode(float64(x))
			if x != x && got&0x7C00 == 0x7C00 && got&0x3FF != 0 {
				continue // which NaN differs
			}
			if got != want {
				t.Fatalf("%#08x is %#04x in f16, expected %#04x", b, got, want)
			}
		}
	}
}

func TestNarrowCounts(t *testing.T) {
	xs := []float32{0, 1, 1e-9, -1e-9, 1e5, -1e6, 65504, float32(math.Inf(1)), float32(math.NaN()), 0x1p-149}
	for _, tt := range []struct {
		r    Narrowing
		want Narrowed
	}{
		{Narrowing{F16, 5.96e-08, 65504}, Narrowed{10, kernels.Changes{Raised: 3, Lowered: 2}}},
		{Narrowing{To: F16}, Narrowed{10, kernels.Changes{Vanished: 3, Infinite: 2}}},
		{Narrowing{To: BF16}, Narrowed{10, kernels.Changes{Vanished: 1}}},
	} {
		got, err := tt.r.Count(bytes.NewReader(floatBytes(xs...)), int64(len(xs)))
		if err != nil || got != tt.want {
			t.Errorf("%+v: %+v, %v, expected %+v", tt.r, got, err, tt.want)
		}
	}
}

// TestNarrowInParts narrows more numbers than are read at a time.
func TestNarrowInParts(t *testing.T) {
	xs := make([]float32, 2*float32Chunk+3)
	for i := range xs {
		xs[i] = float32(i%1000) * 100
	}
	r := Narrowing{F16, 5.96e-08, 65504}
	for i, code := range narrow(t, r, xs...) {
		if want := kernels.RoundF16(math.Float32bits(min(xs[i], 65504))); code != want {
			t.Fatalf("number %d, %v, is %#04x, expected %#04x", i, xs[i], code, want)
		}
	}
	found, err := r.Count(bytes.NewReader(floatBytes(xs...)), int64(len(xs)))
	lowered := int64(0)
	for _, x := range xs {
		if x > 65504 {
			lowered++
		}
	}
	if err != nil || found.Lowered != lowered {
		t.Errorf("%d lowered, %v, expected %d", found.Lowered, err, lowered)
	}
	var out bytes.Buffer
	if err := r.Clamp(&out, bytes.NewReader(floatBytes(xs...)), int64(len(xs))); err != nil || out.Len() != 4*len(xs) {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
}

func TestNarrowClamps(t *testing.T) {
	var out bytes.Buffer
	r := Narrowing{F16, 5.96e-08, 65504}
	if err := r.Clamp(&out, bytes.NewReader(floatBytes(-1e9, 2, 0, 1e-20)), 4); err != nil {
		t.Fatal(err)
	}
	if want := floatBytes(-65504, 2, 0, 5.96e-08); !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%x, expected %x", out.Bytes(), want)
	}
}

func TestNarrowRefuses(t *testing.T) {
	if _, err := (Narrowing{To: I8}).Write(&bytes.Buffer{}, bytes.NewReader(nil), 0); err == nil {
		t.Error("float32 is narrowed to i8")
	}
	if _, err := (Narrowing{To: F16}).Count(bytes.NewReader(floatBytes(1)), 2); err == nil {
		t.Error("a short tensor is counted")
	}
}

func BenchmarkNarrow(b *testing.B) {
	xs := make([]float32, 1<<20)
	for i := range xs {
		xs[i] = float32(i)*1e-3 - 500
	}
	raw := floatBytes(xs...)
	r := Narrowing{F16, 5.96e-08, 65504}
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := r.Write(&bytes.Buffer{}, bytes.NewReader(raw), int64(len(xs))); err != nil {
			b.Fatal(err)
		}
	}
}
