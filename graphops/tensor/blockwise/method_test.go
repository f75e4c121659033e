package blockwise

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"lathe/graphops/tensor"
)

// TestMethods has what the reference makes of one column.
func TestMethods(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		method               Method
		numbers              []float32
		bits                 int
		codes, scales, zeros string
	}{
		{"k-quant, 4 bits", KQuant, sixteen, 4, "17c6453e9852650a", "29cd683e", "85"},
		{"k-quant, 8 bits", KQuant, sixteen, 8, "891476d76258fe3b9db0276a5a79c400", "25df513c", "62"},
		{"k-quant, K not a multiple", KQuant, nineteen, 4, "17c6453e9852650a0f57555555555555", "29cd683e9a99993e", "55"},
		{"k-quant, 2 bits", KQuant, nineteen, 2, "d2354a2553555555", "9b3c7f3f6e09be3f", "a5"},
		{"HQQ, 4 bits", HQQ, sixteen, 4, "18d7563fa962750b", "dedd5d3e", "ecc4b340"},
		{"HQQ, K not a multiple", HQQ, nineteen, 4, "18d7563fa962750b0f57555555555555", "dedd5d3e9a99993e", "ecc4b3400000a040"},
		{"HQQ, 8 bits", HQQ, nineteen, 8, "891476d86258ff3b9db1276a5a7ac400ff007755555555555555555555555555", "d1d0503c9090903c", "3b41c4420000aa42"},
		{"HQQ, 2 bits", HQQ, nineteen, 2, "91754a2553555555", "aaaa8a3f0000c03f", "74e47c3fd0af7e3f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := Matrix{Rule: Rule{tensor.F32, tt.bits, 16, false}, Rows: int64(len(tt.numbers)), Cols: 1, Method: tt.method, Data: bytes.NewReader(floats(tt.numbers...))}
			for part, want := range []string{tt.codes, tt.scales, tt.zeros} {
				if got := written(t, m, Part(part)); got != want {
					t.Errorf("part %d is %s, want %s", part, got, want)
				}
			}
		})
	}
}

// TestMethodPanels reads matrices in many panels and tiles, by rows and by columns, with what is known
// about them and without.
func TestMethodPanels(t *testing.T) {
	panel, tile := panelBytes, tileElements
	t.Cleanup(func() { panelBytes, tileElements = panel, tile })
	panelBytes, tileElements = 5000, 3000
	random := rand.New(rand.NewPCG(2, 1))
	for _, c := range []struct{ rows, cols, size int64 }{{300, 50, 32}, {900, 20, 256}, {33, 101, 16}, {1, 3, 16}, {128, 70, 128}} {
		list := make([]float32, c.rows*c.cols)
		turned := make([]float32, len(list))
		for i := range list {
			list[i] = float32(random.NormFloat64())
			turned[int64(i)%c.cols*c.rows+int64(i)/c.cols] = list[i]
		}
		for _, method := range []Method{KQuant, HQQ} {
			a := Matrix{Rule: Rule{tensor.F32, 4, c.size, false}, Rows: c.rows, Cols: c.cols, Method: method, Data: bytes.NewReader(floats(list...))}
			b := a
			b.Turned, b.Data = true, bytes.NewReader(floats(turned...))
			var last, total int64
			m, err := a.Measure(context.Background(), true, func(read int64) { last = read })
			if total = 4 * c.rows * c.cols; err != nil || last != total {
				t.Fatalf("%v: read %d of %d bytes, %v", c, last, total, err)
			}
			known := a
			known.Fits, known.Iterations = m.Fits, m.Iterations
			for _, part := range []Part{Codes, Scales, ZeroPoints} {
				want := written(t, a, part)
				if written(t, b, part) != want {
					t.Errorf("%v, method %d, part %d: rows and columns of the same matrix differ", c, method, part)
				}
				if written(t, known, part) != want {
					t.Errorf("%v, method %d, part %d: another result from what was measured", c, method, part)
				}
			}
			if hex.EncodeToString(m.Scales) != written(t, a, Scales) || hex.EncodeToString(m.ZeroPoints) != written(t, a, ZeroPoints) {
				t.Errorf("%v, method %d: measured other parts than written", c, method)
			}
		}
	}
}

// TestMethodErrorsOfNumbers compares the errors with those of round to nearest. k-quant makes those of
// large numbers smaller, at the cost of others.
func TestMethodErrorsOfNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	list := make([]float32, 64*64)
	for i := range list {
		list[i] = float32(random.NormFloat64() * 0.05)
	}
	m := Matrix{Rule: Rule{tensor.F32, 4, 32, false}, Rows: 64, Cols: 64, Data: bytes.NewReader(floats(list...))}
	snr := map[Method]float64{}
	for _, m.Method = range []Method{Nearest, KQuant, HQQ} {
		got, err := m.Measure(context.Background(), false, nil)
		if err != nil {
			t.Fatal(err)
		}
		snr[m.Method] = got.Error.SNR()
	}
	if snr[KQuant] < snr[Nearest]-0.5 || snr[HQQ] < snr[Nearest]+0.3 {
		t.Errorf("SNR %v", snr)
	}
}

// TestMethodErrors has blocks for which a method finds no finite scale or zero point, and rules that it
// does not have.
func TestMethodErrors(t *testing.T) {
	var found *RangeError
	wide := Matrix{Rule: Rule{tensor.F32, 4, 16, false}, Rows: 2, Cols: 1, Method: HQQ, Data: bytes.NewReader(floats(3e38, -3e38))}
	if _, err := wide.Measure(context.Background(), true, nil); !errors.As(err, &found) {
		t.Errorf("a range that overflows: %v", err)
	}
	far := Matrix{Rule: Rule{tensor.F16, 8, 16, false}, Rows: 16, Cols: 1, Method: HQQ, Data: bytes.NewReader(halves(slices.Repeat([]float32{60000, 60032}, 8)...))}
	if _, err := far.Measure(context.Background(), true, nil); !errors.As(err, &found) {
		t.Errorf("a zero point that float16 cannot represent: %v", err)
	}
	for _, m := range []Matrix{
		{Rule: Rule{tensor.F32, 4, 16, true}, Method: KQuant},
		{Rule: Rule{tensor.F32, 4, 512, false}, Method: HQQ},
	} {
		m.Rows, m.Cols = 1, 1
		if _, err := m.Measure(context.Background(), true, nil); err == nil {
			t.Errorf("%+v is accepted", m.Rule)
		}
	}
}

// FuzzPack packs integers in each layout and reads them back. Each block has the smallest and the largest
// integer, so that its scale is 1 and its zero point 0.
func FuzzPack(f *testing.F) {
	f.Add([]byte{1, 2, 3, 250, 17}, uint8(0), uint8(1))
	f.Add([]byte{255, 0, 255}, uint8(1), uint8(3))
	f.Add([]byte{7}, uint8(2), uint8(2))
	f.Fuzz(func(t *testing.T, seed []byte, which, columns uint8) {
		bits, cols := []int{2, 4, 8}[which%3], int64(columns%5)+1
		if len(seed) == 0 || len(seed) > 1000 {
			return
		}
		rows, full := int64(len(seed)), byte(1<<bits-1)
		list := make([]float32, rows*cols)
		code := func(row, col int64) byte {
			switch block := row % 16; {
			case row/16 == rows/16 && rows%16 < 2, block == 0:
				return 0 // a block of one number
			case block == 1:
				return full
			}
			return seed[(row+col)%rows] & full
		}
		for i := range list {
			list[i] = float32(code(int64(i)/cols, int64(i)%cols))
		}
		m := Matrix{Rule: Rule{tensor.F32, bits, 16, false}, Rows: rows, Cols: cols, Data: bytes.NewReader(floats(list...))}
		for _, known := range []bool{false, true} {
			if known { // the codes of a method are packed elsewhere
				m.Method, m.Fits = KQuant, slices.Repeat([]Fit{{factor: 1}}, int(m.Blocks()*cols))
			}
			var out bytes.Buffer
			if err := m.Write(context.Background(), &out, Codes); err != nil {
				t.Fatal(err)
			}
			for i := range rows * cols {
				row, col := i/cols, i%cols
				at := (col*m.Blocks() + row/16) * m.BlockBytes()
				if got := unpacked(out.Bytes()[at:], row%16, bits); got != code(row, col) {
					t.Fatalf("%d bits, row %d, column %d: %d, want %d", bits, row, col, got, code(row, col))
				}
			}
		}
		var out bytes.Buffer
		if err := (Strips{Rule: m.Rule, Outer: 1, Length: rows, Inner: cols, Data: m.Data}).Write(context.Background(), &out, Codes); err != nil {
			t.Fatal(err)
		}
		for i := range rows * cols {
			if got := unpacked(out.Bytes(), i, bits); got != code(i/cols, i%cols) {
				t.Fatalf("%d bits, strips, element %d: %d, want %d", bits, i, got, code(i/cols, i%cols))
			}
		}
	})
}

// unpacked returns an integer of packed ones.
func unpacked(packed []byte, i int64, bits int) byte {
	return packed[i*int64(bits)/8] >> (i * int64(bits) % 8) & byte(1<<bits-1)
}
