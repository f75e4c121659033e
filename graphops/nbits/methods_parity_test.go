//go:build parity

package nbits

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops"
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
