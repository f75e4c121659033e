package blockwise

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"lathe/graphops/tensor"
)

func floats(list ...float32) []byte {
	var b []byte
	for _, x := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func halves(list ...float32) []byte {
	var b []byte
	for _, x := range list {
		b = binary.LittleEndian.AppendUint16(b, toHalf(float32(tensor.F16.Round(float64(x)))))
	}
	return b
}

func written(t *testing.T, w Weight, part Part) string {
	t.Helper()
	var out bytes.Buffer
	if err := w.Write(context.Background(), &out, part); err != nil {
		t.Fatal(err)
	}
	if int64(out.Len()) != w.Len(part) {
		t.Errorf("part %d has %d bytes, and says %d", part, out.Len(), w.Len(part))
	}
	return hex.EncodeToString(out.Bytes())
}

// sixteen are the numbers of a block, and nineteen those of a block and a part of one. The reference made
// the bytes below from them.
var (
	sixteen  = []float32{0.5, -1, 0.25, 1.5, 0, -0.125, 2, -0.5, 0.75, 1, -0.75, 0.1, -0.1, 0.3, 1.25, -1.25}
	nineteen = append(append([]float32{}, sixteen...), 3, -1.5, 0.6)
)

func TestMatrix(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		numbers              []float32
		bits                 int
		symmetric            bool
		codes, scales, zeros string
	}{
		{"4 bits", sixteen, 4, false, "18d7564fb963760c", hex.EncodeToString(floats(3.25 / 15)), "86"},
		{"4 bits, symmetric", sixteen, 4, true, "c62798a0458b78d3", hex.EncodeToString(floats(-0.25)), ""},
		{"8 bits", sixteen, 8, false, "891476d86258ff3b9db0276a5a7ac400", hex.EncodeToString(floats(3.25 / 255)), "62"},
		{"8 bits, symmetric", sixteen, 8, true, "60c0702080880 0a05040b07a866d30d0", hex.EncodeToString(floats(-2.0 / 128)), ""},
		{"4 bits, K not a multiple", nineteen, 4, false, "18d7564fb963760c0f07000000000000", hex.EncodeToString(floats(3.25/15, 0.3)), "56"},
		{"4 bits, symmetric, with a left-over", nineteen, 4, true, "c62798a0458b78d3c0c6000000000000", hex.EncodeToString(floats(-0.25, -0.375)), ""},
		{"zeros", make([]float32, 16), 4, false, "0000000000000000", "00000000", "80"},
		{"zeros, symmetric", make([]float32, 16), 4, true, "8888888888888888", "00000080", ""},
		{"zeros in 2 bits", make([]float32, 17), 2, false, "0000000000000000", "0000000000000000", "a0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := Matrix{Rule: Rule{tensor.F32, tt.bits, 16, tt.symmetric}, Rows: int64(len(tt.numbers)), Cols: 1, Data: bytes.NewReader(floats(tt.numbers...))}
			for part, want := range []string{without(tt.codes), tt.scales, tt.zeros} {
				if got := written(t, m, Part(part)); got != want {
					t.Errorf("part %d is %s, want %s", part, got, want)
				}
			}
		})
	}
}

func without(s string) string { return string(bytes.ReplaceAll([]byte(s), []byte(" "), nil)) }

// TestStrips has what the reference makes of small matrices and tables.
func TestStrips(t *testing.T) {
	matrix := []float32{.5, -1, 2, .25, -.75, 1.5, 1, -.3}
	table := make([]float32, 32)
	for i := range table {
		table[i] = -1 + float32(i)*float32(2.0/31)
	}
	for _, tt := range []struct {
		name         string
		strips       Strips
		numbers      []float32
		codes, zeros string
	}{
		{"matrix", Strips{Rule: Rule{tensor.F32, 4, 2, false}, Outer: 1, Length: 4, Inner: 2}, matrix, "04fff00f", "c036"},
		{"matrix, symmetric", Strips{Rule: Rule{tensor.F32, 4, 2, true}, Outer: 1, Length: 4, Inner: 2, Signed: true}, matrix, "8e288628", ""},
		{"table", Strips{Rule: Rule{tensor.F32, 4, 16, false}, Outer: 2, Length: 16, Inner: 1, Table: true}, table, "1032547698badcfe1032547698badcfe", "0f"},
		{"table, symmetric", Strips{Rule: Rule{tensor.F32, 4, 16, true}, Outer: 2, Length: 16, Inner: 1, Table: true, Signed: true}, table, "98a9bacbdcedfe0ff0efdecdbcab9a89", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.strips.Data = bytes.NewReader(floats(tt.numbers...))
			if got := written(t, tt.strips, Codes); got != tt.codes {
				t.Errorf("codes %s, want %s", got, tt.codes)
			}
			if got := written(t, tt.strips, ZeroPoints); got != tt.zeros {
				t.Errorf("zero points %s, want %s", got, tt.zeros)
			}
		})
	}
}

// TestPanels compares matrices that need many panels and tiles with the same columns one by one.
func TestPanels(t *testing.T) {
	panel, tile := panelBytes, tileElements
	t.Cleanup(func() { panelBytes, tileElements = panel, tile })
	panelBytes, tileElements = 5000, 3000
	random := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ rows, cols, size int64 }{{300, 50, 32}, {7000, 20, 256}, {33, 401, 16}, {1, 3, 16}, {500, 30, 128}} {
		list := make([]float32, c.rows*c.cols)
		turned := make([]float32, len(list))
		for i := range list {
			list[i] = float32(random.NormFloat64())
			turned[int64(i)%c.cols*c.rows+int64(i)/c.cols] = list[i]
		}
		for _, bits := range []int{2, 4, 8} {
			rule := Rule{tensor.F32, bits, c.size, bits == 2}
			a := Matrix{Rule: rule, Rows: c.rows, Cols: c.cols, Data: bytes.NewReader(floats(list...))}
			b := Matrix{Rule: rule, Rows: c.rows, Cols: c.cols, Turned: true, Data: bytes.NewReader(floats(turned...))}
			one := Matrix{Rule: rule, Rows: c.rows, Cols: 1, Turned: true, Data: bytes.NewReader(floats(turned[(c.cols-1)*c.rows:]...))}
			for _, part := range []Part{Codes, Scales, ZeroPoints} {
				got, want := written(t, a, part), written(t, b, part)
				if got != want {
					t.Errorf("%v, %d bits, part %d: rows and columns of the same matrix differ", c, bits, part)
				}
				if last := written(t, one, part); got[len(got)-len(last):] != last {
					t.Errorf("%v, %d bits, part %d: the last column differs from the same column alone", c, bits, part)
				}
			}
			m, err := a.Measure(context.Background(), true, nil)
			if err != nil || hex.EncodeToString(m.Scales) != written(t, a, Scales) || hex.EncodeToString(m.ZeroPoints) != written(t, a, ZeroPoints) {
				t.Errorf("%v, %d bits: measured other parts than written: %v", c, bits, err)
			}
		}
	}
}

// TestMeasure compares the sums with those of the dequantized numbers.
func TestMeasure(t *testing.T) {
	m := Matrix{Rule: Rule{tensor.F32, 4, 16, true}, Rows: 16, Cols: 1, Data: bytes.NewReader(floats(sixteen...))}
	got, err := m.Measure(context.Background(), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	var noise, signal, most float64
	for i, q := range []float64{6, 12, 7, 2, 8, 9, 0, 10, 5, 4, 11, 8, 8, 7, 3, 13} {
		d := float64(sixteen[i]) - (q-8)*-0.25
		noise, signal, most = noise+d*d, signal+float64(sixteen[i])*float64(sixteen[i]), max(most, math.Abs(d))
	}
	if math.Abs(got.Error.Noise-noise) > 1e-12 || math.Abs(got.Error.Signal-signal) > 1e-12 || got.Error.MaxAbs != most {
		t.Errorf("measured %+v, want noise %v, signal %v, largest %v", got.Error, noise, signal, most)
	}
	if got.Low != -1.75 || got.High != 2 {
		t.Errorf("from %v to %v, want -1.75 to 2", got.Low, got.High)
	}
}

func TestHalf(t *testing.T) {
	for code := range 1 << 16 {
		x := ofHalf(uint16(code))
		if math.IsNaN(float64(x)) {
			continue
		}
		if back := toHalf(x); back != uint16(code) {
			t.Fatalf("%#x is %v, which becomes %#x", code, x, back)
		}
		if got := tensor.F16.Round(float64(x)); isFinite(x) && got != float64(x) {
			t.Fatalf("%#x is %v, which is not a float16", code, x)
		}
	}
}

// TestNotFinite has numbers that no scale can represent.
func TestNotFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, list := range [][]float32{{1, nan, 2}, {1, 2, inf}, {-inf, 0, 0}} {
		for _, w := range []Weight{
			Matrix{Rule: Rule{tensor.F32, 4, 16, true}, Rows: 3, Cols: 1, Data: bytes.NewReader(floats(list...))},
			Matrix{Rule: Rule{tensor.F16, 4, 16, true}, Rows: 3, Cols: 1, Turned: true, Data: bytes.NewReader(halves(list...))},
			Strips{Rule: Rule{tensor.F32, 4, 16, false}, Outer: 1, Length: 3, Inner: 1, Data: bytes.NewReader(floats(list...))},
		} {
			_, err := w.Measure(context.Background(), true, nil)
			var found *tensor.NotFiniteError
			if !errors.As(err, &found) || isFinite(list[found.Index]) {
				t.Errorf("%v: %v", list, err)
			}
		}
	}
	wide := Matrix{Rule: Rule{tensor.F32, 8, 16, false}, Rows: 2, Cols: 1, Data: bytes.NewReader(floats(3e38, -3e38))}
	var found *RangeError
	if _, err := wide.Measure(context.Background(), true, nil); !errors.As(err, &found) {
		t.Errorf("a range that overflows: %v", err)
	}
}

// TestShort has data that ends too early, and rules that are not possible.
func TestShort(t *testing.T) {
	short := Matrix{Rule: Rule{tensor.F32, 4, 16, true}, Rows: 16, Cols: 2, Data: bytes.NewReader(floats(sixteen...))}
	if err := short.Write(context.Background(), &bytes.Buffer{}, Codes); err == nil {
		t.Error("half of the data is accepted")
	}
	for _, r := range []Rule{{tensor.I8, 4, 16, true}, {tensor.F32, 3, 16, true}, {tensor.F32, 4, 0, true}} {
		if _, err := (Matrix{Rule: r, Rows: 1, Cols: 1}).Measure(context.Background(), true, nil); err == nil {
			t.Errorf("%+v is accepted", r)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := (Matrix{Rule: Rule{tensor.F32, 4, 16, true}, Rows: 16, Cols: 1, Data: bytes.NewReader(floats(sixteen...))}).Write(ctx, &bytes.Buffer{}, Codes); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
