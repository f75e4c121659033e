package tensor

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var numeric = []DType{
	F32, U8, I8, U16, I16, I32, I64, Bool, F16, F64, U32, U64, C64, C128, BF16,
	F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, U4, I4, F4E2M1, F8E8M0, U2, I2, F6E2M3, F6E3M2,
}

func TestDecodeFloat64(t *testing.T) {
	tests := []struct {
		dtype DType
		data  []byte
		want  []float64
	}{
		{F32, []byte{0, 0, 0x80, 0x3F, 0, 0, 0x20, 0xC1}, []float64{1, -10}},
		{F64, []byte{0, 0, 0, 0, 0, 0, 0xF0, 0x3F}, []float64{1}},
		{F16, []byte{0x00, 0x3C, 0x01, 0x00, 0x00, 0xFC}, []float64{1, math.Ldexp(1, -24), math.Inf(-1)}},
		{BF16, []byte{0x80, 0x3F, 0x80, 0xFF}, []float64{1, math.Inf(-1)}},
		{U8, []byte{0, 255}, []float64{0, 255}},
		{I8, []byte{0x80, 0x7F}, []float64{-128, 127}},
		{I16, []byte{0xFF, 0xFF}, []float64{-1}},
		{U16, []byte{0xFF, 0xFF}, []float64{65535}},
		{I32, []byte{0, 0, 0, 0x80}, []float64{math.MinInt32}},
		{U32, []byte{0xFF, 0xFF, 0xFF, 0xFF}, []float64{math.MaxUint32}},
		{I64, bytes.Repeat([]byte{0xFF}, 8), []float64{-1}},
		{U64, bytes.Repeat([]byte{0xFF}, 8), []float64{1 << 64}},
		{Bool, []byte{0, 1, 2}, []float64{0, 1, 1}},
		{I4, []byte{0x87, 0x0F}, []float64{7, -8, -1}},
		{U4, []byte{0x87, 0x0F}, []float64{7, 8, 15}},
		{I2, []byte{0b10_01_11_00, 0b01}, []float64{0, -1, 1, -2, 1}},
		{U2, []byte{0b10_01_11_00, 0b01}, []float64{0, 3, 1, 2, 1}},
		// codes 0 to 7 and then -7.5 or -28, as the onnx package packs them
		{F6E2M3, []byte{0x40, 0x20, 0x0c, 0x44, 0x61, 0x1c, 0x3f}, []float64{0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, -7.5}},
		{F6E3M2, []byte{0x40, 0x20, 0x0c, 0x44, 0x61, 0x1c, 0x3f}, []float64{0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, -28}},
		{F4E2M1, []byte{0x97, 0x05}, []float64{6, -0.5, 3}},
		{C64, []byte{0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0}, []float64{1, -2}},
	}
	for _, c := range tests {
		got := make([]float64, len(c.want))
		if err := decodeFloat64(got, c.dtype, c.data); err != nil {
			t.Errorf("%s: %v", c.dtype, err)
		} else if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.dtype, diff)
		}
	}
}

// TestEncodeUndoesDecode decodes random bytes of every type and encodes the
// numbers again.
func TestEncodeUndoesDecode(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, d := range numeric {
		for _, n := range []int{0, 2, 6, 1000} {
			size, err := d.ByteLen(int64(n))
			if err != nil {
				t.Fatal(err)
			}
			raw := make([]byte, size)
			for i := range raw {
				raw[i] = byte(rng.Uint32())
			}
			checkRoundTrip(t, d, raw, n)
		}
	}
}

func checkRoundTrip(t *testing.T, d DType, raw []byte, n int) {
	t.Helper()
	values := make([]float64, n*d.Components())
	if err := decodeFloat64(values, d, raw); err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	again := make([]byte, len(raw))
	if err := EncodeFloat64(again, d, values); err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	back := make([]float64, len(values))
	if err := decodeFloat64(back, d, again); err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	for i, v := range values {
		saturates := math.IsInf(v, 0) && d == F8E5M2
		if math.Float64bits(back[i]) != math.Float64bits(v) && v == v && !saturates {
			t.Fatalf("%s: %v came back as %v", d, v, back[i])
		}
	}
	if !d.isInteger() || d == Bool {
		return
	}
	ints := make([]int64, n)
	if err := decodeInt64(ints, d, raw); err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	clear(again)
	if err := encodeInt64(again, d, ints); err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	if got := maskPadding(again, d, n); !bytes.Equal(got, maskPadding(raw, d, n)) {
		t.Fatalf("%s: the integers' bytes changed", d)
	}
}

// maskPadding clears what follows the last element in its byte.
func maskPadding(raw []byte, d DType, n int) []byte {
	raw = bytes.Clone(raw)
	if used := n * d.Bits() % 8; used != 0 {
		raw[len(raw)-1] &= 1<<used - 1
	}
	return raw
}

func TestEncodeIntegersRoundAndSaturate(t *testing.T) {
	tests := []struct {
		dtype    DType
		in, want []float64
	}{
		{I8, []float64{0.5, 1.5, -0.5, -2.5, 127.6, -1e9, math.NaN(), math.Inf(1)}, []float64{0, 2, 0, -2, 127, -128, 0, 127}},
		{U8, []float64{-3, 255.5, 254.5}, []float64{0, 255, 254}},
		{I4, []float64{7.5, -8.5, 2}, []float64{7, -8, 2}},
		{U2, []float64{3.5, -1, 1, 2, 3}, []float64{3, 0, 1, 2, 3}},
		{I64, []float64{1e30, -1e30}, []float64{math.MaxInt64, math.MinInt64}},
		{U64, []float64{1e30, 1 << 63}, []float64{math.MaxUint64, 1 << 63}},
		{Bool, []float64{0, -0.5, math.NaN()}, []float64{0, 1, 1}},
	}
	for _, c := range tests {
		got, err := FromFloat64s(c.dtype, c.in, int64(len(c.in)))
		if err != nil {
			t.Fatal(err)
		}
		values, err := got.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, values); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.dtype, diff)
		}
	}
}

func TestRefusals(t *testing.T) {
	one := make([]float64, 1)
	refused := map[string]error{
		"short":          decodeFloat64(make([]float64, 3), F32, make([]byte, 11)),
		"string":         decodeFloat64(one, String, make([]byte, 9)),
		"unknown":        decodeFloat64(one, DType(99), make([]byte, 9)),
		"half a complex": decodeFloat64(one, C64, make([]byte, 9)),
		"float as int":   decodeInt64(make([]int64, 1), F32, make([]byte, 9)),
		"short encode":   EncodeFloat64(make([]byte, 3), F32, one),
		"int range":      encodeInt64(make([]byte, 1), I8, []int64{128}),
		"u4 range":       encodeInt64(make([]byte, 1), U4, []int64{-1}),
		"int of float":   encodeInt64(make([]byte, 8), F64, []int64{1}),
	}
	for name, err := range refused {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestFromSlice(t *testing.T) {
	tests := []struct {
		tensor Tensor
		dtype  DType
		want   []float64
	}{
		{FromSlice([]float32{1, 2}, 2), F32, []float64{1, 2}},
		{FromSlice([]float64{0.1}), F64, []float64{0.1}},
		{FromSlice([]int8{-1}, 1), I8, []float64{-1}},
		{FromSlice([]int16{-1}, 1), I16, []float64{-1}},
		{FromSlice([]int32{-1}, 1), I32, []float64{-1}},
		{FromSlice([]int64{-1}, 1), I64, []float64{-1}},
		{FromSlice([]uint8{1}, 1), U8, []float64{1}},
		{FromSlice([]uint16{1}, 1), U16, []float64{1}},
		{FromSlice([]uint32{1}, 1), U32, []float64{1}},
		{FromSlice([]uint64{1}, 1), U64, []float64{1}},
		{FromSlice([]bool{true, false}, 2), Bool, []float64{1, 0}},
		{FromSlice([]complex64{1 + 2i}, 1), C64, []float64{1, 2}},
		{FromSlice([]complex128{1 + 2i}, 1), C128, []float64{1, 2}},
	}
	for _, c := range tests {
		got, err := c.tensor.Float64s()
		if err != nil {
			t.Errorf("%s: %v", c.dtype, err)
		}
		if c.tensor.DType != c.dtype {
			t.Errorf("got type %s, want %s", c.tensor.DType, c.dtype)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.dtype, diff)
		}
	}
}

func TestRows(t *testing.T) {
	m := FromSlice([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
	got, err := m.Rows(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(FromSlice([]float32{3, 4, 5, 6}, 2, 2), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	words, err := FromStrings([]string{"a", "b", "c"}, 3).Rows(2, 3)
	if err != nil || words.Strings[0] != "c" || words.Check() != nil {
		t.Errorf("strings: %v, %v", words, err)
	}
	empty, err := FromSlice([]float32{}, 0, 4).Rows(0, 0)
	if err != nil || empty.Check() != nil {
		t.Errorf("no rows: %v, %v", empty, err)
	}
	nibbles, err := FromInt64s(U4, []int64{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nibbles.Rows(1, 2); err == nil {
		t.Error("a row within a byte: no error")
	}
	for _, r := range [][2]int64{{-1, 1}, {2, 1}, {0, 4}} {
		if _, err := m.Rows(r[0], r[1]); err == nil {
			t.Errorf("rows %v: no error", r)
		}
	}
	if _, err := FromSlice([]float32{1}).Rows(0, 1); err == nil {
		t.Error("rows of a scalar: no error")
	}
}

func TestReaderChunks(t *testing.T) {
	for _, d := range numeric {
		n := 2*chunkNumbers + 5
		size, err := d.ByteLen(int64(n))
		if err != nil {
			t.Fatal(err)
		}
		raw := make([]byte, size)
		rng := rand.New(rand.NewPCG(3, 4))
		for i := range raw {
			raw[i] = byte(rng.Uint32())
		}
		whole := make([]float64, n*d.Components())
		if err := decodeFloat64(whole, d, raw); err != nil {
			t.Fatal(err)
		}
		// one byte at a time, to see that reads are gathered
		r, err := NewReader(oneByte{bytes.NewReader(raw)}, d, int64(n))
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for {
			chunk, err := r.Float64s()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, chunk...)
		}
		if diff := cmp.Diff(whole, got, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", d, diff)
		}
	}
}

type oneByte struct{ io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.Reader.Read(p[:1]) }

func TestReaderEndsEarly(t *testing.T) {
	for _, size := range []int{0, 3, 8191} {
		r, err := NewReader(bytes.NewReader(make([]byte, size)), F32, 1<<50)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Float64s(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
