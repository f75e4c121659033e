package graphops_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/graphtest"
)

// TestHundredGibibytes looks at a model with 100 GiB of external data, reads what
// lies at the far end of it, and cuts out and writes a part. The memory it takes
// does not depend on the weights.
func TestHundredGibibytes(t *testing.T) {
	const size, large, part = int64(100 << 30), int64(4 << 30), int64(4 << 20)
	dir := t.TempDir()
	data := filepath.Join(dir, "w.bin")
	f, err := os.Create(data)
	if err == nil {
		defer f.Close()
		err = f.Truncate(size)
	}
	if err != nil {
		t.Skipf("the file system holds no sparse file of 100 GiB: %v", err)
	}
	middle := bytes.Repeat([]byte("middle.."), int(part/8))
	_, errMiddle := f.WriteAt(middle, size/2)
	_, errEnd := f.WriteAt([]byte("the end!"), size-8)
	if err := errors.Join(errMiddle, errEnd); err != nil {
		t.Fatal(err)
	}
	p := graphtest.Proto(t, "opset 20\ninput x f32[2]\ny = Add(x, far)\nz = Add(y, part)\ninit far f32[2] 1 2\ninit part f32[1,2] 1 2\noutput z")
	place := func(i int, offset, length int64) {
		outside(p.Graph.Initializer[i], entries("location", "w.bin", "offset", fmt.Sprint(offset), "length", fmt.Sprint(length)))
	}
	place(0, size-8, 8)
	place(1, size/2, part)
	p.Graph.Initializer[1].Dims = []int64{part / 8, 2}
	for i := range size/large - 1 {
		w := graphtest.Proto(t, "init w f32[1] 1").Graph.Initializer[0]
		w.Dims = []int64{large / 4}
		*w.Name = fmt.Sprint("w", i)
		p.Graph.Initializer = append(p.Graph.Initializer, w)
		place(len(p.Graph.Initializer)-1, i*large, large)
	}
	path := filepath.Join(dir, "m.onnx")
	tree(t, dir, map[string]string{"m.onnx": serialized(t, p)})
	out := filepath.Join(dir, "part.onnx")
	var saved graphops.Saved
	n := allocated(func() {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := cost.Summarize(m).WeightBytes; got != size-large+part+8 {
			t.Errorf("%d bytes of weights", got)
		}
		if missing := m.MissingExternal(); len(missing) > 0 {
			t.Error(missing)
		}
		checkWeight(t, m, "the end!", "")
		cut, _, err := graphops.Prune(m, graphops.PruneOptions{Outputs: []string{"z"}})
		if err != nil {
			t.Fatal(err)
		}
		saved, err = graphops.Save(context.Background(), cut, out, graphops.SaveOptions{Storage: graphops.StoreAsIs})
		if err != nil {
			t.Fatal(err)
		}
	})
	if n > 4<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
	if n := saved.Data[0].Bytes; n < part || n > part+16<<10 {
		t.Errorf("%d bytes of data are written", n)
	}
	written, err := graphops.Open(out, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"the end!", string(middle)} {
		data, err := written.Graph().Initializers()[i].Data()
		if err != nil {
			t.Fatal(err)
		}
		if b, err := data.Bytes(); string(b) != want || err != nil {
			t.Errorf("weight %d is written otherwise, %v", i, err)
		}
	}
}
