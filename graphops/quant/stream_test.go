package quant

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

const twoWeights = `
	input x f32[n,k]
	output y f32[n,k]
	output z f32[n,k]
	init w f32[1,1]
	init v f32[1,1]
	fc: y = MatMul(x, w)
	turned: z = Gemm(x, v) transB=1`

// externalModel writes twoWeights with square weights that lie in a sparse file
// of zeros, and returns the paths of both.
func externalModel(t testing.TB, side int64) (model, data string) {
	t.Helper()
	dir := t.TempDir()
	model, data = filepath.Join(dir, "m.onnx"), filepath.Join(dir, "weights.bin")
	p := graphtest.Proto(t, twoWeights)
	size := 4 * side * side
	for i, x := range p.Graph.Initializer {
		x.Dims, x.RawData = []int64{side, side}, nil
		x.DataLocation = onnxpb.TensorProto_EXTERNAL.Enum()
		for _, e := range [][2]string{
			{"location", "weights.bin"},
			{"offset", fmt.Sprint(int64(i) * size)},
			{"length", fmt.Sprint(size)},
		} {
			x.ExternalData = append(x.ExternalData, &onnxpb.StringStringEntryProto{Key: &e[0], Value: &e[1]})
		}
	}
	b, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(model, b, 0o600), os.WriteFile(data, nil, 0o600), os.Truncate(data, 2*size)); err != nil {
		t.Fatal(err)
	}
	return model, data
}

func open(t testing.TB, path string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMemory quantizes and saves two weights of 49 MB, one of them transposed.
// Neither they nor their codes may be held; the blocks of the transpose, as
// large as these codes, are.
func TestMemory(t *testing.T) {
	const side = 3500
	path, _ := externalModel(t, side)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o := DefaultDynamicOptions()
	o.PerChannel = true
	q, _ := dynamicOf(t, open(t, path), o)
	saved, err := graphops.Save(context.Background(), q, filepath.Join(t.TempDir(), "q.onnx"), graphops.SaveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 20<<20 {
		t.Errorf("%d bytes were allocated", allocated)
	}
	if saved.Bytes < 2*side*side || len(saved.Data) > 0 {
		t.Errorf("saved %+v, want the codes of both weights in one file", saved)
	}
}

// TestStreamedWeights compares a file with the same numbers in memory.
func TestStreamedWeights(t *testing.T) {
	const side = 300
	path, data := externalModel(t, side)
	b := make([]byte, 8*side*side)
	for i := 0; i < len(b); i += 4 {
		binary.LittleEndian.PutUint32(b[i:], math.Float32bits(float32(math.Sin(float64(i)))))
	}
	if err := os.WriteFile(data, b, 0o600); err != nil {
		t.Fatal(err)
	}
	m := open(t, path)
	var whole bytes.Buffer
	if err := graphops.Write(&whole, m); err != nil {
		t.Fatal(err)
	}
	inMemory, err := graphops.Decode(whole.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range everyOption() {
		a, _ := dynamicOf(t, m, o)
		b, _ := dynamicOf(t, inMemory, o)
		if digest(t, a) != digest(t, b) {
			t.Errorf("%+v: weights in a file and in memory give different models", o)
		}
	}
}

func TestProgress(t *testing.T) {
	const side = 300
	path, _ := externalModel(t, side)
	last, total := int64(-1), int64(0)
	_, _, err := Dynamic(context.Background(), open(t, path), DefaultDynamicOptions(), func(done, of int64) {
		if done < last || done > of {
			t.Errorf("%d of %d after %d", done, of, last)
		}
		last, total = done, of
	})
	if want := int64(2 * 4 * side * side); err != nil || last != want || total != want {
		t.Errorf("%d of %d, error %v; want all of %d", last, total, err, want)
	}
}

func TestCancel(t *testing.T) {
	path, _ := externalModel(t, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	_, _, err := Dynamic(ctx, open(t, path), DefaultDynamicOptions(), func(int64, int64) {
		if calls++; calls == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || calls != 3 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}

// TestMissingData names the node and the weight whose file is too short or gone.
func TestMissingData(t *testing.T) {
	path, data := externalModel(t, 100)
	for _, step := range []struct {
		damage func() error
		want   []string
	}{
		{func() error { return os.Truncate(data, 4*100*100+7) }, []string{`node "turned" (Gemm)`, `tensor "v"`, "weights.bin", "the file has only 40007"}},
		{func() error { return os.Remove(data) }, []string{`node "fc" (MatMul)`, `tensor "w"`, "weights.bin", "no such file"}},
	} {
		if err := step.damage(); err != nil {
			t.Fatal(err)
		}
		_, _, err := Dynamic(context.Background(), open(t, path), DefaultDynamicOptions(), nil)
		for _, part := range step.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("error %v lacks %q", err, part)
			}
		}
	}
}

// FuzzDynamic makes sure that no model brings the quantizer down, and that what
// it makes can be written.
func FuzzDynamic(f *testing.F) {
	for _, m := range models {
		f.Add(graphtest.Bytes(f, m.text), byte(0))
	}
	f.Add(graphtest.Bytes(f, mixed), byte(7))
	f.Fuzz(func(t *testing.T, b []byte, bits byte) {
		m, err := graphops.Decode(b)
		if err != nil {
			t.Skip("not a model")
		}
		o := DefaultDynamicOptions()
		o.PerChannel, o.ReduceRange, o.MatMulConstBOnly = bits&1 > 0, bits&2 > 0, bits&4 > 0
		q, report, err := Dynamic(context.Background(), m, o, nil)
		if err != nil {
			return
		}
		if len(report.Quantized) == 0 {
			t.Error("nothing is quantized, and it is no error")
		}
		if _, err := q.Graph().Order(); err != nil {
			t.Error(err)
		}
		digest(t, q)
	})
}
