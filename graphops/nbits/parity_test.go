//go:build parity

package nbits

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/quant"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
)

// quantizer is the Python that runs testdata/reference.py.
type quantizer struct{ python *reference.Python }

type request struct {
	Model   string   `json:"model"`
	Out     string   `json:"out,omitempty"`
	Options *Options `json:"options,omitempty"`
	Others  []string `json:"others,omitempty"`
	Load    bool     `json:"load,omitempty"`
	Data    string   `json:"data,omitempty"`
}

type answer struct {
	Error      *string    `json:"error"`
	Difference []*float64 `json:"difference"`
	Version    string     `json:"version"`
}

func startQuantizer(t *testing.T) *quantizer {
	t.Helper()
	q := &quantizer{reference.Start(t, "testdata/reference.py")}
	var hello answer
	q.python.Read(t, &hello)
	return q
}

func (q *quantizer) ask(t *testing.T, r request) (a answer) {
	t.Helper()
	q.python.Ask(t, r, &a)
	return a
}

// everyOption returns the combinations of options that are compared.
func everyOption(sizes ...int64) []Options {
	var out []Options
	for _, size := range sizes {
		for _, symmetric := range []bool{false, true} {
			for _, bits := range []int{2, 4, 8} {
				out = append(out, Options{Bits: bits, BlockSize: size, Symmetric: symmetric, AccuracyLevel: bits % 8, TableAxis: 1})
			}
			out = append(
				out,
				Options{Bits: 4, BlockSize: size, Symmetric: symmetric, Format: Standard, TableAxis: 1},
				Options{Bits: 4, BlockSize: size, Symmetric: symmetric, OpTypes: []string{"MatMul", "Gather"}, TableAxis: 1},
				Options{Bits: 4, BlockSize: size, Symmetric: symmetric, OpTypes: []string{"Gather"}, TableAxis: -2},
			)
		}
	}
	return append(
		out,
		Options{Bits: 4, BlockSize: 32, Format: Standard, PerChannel: true, TableAxis: 1},
		Options{Bits: 4, BlockSize: 32, Format: Standard, PerChannel: true, Symmetric: true, TableAxis: 1},
	)
}

// outcomes counts what became of pairs of a model and options.
type outcomes map[string]int

// TestParity quantizes models with generated weights of odd shapes with every combination of options,
// and compares nodes, and initializers bit for bit, with the reference.
func TestParity(t *testing.T) {
	q := startQuantizer(t)
	dir := t.TempDir()
	found := outcomes{}
	for i, m := range generated(t, dir) {
		sizes := []int64{16, 32, 64, 128, 256}
		if i > 6 {
			sizes = []int64{16, 32, 256}
		}
		for _, o := range everyOption(sizes...) {
			found[compare(t, q, m, dir, o)]++
		}
	}
	t.Log(found)
}

// TestParityOfOthers quantizes models that others made.
func TestParityOfOthers(t *testing.T) {
	q := startQuantizer(t)
	dir := t.TempDir()
	for _, c := range []reference.Corpus{reference.Testdata, reference.Shared} {
		t.Run(c.Name, func(t *testing.T) {
			found, models := outcomes{}, 0
			for _, path := range c.SoundModels(t) {
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil || !readsWeights(m) {
					found["models without a MatMul or Gather of a constant"]++
					continue
				}
				models++
				for i, o := range everyOption(16, 32, 128) {
					if info, err := os.Stat(path); err == nil && info.Size() > 4<<20 && i%10 > 0 {
						continue // it takes seconds each
					}
					outcome := compare(t, q, m, dir, o)
					if found[outcome]++; !strings.Contains(outcome, "equal") && !strings.Contains(outcome, "nothing") {
						t.Logf("%s %+v: %s", filepath.Base(path), o, outcome)
					}
				}
			}
			t.Logf("%d models: %v", models, found)
		})
	}
}

func readsWeights(m *graphops.Model) bool {
	for _, at := range m.Places() {
		for _, n := range at.Graph.Nodes() {
			if (n.Is("MatMul") || n.Is("Gather")) && slices.ContainsFunc(n.Inputs(), func(name string) bool {
				c := constantAt(at, name)
				return c != nil && len(c.tensor.Dims()) > 1
			}) {
				return true
			}
		}
	}
	return false
}

// generated writes models with weights of odd shapes and of odd numbers.
func generated(t *testing.T, dir string) []*graphops.Model {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	normal := func(int) float32 { return float32(random.NormFloat64()) }
	var out []*graphops.Model
	for i, c := range []struct {
		rows, cols int64
		elem       tensor.DType
		number     func(i int) float32
	}{
		{16, 1, tensor.F32, normal},
		{17, 2, tensor.F32, normal},
		{31, 3, tensor.F32, normal},
		{33, 5, tensor.F16, normal},
		{100, 16, tensor.F32, normal},
		{129, 7, tensor.F16, normal},
		{1, 1, tensor.F32, normal},
		{2, 9, tensor.F32, normal},
		{255, 33, tensor.F32, normal},
		{511, 4, tensor.F32, normal},
		{515, 3, tensor.F32, normal},
		{64, 17, tensor.F32, func(int) float32 { return 0 }},
		{48, 4, tensor.F32, func(i int) float32 { return 1 + normal(i)/8 }},
		{48, 4, tensor.F32, func(i int) float32 { return -1 + normal(i)/8 }},
		{64, 4, tensor.F32, func(i int) float32 { return float32(i%31) - 15 }},
		{64, 6, tensor.F16, func(i int) float32 { return float32(i%16)/4 - 2 }},
		{64, 6, tensor.F32, func(i int) float32 { return float32(i%15)/2 - 3.5 }},
		{80, 3, tensor.F32, func(i int) float32 { return normal(i) * 1e-41 }},
		{80, 3, tensor.F32, func(i int) float32 { return normal(i) * 1e37 }},
		{80, 3, tensor.F16, func(i int) float32 { return normal(i) * 1e-7 }},
		{80, 3, tensor.F16, func(i int) float32 { return min(max(normal(i)*3e4, -65504), 65504) }},
		{300, 37, tensor.F32, func(i int) float32 { return float32(i%7-3) * float32(i%5) }},
		{40, 300, tensor.F32, func(i int) float32 { return normal(i) * float32(i%100) }},
		{1024, 64, tensor.F32, normal},
		{768, 31, tensor.F16, normal},
	} {
		path := filepath.Join(dir, fmt.Sprintf("generated_%d.onnx", i))
		if err := os.WriteFile(path, graphtest.Bytes(t, twoReaders(c.rows, c.cols, c.elem, c.number)), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

// twoReaders is a model in which a MatMul reads a matrix, and a Gather a table.
func twoReaders(rows, cols int64, elem tensor.DType, number func(i int) float32) string {
	var words strings.Builder
	fmt.Fprintf(&words, "opset 21\ninput x %s[2,%d]\ninput i i64[3]\noutput y %[1]s[2,%d]\noutput z %[1]s[3,%[3]d]\ninit w %[1]s[%[2]d,%[3]d]", elem, rows, cols)
	for i := range int(rows * cols) {
		fmt.Fprintf(&words, " %v", elem.Round(float64(number(i))))
	}
	fmt.Fprintf(&words, "\ninit v %s[%d,%d]", elem, rows, cols)
	for i := range int(rows * cols) {
		fmt.Fprintf(&words, " %v", elem.Round(float64(number(i))))
	}
	words.WriteString("\nfc: y = MatMul(x, w)\nlook: z = Gather(v, i)\n")
	return words.String()
}

// compare says what became of a model.
func compare(t *testing.T, q *quantizer, m *graphops.Model, dir string, o Options) string {
	t.Helper()
	ours, theirs := filepath.Join(dir, "a.onnx"), filepath.Join(dir, "b.onnx")
	_, _ = os.Remove(ours), os.Remove(theirs)
	result, report, err := Quantize(context.Background(), m, o, nil)
	a := q.ask(t, request{Model: m.Path(), Out: theirs, Options: &o})
	switch {
	case err != nil && a.Error != nil:
		return "refused by both"
	case errors.Is(err, quant.ErrNothing):
		if len(report.Departures) == 0 && quant.IsQuantized(opened(t, theirs)) && !quant.IsQuantized(m) {
			t.Errorf("%s %+v: %v, but the reference finds something", m.Path(), o, err)
		}
		return "nothing to quantize"
	case err != nil:
		t.Errorf("%s %+v: %v, which the reference does not find", m.Path(), o, err)
		return "refused here"
	}
	if _, err := graphops.Save(context.Background(), result, ours, graphops.SaveOptions{WriteOptions: graphops.WriteOptions{Overwrite: true}}); err != nil {
		t.Errorf("%s %+v: %v", m.Path(), o, err)
		return "not written"
	}
	if l := q.ask(t, request{Model: ours, Load: true}); l.Error != nil && q.ask(t, request{Model: m.Path(), Load: true}).Error == nil {
		t.Errorf("%s %+v: the result does not load: %s", m.Path(), o, *l.Error)
		return "does not load"
	}
	if a.Error != nil {
		if len(slices.DeleteFunc(slices.Clone(report.Departures), func(d Departure) bool { return d == raisedIRVersion || d == noImport })) == 0 {
			t.Errorf("%s %+v: the reference says %s", m.Path(), o, *a.Error)
		}
		return "refused by the reference " + fmt.Sprint(report.Departures)
	}
	a1, b1 := opened(t, ours), opened(t, theirs)
	if version, _ := m.Opset(graphops.DefaultDomain); o.Format == Standard && version < opsetBlocks {
		a1, b1 = onlyQuantized(a1), onlyQuantized(b1) // the reference did not convert the other nodes
	}
	different := difference(t, a1, b1, !slices.Contains(report.Departures, nameCollision))
	// these concern the versions in the head of the model only
	visible := slices.DeleteFunc(slices.Clone(report.Departures), func(d Departure) bool {
		return d == raisedIRVersion || d == opsetConverter || d == nameCollision || d == noImport
	})
	switch {
	case different == "":
		return "equal"
	case len(visible) == 0:
		t.Errorf("%s %+v: %s", m.Path(), o, different)
		return "different"
	}
	return "different because of " + fmt.Sprint(report.Departures)
}

// onlyQuantized returns the model without the nodes and initializers that quantization does not make.
func onlyQuantized(m *graphops.Model) *graphops.Model {
	return m.EditPlaces(func(_ *graphops.Place, e *graphops.GraphEditor) bool {
		e.Nodes = slices.DeleteFunc(e.Nodes, func(n *graphops.Node) bool {
			return len(n.Graphs()) == 0 && !n.Is("DequantizeLinear") && !n.Is("MatMul") && !strings.HasSuffix(n.Outputs()[0], "_transposed")
		})
		e.Initializers = slices.DeleteFunc(e.Initializers, func(x *graphops.Tensor) bool { return !strings.Contains(x.Name(), "_DQ_") })
		return true
	})
}

func opened(t *testing.T, path string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// difference says in what two models differ apart from the order of nodes, bodies and initializers, and
// unless named is set, apart from names.
func difference(t *testing.T, a, b *graphops.Model, named bool) string {
	t.Helper()
	var nodes, tensors [2][]string
	for i, m := range []*graphops.Model{a, b} {
		for _, at := range m.Places() {
			if at.Function == nil { // functions are never changed
				nodes[i] = append(nodes[i], written(at.Graph, named)...)
				tensors[i] = append(tensors[i], initializers(t, at.Graph, named)...)
			}
		}
		slices.Sort(nodes[i])
		slices.Sort(tensors[i])
	}
	if !slices.Equal(nodes[0], nodes[1]) {
		return fmt.Sprintf("nodes\n%s\nexpected\n%s", strings.Join(missing(nodes[0], nodes[1]), "\n"), strings.Join(missing(nodes[1], nodes[0]), "\n"))
	}
	if !slices.Equal(tensors[0], tensors[1]) {
		return fmt.Sprintf("initializers\n%s\nexpected\n%s", strings.Join(missing(tensors[0], tensors[1]), "\n"), strings.Join(missing(tensors[1], tensors[0]), "\n"))
	}
	return ""
}

func missing(list, in []string) []string {
	var out []string
	for _, x := range list {
		if !slices.Contains(in, x) {
			out = append(out, x[:min(len(x), 600)])
		}
	}
	return out
}

func written(g *graphops.Graph, named bool) []string {
	var out []string
	for _, n := range g.Nodes() {
		var attrs []string
		for _, a := range n.Attributes() {
			if len(n.Graphs()) == 0 {
				attrs = append(attrs, fmt.Sprintf("%s=%x", a.Name(), []byte(a.Head())))
			}
		}
		slices.Sort(attrs)
		line := fmt.Sprintf("%s::%s %v", n.Domain(), n.OpType(), attrs)
		if named {
			line += fmt.Sprintf(" %q %q -> %q", n.Name(), n.Inputs(), n.Outputs())
		}
		out = append(out, line)
	}
	return out
}

func initializers(t *testing.T, g *graphops.Graph, named bool) []string {
	t.Helper()
	var out []string
	for _, x := range g.Initializers() {
		if x.DType() == tensor.String {
			continue
		}
		b := bytesOf(t, x)
		name := ""
		if named {
			name = x.Name()
		}
		out = append(out, fmt.Sprintf("%q %s%v %x", name, x.DType(), x.Dims(), b))
	}
	return out
}

// TestRuns runs the result of every combination of options beside the original. Few bits are coarse, so
// the bounds only show that the layouts are read as they were written.
func TestRuns(t *testing.T) {
	q := startQuantizer(t)
	dir := t.TempDir()
	bounds := map[int]float64{2: 0.9, 4: 0.25, 8: 0.03}
	bytesOf := []Options{
		{Bits: 8, BlockSize: 16, OpTypes: OpTypes(), TableAxis: 1},
		{Bits: 8, BlockSize: 16, Symmetric: true, OpTypes: OpTypes(), TableAxis: 1},
		{Bits: 8, BlockSize: 16, Format: Standard},
		{Bits: 8, BlockSize: 16, Format: Standard, Symmetric: true, PerChannel: true},
	}
	for i, m := range generated(t, dir) {
		if i < 3 || i > 5 && i < 23 {
			continue // too small to be close, or made of extreme numbers
		}
		for _, o := range slices.Concat(everyOption(16, 32), bytesOf, methodOptions(KQuant, 16, 128), methodOptions(HQQ, 16, 128)) {
			if o.Method == HQQ && o.Bits == 8 {
				continue // the CPU provider has no kernel for its zero points
			}
			result, _, err := Quantize(context.Background(), m, o, nil)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "result.onnx")
			if _, err := graphops.Save(context.Background(), result, path, graphops.SaveOptions{WriteOptions: graphops.WriteOptions{Overwrite: true}}); err != nil {
				t.Fatal(err)
			}
			a := q.ask(t, request{Model: m.Path(), Others: []string{path}})
			if a.Error != nil || a.Difference[0] == nil || *a.Difference[0] > bounds[o.Bits] {
				worst := 0.0
				if len(a.Difference) > 0 && a.Difference[0] != nil {
					worst = *a.Difference[0]
				}
				t.Errorf("%s %+v: error %v, difference %v", m.Path(), o, a.Error, worst)
			}
		}
	}
}
