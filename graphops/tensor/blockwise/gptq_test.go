package blockwise

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"lathe/graphops/tensor"
)

// related returns rows of n numbers that depend on each other.
func related(random *rand.Rand, count, n int) []float64 {
	var out []float64
	for range count {
		last := 0.0
		for range n {
			last = 0.9*last + random.NormFloat64()
			out = append(out, last)
		}
	}
	return out
}

// TestCompensationInverts multiplies the Hessian with the inverse that the factor means.
func TestCompensationInverts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	for _, n := range []int{1, 2, 7, 70, 300} {
		x := related(random, 3*n, n)
		h := NewHessian(n)
		h.Add(x[:n])
		h.Add(x[n:])
		full := make([]float64, n*n)
		for i := range n {
			for j := range n {
				for r := range 3 * n {
					full[i*n+j] += x[r*n+i] * x[r*n+j]
				}
				if j >= i && math.Abs(full[i*n+j]-h.sum[i*n+j]) > 1e-9*math.Abs(full[i*n+j])+1e-9 {
					t.Fatalf("%d rows: sum %d, %d is %v, want %v", n, i, j, h.sum[i*n+j], full[i*n+j])
				}
			}
		}
		c, err := h.Compensation(0, false)
		if err != nil {
			t.Fatal(err)
		}
		u := func(i, j int) float64 {
			if j < i {
				return 0
			}
			return c.upper[i*n+j]
		}
		for _, i := range []int{0, n / 2, n - 1} { // a row of UᵀU, times H, is a row of the identity
			row := make([]float64, n)
			for j := range n {
				for k := range min(i, j) + 1 {
					row[j] += u(k, i) * u(k, j)
				}
			}
			for j := range n {
				got, want := 0.0, 0.0
				for k := range n {
					got += row[k] * full[k*n+j]
				}
				if i == j {
					want = 1
				}
				if math.Abs(got-want) > 1e-6 {
					t.Fatalf("%d rows: element %d, %d of the product is %v, want %v", n, i, j, got, want)
				}
			}
		}
	}
}

// TestCompensate compares the errors of products with those of round to nearest, in one strip and in
// several, and what is measured with what is written.
func TestCompensate(t *testing.T) {
	tile := tileElements
	t.Cleanup(func() { tileElements = tile })
	random := rand.New(rand.NewPCG(4, 9))
	const rows, cols, count = 100, 70, 400
	x := related(random, count, rows)
	numbers := make([]float32, rows*cols)
	for i := range numbers {
		numbers[i] = float32(random.NormFloat64())
	}
	for _, ordered := range []bool{false, true} {
		for _, rule := range []Rule{{tensor.F32, 4, 32, true}, {tensor.F32, 4, 16, false}, {tensor.F32, 2, 32, false}, {tensor.F32, 8, 256, true}} {
			m := Matrix{Rule: rule, Rows: rows, Cols: cols, Data: bytes.NewReader(floats(numbers...))}
			results := map[string]bool{}
			var ours float64
			for _, tileElements = range []int64{1 << 20, 20 * rows} {
				h := NewHessian(rows)
				h.Add(x)
				by, err := h.Compensation(0.01, ordered)
				if err != nil {
					t.Fatal(err)
				}
				var read int64
				done, err := m.Compensate(context.Background(), by, func(n int64) { read = n })
				if err != nil || read != 4*rows*cols {
					t.Fatalf("read %d bytes, %v", read, err)
				}
				results[hex.EncodeToString(done.Codes)+hex.EncodeToString(done.Scales)+hex.EncodeToString(done.ZeroPoints)] = true
				ours = productError(m, x, numbers, done.Codes, done.Scales, done.ZeroPoints)
				if int64(len(done.Codes)) != m.Len(Codes) || int64(len(done.Scales)) != m.Len(Scales) || int64(len(done.ZeroPoints)) != m.Len(ZeroPoints) {
					t.Errorf("%+v: parts of other sizes", rule)
				}
			}
			if len(results) != 1 {
				t.Errorf("%+v: the result depends on the size of strips", rule)
			}
			bytesOf := func(p Part) []byte { b, _ := hex.DecodeString(written(t, m, p)); return b }
			if nearest := productError(m, x, numbers, bytesOf(Codes), bytesOf(Scales), bytesOf(ZeroPoints)); ours > nearest/2 {
				t.Errorf("%+v, ordered %t: error %v, round to nearest %v", rule, ordered, ours, nearest)
			}
		}
	}
}

// productError returns the square error of a product, relative to the product.
func productError(m Matrix, x []float64, numbers []float32, codes, scales, zeros []byte) float64 {
	var noise, signal float64
	lost := make([]float64, len(numbers)) // rows of columns
	scale := make([]float32, len(scales)/4)
	decode(scale, scales, tensor.F32)
	for c := range m.Cols {
		for r := range m.Rows {
			block := r / m.Size
			zero := int(m.middle())
			if len(zeros) > 0 {
				zero = int(unpacked(zeros[c*m.ZeroBytes():], block, m.Bits))
			}
			at := (c*m.Blocks() + block) * m.BlockBytes()
			code := int(unpacked(codes[at:], r%m.Size, m.Bits))
			lost[r*m.Cols+c] = float64(numbers[r*m.Cols+c]) - float64(scale[c*m.Blocks()+block])*float64(code-zero)
		}
	}
	for row := 0; row < len(x); row += int(m.Rows) {
		for c := range int(m.Cols) {
			var d, y float64
			for r := range int(m.Rows) {
				d += x[row+r] * lost[r*int(m.Cols)+c]
				y += x[row+r] * float64(numbers[r*int(m.Cols)+c])
			}
			noise, signal = noise+d*d, signal+y*y
		}
	}
	return noise / signal
}

// TestCompensateDead has rows that were multiplied with 0 only: their numbers stay, as far as the range
// of the others allows.
func TestCompensateDead(t *testing.T) {
	numbers := make([]float32, 32)
	for i := range numbers {
		numbers[i] = float32(i%16) / 16
	}
	numbers[3], numbers[5] = 100, -0.5
	h := NewHessian(32)
	x := make([]float64, 32)
	for i := range x {
		if x[i] = 1 + float64(i%3); i == 3 || i == 5 || i >= 16 {
			x[i] = 0 // the second block was never used
		}
	}
	h.Add(x)
	by, err := h.Compensation(0.01, false)
	if err != nil || !by.HasDead() {
		t.Fatal(err)
	}
	m := Matrix{Rule: Rule{tensor.F32, 4, 16, true}, Rows: 32, Cols: 1, Data: bytes.NewReader(floats(numbers...))}
	done, err := m.Compensate(context.Background(), by, nil)
	if err != nil {
		t.Fatal(err)
	}
	scale := make([]float32, 2)
	decode(scale, done.Scales, tensor.F32)
	if abs(scale[0]) > 0.2 || abs(scale[1]) < 0.1 || done.Codes[1]>>4 != 0 {
		t.Errorf("scales %v, code %d of the number outside of the range", scale, done.Codes[1]>>4)
	}
}

func TestCompensateErrors(t *testing.T) {
	h := NewHessian(2)
	h.Add([]float64{1, 1, 2, 2})
	if _, err := h.Clone().Compensation(0, false); err == nil || !strings.Contains(err.Error(), "a larger damping") {
		t.Errorf("rows that depend on each other: %v", err)
	}
	by, err := h.Compensation(0.01, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (Matrix{Rule: Rule{tensor.F32, 4, 16, true}, Rows: 3, Cols: 1}).Compensate(context.Background(), by, nil); err == nil {
		t.Error("data of other rows is accepted")
	}
	nan := Matrix{Rule: Rule{tensor.F32, 4, 16, true}, Rows: 2, Cols: 1, Data: bytes.NewReader(floats(1, float32(math.NaN())))}
	var found *tensor.NotFiniteError
	if _, err := nan.Compensate(context.Background(), by, nil); !errors.As(err, &found) {
		t.Errorf("NaN: %v", err)
	}
	bad := NewHessian(2)
	bad.Add([]float64{1, math.Inf(1)})
	if bad.Check() == nil {
		t.Error("an infinity is accepted")
	}
}
