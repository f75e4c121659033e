//go:build parity

package nbits

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// methodOptions returns the options of a method that are compared.
func methodOptions(m Method, sizes ...int64) []Options {
	var out []Options
	for _, size := range sizes {
		for _, bits := range []int{2, 4, 8} {
			out = append(out, Options{Method: m, Bits: bits, BlockSize: size, AccuracyLevel: bits % 8, TableAxis: 1})
		}
	}
	return out
}

// TestParityOfKQuant compares k-quant with the reference, bit for bit.
func TestParityOfKQuant(t *testing.T) {
	q := startQuantizer(t)
	dir := t.TempDir()
	found := outcomes{}
	for _, m := range generated(t, dir) {
		for _, o := range methodOptions(KQuant, 16, 32, 64, 128, 256) {
			found[compare(t, q, m, dir, o)]++
		}
	}
	t.Log(found)
	if found["equal"] < 120 {
		t.Errorf("%d results are equal, expected at least 120", found["equal"])
	}
}

// TestParityOfHQQ compares HQQ with the reference. PyTorch computes powers with errors in the last bit,
// and adds up the errors of all numbers in an order of its own, so that the loop may end elsewhere.
func TestParityOfHQQ(t *testing.T) {
	if os.Getenv("LATHE_PARITY_TORCH") == "" {
		t.Skip("LATHE_PARITY_TORCH names no Python with PyTorch; run `make torch`, then `make parity`")
	}
	q := startQuantizer(t)
	dir := t.TempDir()
	var codes, differ, results, equal int
	for _, m := range generated(t, dir) {
		for _, o := range methodOptions(HQQ, 16, 32, 64, 128, 256) {
			o.AccuracyLevel = 0
			ours, theirs := filepath.Join(dir, "a.onnx"), filepath.Join(dir, "b.onnx")
			result, report, err := Quantize(context.Background(), m, o, nil)
			a := q.ask(t, request{Model: m.Path(), Out: theirs, Options: &o})
			switch {
			case errors.Is(err, quant.ErrNothing): // a range or a zero point that is not finite
				continue
			case err != nil || a.Error != nil:
				t.Errorf("%s %+v: %v, %v", m.Path(), o, err, a.Error)
				continue
			}
			if _, err := graphops.Save(context.Background(), result, ours, graphops.SaveOptions{WriteOptions: graphops.WriteOptions{Overwrite: true}}); err != nil {
				t.Fatal(err)
			}
			if l := q.ask(t, request{Model: ours, Load: true}); l.Error != nil {
				t.Errorf("%s %+v: the result does not load: %s", m.Path(), o, *l.Error)
			}
			results++
			if difference(t, opened(t, ours), opened(t, theirs), true) == "" {
				equal++
				continue
			}
			n, all := differentCodes(t, opened(t, ours), opened(t, theirs), o.Bits)
			codes, differ = codes+all, differ+n
			if n > 0 {
				t.Logf("%s %d bits, blocks of %d: %d of %d codes differ, SNR %.3f", filepath.Base(m.Path()), o.Bits, o.BlockSize, n, all, report.Weights[0].Error.SNR())
			}
		}
	}
	t.Logf("%d of %d results are equal; in the others, %d of %d codes differ", equal, results, differ, codes)
	if equal < results*9/10 || differ > codes/10000 {
		t.Error("expected 9 of 10 results to be equal, and 9999 of 10000 codes in the others")
	}
}

// TestParityOfGPTQ compares the errors of products with those of the reference and of the algorithm in
// the paper. The inputs are correlated, and some are much larger than others.
func TestParityOfGPTQ(t *testing.T) {
	q := startQuantizer(t)
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(5, 5))
	for _, c := range []struct{ rows, cols, count int }{{64, 24, 300}, {128, 32, 200}, {96, 17, 60}, {256, 40, 1000}} {
		path, data := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "x.bin")
		text := fmt.Sprintf("opset com.microsoft 1\ninput x f32[n,%d]\noutput y f32[n,%d]\ninit w f32[%[1]d,%[2]d]", c.rows, c.cols)
		for range c.rows * c.cols {
			text += fmt.Sprint(" ", float32(random.NormFloat64()*0.1))
		}
		if err := os.WriteFile(path, graphtest.Bytes(t, text+"\nfc: y = MatMul(x, w)"), 0o600); err != nil {
			t.Fatal(err)
		}
		x := correlated(random, c.count, c.rows, c.rows < 100)
		var raw []byte
		for _, v := range x {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
		}
		if err := os.WriteFile(data, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		m := opened(t, path)
		for _, o := range []Options{
			{Symmetric: true}, {}, {LargestFirst: true}, {Symmetric: true, LargestFirst: true, Damping: 0.1}, {BlockSize: 16}, {Bits: 8}, {Bits: 2},
		} {
			o.Method, o.Damping = GPTQ, max(o.Damping, DefaultDamping)
			if o.Bits == 0 {
				o.Bits = 4
			}
			if o.BlockSize == 0 {
				o.BlockSize = 32
			}
			compareGPTQ(t, q, m, x, o, path, data, dir)
		}
	}
}

func compareGPTQ(t *testing.T, q *quantizer, m *graphops.Model, x []float64, o Options, path, data, dir string) {
	t.Helper()
	files := []string{filepath.Join(dir, "nearest.onnx"), filepath.Join(dir, "ours.onnx"), filepath.Join(dir, "theirs.onnx")}
	nearest := o
	nearest.Method = Nearest
	for i, o := range []Options{nearest, o} {
		result, _, err := QuantizeOn(context.Background(), m, o, func(_ context.Context, m *graphops.Model, values []string, yield func(string, int64, []float64) error) error {
			if len(values) != 1 || values[0] != "x" {
				t.Errorf("asked for %q", values)
			}
			rows := m.Graph().Initializers()[0].Dims()[0]
			return errors.Join(yield("x", rows, x[:9*rows]), yield("x", rows, x[9*rows:]))
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := graphops.Save(context.Background(), result, files[i], graphops.SaveOptions{WriteOptions: graphops.WriteOptions{Overwrite: true}}); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Remove(files[2])
	if os.Getenv("LATHE_PARITY_TORCH") == "" || o.Bits != 4 { // it has no other number
		files = files[:2]
	} else if a := q.ask(t, request{Model: path, Out: files[2], Options: &o, Data: data}); a.Error != nil {
		t.Logf("the reference: %s", *a.Error)
		files = files[:2]
	}
	a := q.ask(t, request{Model: path, Others: files, Options: &o, Data: data})
	if a.Error != nil {
		t.Fatal(*a.Error)
	}
	rtn, ours, paper, theirs := *a.Difference[0], *a.Difference[1], *a.Difference[len(files)], math.NaN()
	if len(files) > 2 {
		theirs = *a.Difference[2]
	}
	repaired := math.NaN() // only where its scales are sound
	if len(a.Difference) > len(files)+1 {
		repaired = *a.Difference[len(files)+1]
	}
	db := func(x float64) float64 { return -10 * math.Log10(x) }
	t.Logf("%d rows, %d bits, blocks of %d, symmetric %t, largest first %t: rtn %.2f dB, here %.3f, paper %.3f, reference repaired %.3f, reference %.2f",
		m.Graph().Initializers()[0].Dims()[0], o.Bits, o.BlockSize, o.Symmetric, o.LargestFirst, db(rtn), db(ours), db(paper), db(repaired), db(theirs))
	if math.Abs(ours/paper-1) > 0.01 || math.Abs(ours/repaired-1) > 0.01 || ours > theirs || ours > rtn {
		t.Error("expected the error of the paper and of the repaired reference within 1 %, and not more than that of the reference or of round to nearest")
	}
}

// correlated returns rows of numbers that depend on each other. If dead is set, some are always 0.
func correlated(random *rand.Rand, count, rows int, dead bool) []float64 {
	out := make([]float64, 0, count*rows)
	for range count {
		last := 0.0
		for i := range rows {
			last = 0.9*last + random.NormFloat64()
			x := last
			switch {
			case dead && i%13 == 5:
				x = 0
			case i%11 == 3:
				x *= 10
			}
			out = append(out, float64(float32(x)))
		}
	}
	return out
}

// differentCodes returns how many codes of two results differ, of how many. It expects equal scales, and
// zero points that are close.
func differentCodes(t *testing.T, a, b *graphops.Model, bits int) (differ, all int) {
	t.Helper()
	for _, x := range a.Graph().Initializers() {
		var y *graphops.Tensor
		for _, other := range b.Graph().Initializers() {
			if other.Name() == x.Name() {
				y = other
			}
		}
		if y == nil || x.DType() != y.DType() {
			t.Errorf("the reference has no %s", x.Name())
			continue
		}
		p, q := bytesOf(t, x), bytesOf(t, y)
		switch {
		case x.DType() == tensor.U8:
			for i := range p {
				for shift := 0; shift < 8; shift += bits {
					all++
					if (p[i]^q[i])>>shift&(1<<bits-1) != 0 {
						differ++
					}
				}
			}
		case x.Name() == "w_scales" && !bytes.Equal(p, q):
			t.Errorf("scales differ")
		case x.Name() == "w_zero_points" && x.DType() == tensor.F32:
			for i := 0; i < len(p); i += 4 {
				u, v := floatAt(p, i), floatAt(q, i)
				if math.Abs(u-v) > 1e-5*max(1, math.Abs(v)) {
					t.Errorf("zero point %d is %v, expected %v", i/4, u, v)
					break
				}
			}
		}
	}
	return differ, all
}

func floatAt(b []byte, i int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[i:])))
}

func bytesOf(t *testing.T, x *graphops.Tensor) []byte {
	t.Helper()
	data, err := x.Data()
	if err != nil {
		t.Fatal(err)
	}
	b, err := data.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
