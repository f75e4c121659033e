//go:build cgo && parity

package quantization

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/graphtest"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/sessiontest"
)

// rowsFor writes an archive with n rows for the inputs of a model that takes one row at a time.
func rowsFor(t *testing.T, m *graphops.Model, n int64) string {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 2))
	var entries []npz.Entry
	for _, in := range graphops.NamedTypes(m.Graph().FeedInputs()) {
		shape := []int64{n}
		for _, d := range in.Type.Shape[1:] {
			if !d.IsFixed() {
				d.Value = 5
			}
			shape = append(shape, d.Value)
		}
		count, err := tensor.Elements(shape)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, count)
		for i := range x {
			if x[i] = r.NormFloat64(); in.Type.Elem == tensor.I64 {
				x[i] = float64(r.IntN(2))
			}
		}
		values, err := tensor.FromFloat64s(in.Type.Elem, x, shape...)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, npz.Entry{Name: in.Name, Tensor: values})
	}
	path := filepath.Join(t.TempDir(), "rows.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := npz.Write(f, entries); err != nil {
		t.Fatal(err)
	}
	return path
}

// stored returns the nodes and initializers of a model file.
func stored(t *testing.T, path string) ([]string, map[string]string) {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]string{}
	for _, x := range m.Graph().Initializers() {
		data, err := x.Data()
		if err != nil {
			t.Fatal(err)
		}
		b, err := data.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		constants[x.Name()] = x.DType().String() + tensor.FormatShape(x.Dims()) + string(b)
	}
	nodes := graphtest.Nodes(m.Graph())
	slices.Sort(nodes)
	return nodes, constants
}

// TestStaticParity quantizes whole models on the same data as the reference, with every method, and
// compares ranges, nodes and initializers bit for bit. A result with a note differs on purpose;
// then only the ranges are compared.
func TestStaticParity(t *testing.T) {
	env := sessiontest.Env(t)
	python := reference.Start(t, "testdata/quantize_static.py")
	same, departed := 0, 0
	for _, name := range []string{"digits.onnx", "digits_batch1.onnx", "cnn_batch1.onnx", "vit_batch1.onnx", "lm_batch1.onnx", "mlp_dynamo.onnx", "gather_mlp.onnx", "text_classifier.onnx"} {
		path := filepath.Join("..", "..", "testdata", name)
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		data := rowsFor(t, m, 5)
		for ours, theirs := range map[calibration.Method]string{
			calibration.MethodMinMax: "MinMax", calibration.MethodEntropy: "Entropy", calibration.MethodPercentile: "Percentile", calibration.MethodDistribution: "Distribution",
		} {
			folder := t.TempDir()
			q := map[string]string{"model": path, "out": filepath.Join(folder, "theirs.onnx"), "cache": filepath.Join(folder, "theirs.json"), "data": data, "method": theirs}
			var said struct{ Error string }
			python.Ask(t, q, &said)
			if said.Error != "" {
				t.Logf("%s, %s: the reference refuses: %s", name, ours, said.Error)
			}
			s := &Quantization{Mode: "static", staticFlags: staticFlags{NoPreprocess: true, QuantizeMasks: true}}
			s.Data, s.NoTrial, s.Calibration = data, true, string(ours)
			s.Out, s.Ranges = filepath.Join(folder, "ours.onnx"), filepath.Join(folder, "ours.json")
			s.Dim = oneRow(m)
			done, err := s.Run(t.Context(), env, m)
			if err != nil {
				t.Errorf("%s, %s: %v", name, ours, err)
				continue
			}
			notes := slices.DeleteFunc(done.Report.(*Report).Notes, func(n string) bool { return ours == calibration.MethodEntropy && n[:7] == "entropy" })
			if len(notes) > 0 || said.Error != "" {
				t.Logf("%s, %s: %q", name, ours, notes)
				departed++
				continue
			}
			if d := cmp.Diff(tableIn(t, q["cache"]), tableIn(t, s.Ranges)); d != "" {
				t.Errorf("%s, %s: -reference +lathe: %s", name, ours, d)
				continue
			}
			nodes, constants := stored(t, q["out"])
			gotNodes, gotConstants := stored(t, s.Out)
			if d := cmp.Diff(nodes, gotNodes); d != "" {
				t.Errorf("%s, %s: nodes: -reference +lathe: %s", name, ours, d)
			}
			if d := cmp.Diff(constants, gotConstants); d != "" {
				t.Errorf("%s, %s: initializers: -reference +lathe: %s", name, ours, d)
			}
			same++
		}
	}
	t.Logf("%d results are the same, %d differ on purpose", same, departed)
}

// oneRow sets a free batch to one row.
func oneRow(m *graphops.Model) []string {
	for _, in := range graphops.NamedTypes(m.Graph().FeedInputs()) {
		if d := in.Type.Shape[0]; !d.IsFixed() {
			return []string{d.Symbol + "=1"}
		}
	}
	return nil
}

func tableIn(t *testing.T, path string) *calibration.Table {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := calibration.ReadTable(f)
	if err != nil {
		t.Fatal(err)
	}
	table.LeftOut = nil
	return table
}
