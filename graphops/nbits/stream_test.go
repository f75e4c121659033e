package nbits

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestMemory quantizes and saves a weight of 256 MiB, or 64 MiB, that lies in a sparse file. Neither the weight nor
// what it becomes may be held.
func TestMemory(t *testing.T) {
	for _, o := range []Options{DefaultOptions(), {Method: KQuant, Bits: 4, BlockSize: 32}, {Method: HQQ, Bits: 4, BlockSize: 32}} {
		t.Run(o.Method.String(), func(t *testing.T) {
			rows := int64(4096)
			if o.Method != Nearest {
				rows = 1024 // they take longer
			}
			testMemory(t, o, rows, 16384)
		})
	}
}

func testMemory(t *testing.T, o Options, rows, cols int64) {
	t.Helper()
	dir := t.TempDir()
	path, data := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "weights.bin")
	p := graphtest.Proto(t, "input x f32[n,k]\noutput y f32[n,m]\ninit w f32[1,1]\nfc: y = MatMul(x, w)")
	w := p.Graph.Initializer[0]
	w.Dims, w.RawData, w.DataLocation = []int64{rows, cols}, nil, onnxpb.TensorProto_EXTERNAL.Enum()
	for _, e := range [][2]string{{"location", "weights.bin"}, {"offset", "0"}, {"length", fmt.Sprint(4 * rows * cols)}} {
		w.ExternalData = append(w.ExternalData, &onnxpb.StringStringEntryProto{Key: &e[0], Value: &e[1]})
	}
	b, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(path, b, 0o600), os.WriteFile(data, nil, 0o600), os.Truncate(data, 4*rows*cols)); err != nil {
		t.Fatal(err)
	}
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	q, _, err := Quantize(context.Background(), m, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := graphops.Save(context.Background(), q, filepath.Join(dir, "q.onnx"), graphops.SaveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 128<<20 {
		t.Errorf("%d bytes were allocated", allocated)
	}
	if want := rows * cols / 2; saved.Bytes < want || saved.Bytes > want*7/4 {
		t.Errorf("%d bytes were written, want the codes in %d bytes, and scales", saved.Bytes, want)
	}
}

// TestProgress expects that reading is reported, and that it can be cancelled.
func TestProgress(t *testing.T) {
	var last, total int64
	_, _, err := Quantize(context.Background(), graphtest.Model(t, product), DefaultOptions(), func(done, all int64) { last, total = done, all })
	if err != nil || last != 960 || total != 960 {
		t.Errorf("%d of %d, %v", last, total, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Quantize(ctx, graphtest.Model(t, product), DefaultOptions(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
