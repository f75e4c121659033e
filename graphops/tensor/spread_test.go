package tensor

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"testing"
)

// drawn are n numbers from -1 to 1 of a linear congruence, which numpy can be given too.
func drawn(n int) []float32 {
	out, state := make([]float32, n), uint32(12345)
	for i := range out {
		state = (state*1103515245 + 12345) % (1 << 31)
		out[i] = float32(state>>8)/(1<<22) - 1
	}
	return out
}

func opener(values []float32) func() io.Reader {
	raw := encoded(values...)
	return func() io.Reader { return bytes.NewReader(raw) }
}

// TestSpreads compares with numpy.std and numpy.mean 2.4 to the bit, around the lengths at
// which the order of the sums changes.
func TestSpreads(t *testing.T) {
	for _, tt := range []struct {
		n               int
		deviation, mean float32
	}{
		{1, 0x0p+0, 0x1.3dc16p-2},
		{2, 0x1.66bf78p-2, -0x1.47f0cp-5},
		{7, 0x1.86f63cp-2, -0x1.5e204ap-5},
		{8, 0x1.750b96p-2, -0x1.1e58b8p-4},
		{9, 0x1.786a12p-2, -0x1.dc0472p-4},
		{100, 0x1.2367fp-1, -0x1.7630aep-6},
		{127, 0x1.207c24p-1, -0x1.70343p-5},
		{128, 0x1.1f7da2p-1, -0x1.7cb5bcp-5},
		{129, 0x1.1fbdbap-1, -0x1.551802p-5},
		{136, 0x1.1eb03p-1, -0x1.3e67ep-6},
		{1000, 0x1.2607bep-1, -0x1.94ec04p-8},
		{4099, 0x1.2612bap-1, 0x1.d17cbcp-8},
		{70001, 0x1.278234p-1, 0x1.1f3cb2p-13},
	} {
		got, wide, err := Spreads(opener(drawn(tt.n)), int64(tt.n), OneChannel)
		if err != nil || wide || got[0] != (Spread{tt.mean, tt.deviation}) {
			t.Errorf("%d numbers: %v, %v, %v, numpy has %v from %v", tt.n, got, wide, err, tt.deviation, tt.mean)
		}
	}
}

// TestSpreadsOfChannels has each channel be what it is by itself.
func TestSpreadsOfChannels(t *testing.T) {
	values := drawn(6 * 5 * 300)
	for axis, shape := range [][]int64{{6, 5, 300}, {6, 5, 300}, {6, 5, 300}} {
		c := ChannelsAlong(shape, axis)
		by := make([][]float32, c.Count)
		c.each(0, len(values), func(channel int64, i int) { by[channel] = append(by[channel], values[i]) })
		got, _, err := Spreads(opener(values), int64(len(values)), c)
		if err != nil {
			t.Fatal(err)
		}
		for i, own := range by {
			want, _, _ := Spreads(opener(own), int64(len(own)), OneChannel)
			if got[i] != want[0] {
				t.Errorf("channel %d along axis %d: %v, by itself %v", i, axis, got[i], want[0])
			}
		}
	}
}

func TestSpreadsOfExtremes(t *testing.T) {
	big := float32(3e38)
	got, wide, err := Spreads(opener([]float32{big, -big, big, big}), 4, OneChannel)
	if want := math.Sqrt(0.75) * float64(big); err != nil || !wide || math.Abs(float64(got[0].Deviation)-want) > 1e-6*want || got[0].Mean != big/2 {
		t.Errorf("numbers of %v: %v, %v, %v", big, got, wide, err)
	}
	if got, wide, err := Spreads(opener(nil), 0, Channels{3, 1}); len(got) != 3 || wide || err != nil {
		t.Errorf("nothing: %v, %v, %v", got, wide, err)
	}
	var notFinite *NotFiniteError
	if _, _, err := Spreads(opener([]float32{1, float32(math.NaN())}), 2, OneChannel); !errors.As(err, &notFinite) || notFinite.Index != 1 {
		t.Errorf("NaN: %v", err)
	}
	if _, _, err := Spreads(opener([]float32{1}), 2, OneChannel); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a number is missing: %v", err)
	}
}

func TestFloat8(t *testing.T) {
	numbers := formatF8E4M3FN.table()
	var finite []float32
	for _, x := range numbers {
		if x == x {
			finite = append(finite, float32(x))
		}
	}
	if s, _, err := Spreads(opener(finite), int64(len(finite)), OneChannel); err != nil || s[0].Deviation != DeviationF8E4M3FN {
		t.Errorf("the finite numbers deviate by %v, %v", s, err)
	}
	for _, tt := range []struct {
		s      Spread
		scale  float32
		offset bool
	}{
		{Spread{0, DeviationF8E4M3FN}, 1, false},
		{Spread{2, 1}, 1 / DeviationF8E4M3FN, false},
		{Spread{2.01, 1}, float32(math.Hypot(2.01, 1)) / DeviationF8E4M3FN, true},
		{Spread{-4, 3}, 3 / DeviationF8E4M3FN, false},
		{Spread{-4, 0}, 4 / DeviationF8E4M3FN, true},
		{Spread{0, 0}, 1, false},
		{Spread{0, 0x1p-126}, 1, false},
	} {
		if a, offset := tt.s.Float8(); a != (Affine{Scale: tt.scale}) || offset != tt.offset {
			t.Errorf("%v: %v, %v", tt.s, a, offset)
		}
	}
}

// TestQuantizeFloat8 compares with onnxruntime.quantization.quant_utils.quantize_data.
func TestQuantizeFloat8(t *testing.T) {
	values := drawn(20)
	for i := range values {
		values[i] *= 3
	}
	s, _, err := Spreads(opener(values), 20, OneChannel)
	if err != nil {
		t.Fatal(err)
	}
	by, _ := s[0].Float8()
	if by.Scale != 0x1.c0c4acp-7 {
		t.Errorf("scale %x", by.Scale)
	}
	var out bytes.Buffer
	if err := Quantize(&out, opener(values)(), 20, F8E4M3FN, OneChannel, []Affine{by}); err != nil {
		t.Fatal(err)
	}
	want := []byte{104, 235, 106, 243, 79, 201, 99, 230, 237, 230, 113, 241, 235, 104, 112, 117, 112, 216, 89, 102}
	if !slices.Equal(out.Bytes(), want) {
		t.Errorf("codes %v, the reference has %v", out.Bytes(), want)
	}
	by.Scale = 0.001 // so that 2 and more numbers are cut
	e, err := QuantizeError(opener(values)(), 20, F8E4M3FN, OneChannel, []Affine{by})
	cut := int64(0)
	for _, x := range values {
		if math.Abs(float64(x)) > 0.464 {
			cut++
		}
	}
	if err != nil || cut == 0 || e.Cut != cut || e.SNR() > 10 {
		t.Errorf("%+v, %v, expected %d to be cut", e, err, cut)
	}
	if err := Quantize(io.Discard, opener(values)(), 20, F8E4M3FN, OneChannel, []Affine{{1, 1}}); err == nil {
		t.Error("a zero point of 1 is taken")
	}
	if _, err := (AffineRule{Type: F8E4M3FN}).Affine(Range{-1, 1}); err == nil {
		t.Error("a range has a scale")
	}
}
