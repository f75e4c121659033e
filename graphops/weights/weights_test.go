package weights

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

var ctx = context.Background()

// forms stores the numbers 0 to 11 as a 3×4 tensor in each way that a model can.
func forms(t *testing.T) map[string]*graphops.Tensor {
	t.Helper()
	want := make([]float64, 12)
	var ints []int32
	for i := range want {
		want[i] = float64(i)
		ints = append(ints, int32(i))
	}
	raw := func(d tensor.DType) []byte {
		v, err := tensor.FromFloat64s(d, want, 3, 4)
		if err != nil {
			t.Fatal(err)
		}
		return v.Data
	}
	dims := []int64{3, 4}
	dir := t.TempDir()
	outside := append(make([]byte, 100), raw(tensor.F32)...)
	if err := os.WriteFile(filepath.Join(dir, "w.bin"), outside, 0o600); err != nil {
		t.Fatal(err)
	}
	p := graphtest.Proto(t, "output y f32\ny = Constant() value={f32 1}")
	external := &onnxpb.TensorProto{
		Name: proto.String("external"), DataType: proto.Int32(1), Dims: dims, DataLocation: onnxpb.TensorProto_EXTERNAL.Enum(),
		ExternalData: []*onnxpb.StringStringEntryProto{
			{Key: proto.String("location"), Value: proto.String("w.bin")}, {Key: proto.String("offset"), Value: proto.String("100")},
		},
	}
	floats := make([]float32, len(want))
	for i, x := range want {
		floats[i] = float32(x)
	}
	packed := make([]int32, 0, 6)
	for _, b := range raw(tensor.U4) {
		packed = append(packed, int32(b))
	}
	p.Graph.Initializer = []*onnxpb.TensorProto{
		external,
		{Name: proto.String("raw"), DataType: proto.Int32(1), Dims: dims, RawData: raw(tensor.F32)},
		{Name: proto.String("floats"), DataType: proto.Int32(1), Dims: dims, FloatData: floats},
		{Name: proto.String("half"), DataType: proto.Int32(10), Dims: dims, Int32Data: halves(raw(tensor.F16))},
		{Name: proto.String("int32"), DataType: proto.Int32(6), Dims: dims, Int32Data: ints},
		{Name: proto.String("nibbles"), DataType: proto.Int32(21), Dims: dims, Int32Data: packed},
	}
	path := filepath.Join(dir, "m.onnx")
	if err := os.WriteFile(path, marshal(t, p), 0o600); err != nil {
		t.Fatal(err)
	}
	out := map[string]*graphops.Tensor{}
	for _, x := range openModel(t, path).Graph().Initializers() {
		out[x.Name()] = x
	}
	out["made"] = graphops.NewTensor("made", tensor.F32, dims, graphops.TransformPayload(48, func(w io.Writer) error {
		for b := range slices.Chunk(raw(tensor.F32), 5) {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		return nil
	}))
	return out
}

// halves are two bytes in each number.
func halves(raw []byte) (out []int32) {
	for b := range slices.Chunk(raw, 2) {
		out = append(out, int32(b[0])|int32(b[1])<<8)
	}
	return out
}

func marshal(t testing.TB, p *onnxpb.ModelProto) []byte {
	t.Helper()
	b, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func openModel(t testing.TB, path string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestEveryForm looks at the same numbers wherever they lie.
func TestEveryForm(t *testing.T) {
	for name, x := range forms(t) {
		var steps []string
		progress := func(done, total int64) { steps = append(steps, fmt.Sprintf("%d of %d", done, total)) }
		p, err := Profile(ctx, x, progress)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Count != 12 || p.Min != 0 || p.Max != 11 || p.Mean != 5.5 || p.Zeros != 1 || p.Distinct != 12 {
			t.Errorf("%s: %+v", name, p)
		}
		size, _ := x.ByteLen()
		if want := fmt.Sprintf("%d of %d", size, size); len(steps) == 0 || steps[len(steps)-1] != want {
			t.Errorf("%s: progress %v, want %s at the end", name, steps, want)
		}
		turned := tensor.View{Down: 1, Across: 0, At: []int64{0, 0}}
		w, err := Window(ctx, x, turned, tensor.Window{Row: 1, Column: 1, Rows: 2, Columns: 9})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := w.Texts(); err != nil || !slices.Equal(got, []string{"5", "9", "6", "10"}) {
			t.Errorf("%s: window %v, %v", name, got, err)
		}
		g, err := Grid(ctx, x, tensor.ViewOf(x.Dims()), 2, 2, nil)
		want := tensor.Grid{Rows: 2, Columns: 2, Down: 2, Across: 2, Cells: []tensor.Cell{
			{Min: 0, Max: 5, Mean: 2.5, Finite: 4},
			{Min: 2, Max: 7, Mean: 4.5, Finite: 4},
			{Min: 8, Max: 9, Mean: 8.5, Finite: 2},
			{Min: 10, Max: 11, Mean: 10.5, Finite: 2},
		}}
		if err != nil || !slices.Equal(g.Cells, want.Cells) || g.Down != 2 || g.Across != 2 {
			t.Errorf("%s: grid %+v, %v", name, g, err)
		}
	}
}

func TestStrings(t *testing.T) {
	x := graphops.NewTensorOf("names", tensor.FromStrings([]string{"a", "bb", "a", "c"}, 2, 2))
	p, err := Strings(x)
	if err != nil || p.Count != 4 || p.Distinct != 3 || p.Frequent[0] != (tensor.StringCount{Text: "a", Count: 2}) {
		t.Errorf("%+v, %v", p, err)
	}
	w, err := Window(ctx, x, tensor.ViewOf(x.Dims()), tensor.Window{Row: 1, Rows: 1, Columns: 2})
	if err != nil || !slices.Equal(w.Strings, []string{"a", "c"}) {
		t.Errorf("%v, %v", w, err)
	}
	for want, do := range map[string]func() error{
		`tensor "names": contains strings, expected numbers`: func() error { _, err := Profile(ctx, x, nil); return err },
		`tensor "names": a heat map needs numbers`: func() error {
			_, err := Grid(ctx, x, tensor.ViewOf(x.Dims()), 2, 2, nil)
			return err
		},
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// endless is a tensor of a pebibyte that is made as it is read.
func endless() *graphops.Tensor {
	const n = 1 << 50
	return graphops.NewTensor("endless", tensor.U8, []int64{n}, graphops.TransformPayload(n, func(w io.Writer) error {
		b := make([]byte, 1<<16)
		for {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
	}))
}

func TestCancel(t *testing.T) {
	x := endless()
	view := tensor.ViewOf(x.Dims())
	for name, do := range map[string]func(context.Context, Progress) error{
		"profile": func(ctx context.Context, p Progress) error { _, err := Profile(ctx, x, p); return err },
		"grid":    func(ctx context.Context, p Progress) error { _, err := Grid(ctx, x, view, 1, 5, p); return err },
	} {
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(context.Background())
		seen := int64(0)
		err := do(ctx, func(done, total int64) {
			if seen = done; done > 3<<20 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), `tensor "endless"`) {
			t.Errorf("%s: %v", name, err)
		}
		if seen > 6<<20 {
			t.Errorf("%s: stopped after %d bytes", name, seen)
		}
		graphtest.NoMoreGoroutines(t, before)
		if err := do(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: begun although it was cancelled: %v", name, err)
		}
		cancel()
	}
}

// TestWindowOfEndless needs the beginning alone.
func TestWindowOfEndless(t *testing.T) {
	x := endless()
	w, err := Window(ctx, x, tensor.ViewOf(x.Dims()), tensor.Window{Column: 100, Rows: 1, Columns: 3})
	if err != nil || !slices.Equal(w.Data, []byte{0, 0, 0}) {
		t.Errorf("%v, %v", w, err)
	}
}

func TestErrorsNameTheTensor(t *testing.T) {
	p := graphtest.Proto(t, "output y f32\ninit w f32[2,3]\ny = Identity(w)")
	x := p.Graph.Initializer[0]
	x.RawData, x.DataLocation = nil, onnxpb.TensorProto_EXTERNAL.Enum()
	x.ExternalData = []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: proto.String("w.bin")}}
	dir := t.TempDir()
	path, data := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "w.bin")
	if err := os.WriteFile(path, marshal(t, p), 0o600); err != nil {
		t.Fatal(err)
	}
	w := openModel(t, path).Graph().Initializers()[0]
	_, err := Profile(ctx, w, nil)
	if want := `tensor "w": external data "w.bin": no such file beside the model (` + data + `); put it there`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := os.WriteFile(data, make([]byte, 24), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Profile(ctx, w, nil); err != nil {
		t.Errorf("the data was put there: %v", err)
	}
	_, err = Window(ctx, w, tensor.View{Down: 0, Across: 2, At: []int64{0, 0}}, tensor.Window{Rows: 1, Columns: 1})
	if err == nil || !strings.Contains(err.Error(), `tensor "w": shape 2×3 has no axis 2`) {
		t.Error(err)
	}
	if err := os.Truncate(data, 8); err != nil {
		t.Fatal(err)
	}
	if _, err := Profile(ctx, w, nil); err == nil || !strings.Contains(err.Error(), `tensor "w"`) {
		t.Errorf("a file that was cut: %v", err)
	}
}

// TestFileChanges: numbers of a file that is written to are those of no model.
func TestFileChanges(t *testing.T) {
	w := forms(t)["external"]
	p, err := w.Data()
	if err != nil {
		t.Fatal(err)
	}
	path, _, _ := p.Location()
	_, err = Profile(ctx, w, func(int64, int64) {
		if err := os.WriteFile(path, make([]byte, 1000), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	if err == nil || !strings.Contains(err.Error(), "the file changed while it was in use") {
		t.Errorf("%v, want that the file changed", err)
	}
}

// TestMemory looks at 16 MiB that lie in a file, and at as many that are made as they
// are read. Neither may be held.
func TestMemory(t *testing.T) {
	const side = 2048
	path := filepath.Join(t.TempDir(), "w.bin")
	p := graphtest.Proto(t, "output y f32\ninit w f32[1,1]\ny = Identity(w)")
	x := p.Graph.Initializer[0]
	x.Dims, x.RawData, x.DataLocation = []int64{side, side}, nil, onnxpb.TensorProto_EXTERNAL.Enum()
	x.ExternalData = []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: proto.String("w.bin")}}
	model := filepath.Join(filepath.Dir(path), "m.onnx")
	if err := errors.Join(os.WriteFile(model, marshal(t, p), 0o600), os.WriteFile(path, nil, 0o600), os.Truncate(path, 4*side*side)); err != nil {
		t.Fatal(err)
	}
	lying := openModel(t, model).Graph().Initializers()[0]
	made := graphops.NewTensor("made", tensor.F32, []int64{side, side}, graphops.TransformPayload(4*side*side, func(w io.Writer) error {
		data, err := lying.Data()
		if err != nil {
			return err
		}
		_, err = data.WriteTo(w)
		return err
	}))
	for _, x := range []*graphops.Tensor{lying, made} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, errProfile := Profile(ctx, x, nil)
		_, errGrid := Grid(ctx, x, tensor.ViewOf(x.Dims()), 50, 150, nil)
		_, errWindow := Window(ctx, x, tensor.ViewOf(x.Dims()), tensor.Window{Row: side - 50, Rows: 50, Columns: 20})
		runtime.ReadMemStats(&after)
		if err := errors.Join(errProfile, errGrid, errWindow); err != nil {
			t.Fatal(err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
			t.Errorf("%s: %d bytes of memory for %d of elements", x.Name(), used, 4*side*side)
		}
	}
}

func TestSparsity(t *testing.T) {
	m := graphtest.Model(t, "output y f32\nsparse s f32[4,5] 1 2 3 at 0 7 19\ny = Identity(s)")
	s := m.Graph().SparseInitializers()[0]
	got, err := SparsityOf(s)
	if want := (Sparsity{Elements: 20, Stored: 3, Density: 0.15}); err != nil || got != want {
		t.Errorf("%+v, want %+v, %v", got, want, err)
	}
	p, err := Profile(ctx, s.Values(), nil)
	if err != nil || p.Mean != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	m = graphtest.Model(t, "output y f32\nsparse s f32[1,2] 1 2 3 at 0 1 2\ny = Identity(s)")
	if _, err := SparsityOf(m.Graph().SparseInitializers()[0]); err == nil || !strings.Contains(err.Error(), "3 values for shape 1×2") {
		t.Errorf("%v", err)
	}
}

// TestConstantNode looks at values that are no tensors in the file.
func TestConstantNode(t *testing.T) {
	m := graphtest.Model(t, "output y f32\ny = Constant() value_floats=[1.5,-2.5]")
	a, _ := m.Graph().Nodes()[0].Attribute("value_floats")
	x, err := a.Dense("y")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Profile(ctx, x, nil)
	if err != nil || p.Min != -2.5 || p.Max != 1.5 || float64(p.Std) != 2 || math.Abs(float64(p.Mean)+0.5) > 0 {
		t.Errorf("%+v, %v", p, err)
	}
}
