package simplify

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

// streamedModel writes a convolution of side channels between two multiplications, with
// weights that lie in a file of their own, and opens it.
func streamedModel(t testing.TB, side int64, weights func(f *os.File) error) *graphops.Model {
	t.Helper()
	dir := t.TempDir()
	p := graphtest.Proto(t, fmt.Sprintf(`
		input x f32[1,%[1]d,2,2]
		init w f32[1,1,1,1]
		init a f32[%[1]d,1,1] 2 3 4
		init b f32[%[1]d,1,1] 0.5 0.25
		init one f32[%[1]d] 1
		u = Mul(x, a)
		v = Conv(u, w)
		n = BatchNormalization(v, one, one, one, one)
		y = Mul(n, b)
		output y f32[1,%[1]d,2,2]`, side))
	w := p.Graph.Initializer[0]
	w.Dims, w.RawData, w.FloatData = []int64{side, side, 1, 1}, nil, nil
	w.DataLocation = onnxpb.TensorProto_EXTERNAL.Enum()
	for _, e := range [][2]string{{"location", "weights.bin"}, {"length", fmt.Sprint(4 * side * side)}} {
		w.ExternalData = append(w.ExternalData, &onnxpb.StringStringEntryProto{Key: &e[0], Value: &e[1]})
	}
	text, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, "weights.bin"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "m.onnx")
	if err := errors.Join(weights(f), f.Close(), os.WriteFile(path, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestProductMemory folds factors on both sides into weights of 49 MB and saves them.
// They may not be held, though the second factors are of a constant that is computed.
func TestProductMemory(t *testing.T) {
	const side = 3500
	m := streamedModel(t, side, func(f *os.File) error { return f.Truncate(4 * side * side) })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, r, err := Simplify(t.Context(), m, Options{MaxGrowth: DefaultMaxGrowth})
	if err != nil {
		t.Fatal(err)
	}
	if r.After.Nodes != 1 {
		t.Errorf("%d nodes stay: %s", r.After.Nodes, reasons(r))
	}
	if _, err := graphops.Save(t.Context(), out, filepath.Join(t.TempDir(), "s.onnx"), graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 20<<20 {
		t.Errorf("%d bytes were allocated", allocated)
	}
}

// TestProductStreamed compares folded weights with what the definition gives.
func TestProductStreamed(t *testing.T) {
	const side = 300
	list := make([]float32, side*side)
	for i := range list {
		list[i] = float32(math.Sin(float64(i)))
	}
	m := streamedModel(t, side, func(f *os.File) error {
		_, err := f.Write(tensor.FromSlice(list).Data)
		return err
	})
	out, r, err := Simplify(t.Context(), m, Options{MaxGrowth: DefaultMaxGrowth})
	if err != nil {
		t.Fatal(err)
	}
	in, factors := []float64{2, 3, 4}, []float64{0.5, 0.25}
	scale := 1 / math.Sqrt(1+float64(float32(1e-5)))
	for i := range list {
		row, column := i/side, i%side
		behind := float32(float64(list[i]) * (scale * factors[row%2]))
		list[i] = float32(float64(behind) * in[column%3])
	}
	var got bytes.Buffer
	for _, c := range out.Graph().Initializers() {
		if c.Name() == "w" {
			data, err := c.Data()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := data.WriteTo(&got); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !bytes.Equal(got.Bytes(), tensor.FromSlice(list).Data) {
		t.Errorf("%d bytes of weights that are not what they should be; %s", got.Len(), reasons(r))
	}
}

// TestMissingWeights looks at weights whose file is too short: they stay.
func TestMissingWeights(t *testing.T) {
	m := streamedModel(t, 300, func(f *os.File) error { return f.Truncate(1000) })
	_, r, err := Simplify(t.Context(), m, Options{MaxGrowth: DefaultMaxGrowth})
	if err != nil || r.After.Nodes > r.Before.Nodes {
		t.Errorf("%v, %d nodes", err, r.After.Nodes)
	}
}
