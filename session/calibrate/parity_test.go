//go:build cgo && parity

package calibrate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/calibrate"
)

type question struct {
	Model   string         `json:"model"`
	Out     string         `json:"out"`
	Cache   string         `json:"cache"`
	Samples []string       `json:"samples"`
	Method  string         `json:"method"`
	Options map[string]any `json:"options"`
}

// settings are the options that change the ranges: theirs are those of the reference, ours those of
// this package.
var settings = []struct {
	method string
	theirs map[string]any
	ours   func(*calibrate.Options)
}{
	{"MinMax", nil, nil},
	{"MinMax", map[string]any{"CalibTensorRangeSymmetric": true}, func(o *calibrate.Options) { o.Symmetric = true }},
	{"MinMax", map[string]any{"CalibMovingAverage": true}, func(o *calibrate.Options) { o.Average = true }},
	{"MinMax", map[string]any{"CalibMovingAverage": true, "CalibMovingAverageConstant": 0.3, "CalibStridedMinMax": 2}, func(o *calibrate.Options) { o.Average, o.Constant, o.Collection = true, 0.3, 2 }},
	{"Entropy", nil, nil},
	{"Entropy", map[string]any{"CalibStridedMinMax": 3}, func(o *calibrate.Options) { o.Collection = 3 }},
	{"Percentile", nil, nil},
	{"Percentile", map[string]any{"CalibPercentile": 95.0, "CalibTensorRangeSymmetric": false}, func(o *calibrate.Options) { o.Percent, o.Symmetric = 95, false }},
	{"Percentile", map[string]any{"CalibStridedMinMax": 2, "CalibPercentile": 99.0}, func(o *calibrate.Options) { o.Collection, o.Percent = 2, 99 }},
	{"Distribution", nil, nil},
}

// fed returns n samples for a model's inputs. Axes that are not fixed have the size free.
func fed(t *testing.T, m *graphops.Model, n int, free int64) list {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 7))
	var out list
	for range n {
		in := graphops.Feeds{}
		for _, v := range graphops.NamedTypes(m.Graph().FeedInputs()) {
			var shape []int64
			for _, d := range v.Type.Shape {
				if !d.IsFixed() {
					d.Value = free
				}
				shape = append(shape, d.Value)
			}
			count, err := tensor.Elements(shape)
			if err != nil {
				t.Fatal(err)
			}
			x := make([]float64, count)
			for i := range x {
				if x[i] = r.NormFloat64(); v.Type.Elem == tensor.I64 || v.Type.Elem == tensor.I32 {
					x[i] = float64(r.IntN(2))
				}
			}
			e, err := tensor.FromFloat64s(v.Type.Elem, x, shape...)
			if err != nil {
				t.Fatal(err)
			}
			in[v.Name] = graphops.TensorValue(e)
		}
		out = append(out, in)
	}
	return out
}

// kept writes the samples to files for the reference and returns their paths.
func (l list) kept(t *testing.T, folder string) []string {
	t.Helper()
	var out []string
	for i, in := range l {
		path := filepath.Join(folder, fmt.Sprintf("%d.npz", i))
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		var entries []npz.Entry
		for name, v := range in {
			entries = append(entries, npz.Entry{Name: name, Tensor: v.Tensor})
		}
		if err := npz.Write(f, entries); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		out = append(out, path)
	}
	return out
}

// upright returns a file of ranges without those whose lower end is above the upper one, see
// calibration.InvertedRange.
func upright(t *testing.T, raw []byte) []byte {
	var file map[string]any
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	end := func(x any) float64 {
		if a, ok := x.(map[string]any); ok {
			x = a["data"]
		}
		if a, ok := x.([]any); ok && len(a) > 0 {
			x = a[0]
		}
		number, _ := x.(float64)
		return number
	}
	data := file["data"].(map[string]any)
	for name, x := range data {
		if r := x.(map[string]any); end(r["lowest"]) > end(r["highest"]) {
			t.Logf("%q: its range is from %v to %v", name, r["lowest"], r["highest"])
			delete(data, name)
		}
	}
	out, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestParity compares the ranges of whole models, bit for bit, with those that quantize_static
// finds on the same samples.
func TestParity(t *testing.T) {
	python := reference.Start(t, "testdata/reference.py")
	equal := 0
	for _, name := range []string{"digits.onnx", "digits_batch1.onnx", "text_classifier.onnx", "cnn_batch1.onnx", "vit_batch1.onnx", "lm_batch1.onnx", "rnn_batch1.onnx", "mlp_dynamo.onnx", "gather_mlp.onnx"} {
		path := filepath.Join("..", "..", "testdata", name)
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		load := loader(t, m)
		samples := fed(t, m, 6, 5)
		folder := t.TempDir()
		q := question{Model: path, Out: filepath.Join(folder, "out.onnx"), Cache: filepath.Join(folder, "ranges.json"), Samples: samples.kept(t, folder)}
		for _, s := range settings {
			q.Method, q.Options = s.method, s.theirs
			if q.Options == nil {
				q.Options = map[string]any{}
			}
			_ = os.Remove(q.Cache) // there is none at first
			var said struct{ Error string }
			python.Ask(t, q, &said)
			raw, err := os.ReadFile(q.Cache)
			if err != nil {
				departs := strings.Contains(said.Error, "Too many bins for data range") // calibration.NarrowExtent
				t.Logf("%s, %s %v: no ranges: %s", name, s.method, s.theirs, said.Error)
				if !departs {
					t.Fail()
				}
				continue
			}
			want, err := calibration.ReadTable(bytes.NewReader(upright(t, raw)))
			if err != nil {
				t.Errorf("%s, %s %v: %v", name, s.method, s.theirs, err)
				continue
			}
			var values []string
			for name := range want.Tensors {
				values = append(values, name)
			}
			slices.Sort(values)
			o := calibrate.Defaults(want.Method)
			if s.ours != nil {
				s.ours(&o)
			}
			got, err := calibrate.Ranges(t.Context(), m, values, samples, load, o)
			if err != nil {
				t.Errorf("%s, %s %v: %v", name, s.method, s.theirs, err)
				continue
			}
			equal += len(got.Table.Tensors)
			if d := cmp.Diff(want, got.Table); d != "" {
				t.Errorf("%s, %s %v: -reference +lathe: %s", name, s.method, s.theirs, d)
			}
		}
	}
	t.Logf("%d ranges compared", equal)
}
