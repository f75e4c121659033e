//go:build parity

package quant

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/durable"
	"lathe/graphops/graphtest"
	"lathe/graphops/opset"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
)

// quantizer is the Python that runs testdata/reference.py.
type quantizer struct {
	python   *reference.Python
	version  string
	departed map[Departure]int // how often results were not compared because of one
}

type referenceOptions struct {
	WeightType       string
	PerChannel       bool
	ReduceRange      bool
	WeightSymmetric  *bool
	MatMulConstBOnly bool
	MinimumRealRange float64
	// DefaultTensorType is the type of values of which the reference infers none, 0 for
	// none.
	DefaultTensorType int
	EnableSubgraph    bool
	OpTypes           []string
	Include, Exclude  []string
}

type request struct {
	Model   string            `json:"model"`
	Out     string            `json:"out,omitempty"`
	Options *referenceOptions `json:"options,omitempty"`
	Others  []string          `json:"others,omitempty"`
	Load    bool              `json:"load,omitempty"`
}

type answer struct {
	Error      *string    `json:"error"`
	Difference []*float64 `json:"difference"`
	Version    string     `json:"version"`
}

func startQuantizer(t *testing.T) *quantizer {
	t.Helper()
	r := &quantizer{python: reference.Start(t, "testdata/reference.py"), departed: map[Departure]int{}}
	var hello answer
	r.python.Read(t, &hello)
	r.version = hello.Version
	return r
}

func (r *quantizer) ask(t *testing.T, q request) (a answer) {
	t.Helper()
	r.python.Ask(t, q, &a)
	return a
}

// roundsWidth reports whether this version computes the width of a range in the
// type of the weight, as up to 1.30, and not in float64.
func (r *quantizer) roundsWidth() bool {
	var major, minor int
	_, err := fmt.Sscanf(r.version, "%d.%d", &major, &minor)
	return err == nil && major == 1 && minor <= 30
}

// TestParity quantizes every model with every combination of options and
// compares nodes up to order, and initializers bit for bit, with the reference.
// Where a departure is reported the two must differ; the result must then still
// load, and come close to the original.
func TestParity(t *testing.T) {
	r := startQuantizer(t)
	dir := t.TempDir()
	path := map[string]string{}
	subgraphs := map[string]bool{}
	for _, m := range models {
		subgraphs[m.name] = m.subgraphs
		p := filepath.Join(dir, strings.ReplaceAll(m.name, " ", "_")+".onnx")
		if err := os.WriteFile(p, graphtest.Bytes(t, m.text), 0o600); err != nil {
			t.Fatal(err)
		}
		path[m.name] = p
	}
	for _, name := range []string{"gather_mlp", "digits", "text_classifier", "mlp_dynamo"} {
		path[name] = filepath.Join("..", "..", "testdata", name+".onnx")
	}
	// A model that others made, where it is there.
	bert := filepath.Join("..", "..", "..", "shared", "models", "text", "tf_bert_question_answering.onnx")
	if _, err := os.Stat(bert); err == nil {
		path["bert"] = bert
	}
	names := make([]string, 0, len(path))
	for name := range path {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for i, o := range everyOption() {
				if name == "bert" && i%12 > 0 { // it takes seconds each
					continue
				}
				o.Subgraphs = subgraphs[name]
				compareOne(t, r, path[name], filepath.Join(dir, "a.onnx"), filepath.Join(dir, "b.onnx"), o)
				if t.Failed() {
					return // more of the same is no help
				}
			}
		})
	}
}

// TestParityOfChoice compares what becomes of a model of which a part is
// chosen.
func TestParityOfChoice(t *testing.T) {
	r := startQuantizer(t)
	dir := t.TempDir()
	for _, tt := range []struct {
		model string
		o     DynamicOptions
	}{
		{"shared input", DynamicOptions{Exclude: []string{"a"}}},
		{"shared input", DynamicOptions{Include: []string{"a"}}},
		{"shared weight", DynamicOptions{Exclude: []string{"b"}}},
		{"shared weight", DynamicOptions{Exclude: []string{"a"}, PerChannel: true}},
		{"gemm", DynamicOptions{Include: []string{"fc_MatMul"}}},
		{"gather to everything", DynamicOptions{OpTypes: []string{"MatMul"}}},
		{"gather to everything", DynamicOptions{OpTypes: []string{"Gather"}}},
		{"gather to everything", DynamicOptions{OpTypes: []string{"MatMul", "Gather"}}},
		{"gather to everything", DynamicOptions{OpTypes: []string{"Gather", "Transpose"}}},
		{"gather to everything", DynamicOptions{Exclude: []string{"t"}}},
		{"transpose after matmul", DynamicOptions{OpTypes: []string{"MatMul"}}},
		{"attention", DynamicOptions{Exclude: []string{"p"}}},
		{"shared input", DynamicOptions{MinimumRealRange: 0.7, MatMulConstBOnly: true}},
		{"shared input", DynamicOptions{MinimumRealRange: 12.3, PerChannel: true, WeightSymmetric: Asymmetric, MatMulConstBOnly: true}},
		{"lstm", DynamicOptions{MinimumRealRange: 5, PerChannel: true}},
		{"gather to everything", DynamicOptions{MinimumRealRange: 11}},
	} {
		t.Run(fmt.Sprintf("%s, %v", tt.model, tt.o), func(t *testing.T) {
			tt.o.WeightType = tensor.I8
			path := filepath.Join(dir, "model.onnx")
			if err := os.WriteFile(path, graphtest.Bytes(t, modelText(t, tt.model)), 0o600); err != nil {
				t.Fatal(err)
			}
			compareOne(t, r, path, filepath.Join(dir, "a.onnx"), filepath.Join(dir, "b.onnx"), tt.o)
		})
	}
}

// TestRaised runs models of earlier opsets beside what they are raised to: the numbers
// must be the same.
func TestRaised(t *testing.T) {
	r := startQuantizer(t)
	dir := t.TempDir()
	before, after := filepath.Join(dir, "a.onnx"), filepath.Join(dir, "b.onnx")
	for _, m := range models {
		raised, _, err := opset.AtLeast(context.Background(), graphtest.Model(t, m.text), opsetDynamicQuantizeLinear)
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		if err := os.WriteFile(before, graphtest.Bytes(t, m.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := graphops.Save(context.Background(), raised, after, graphops.SaveOptions{Options: durable.Options{Overwrite: true}}); err != nil {
			t.Fatal(err)
		}
		a := r.ask(t, request{Model: before, Others: []string{after}})
		if a.Error == nil && (a.Difference[0] == nil || *a.Difference[0] != 0) {
			t.Errorf("%s: %+v", m.name, a)
		}
	}
}

// TestBatchFirst compares what becomes of an LSTM with the batch first, which ONNX Runtime
// does not run, with the same between Transposes.
func TestBatchFirst(t *testing.T) {
	r := startQuantizer(t)
	dir := t.TempDir()
	text := modelText(t, "lstm with the batch first")
	q, _, err := Dynamic(context.Background(), graphtest.Model(t, text), DefaultDynamicOptions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	lines, _, _ := strings.Cut(text, "a: y")
	plain := lines + `
		xs = Transpose(x) perm=[1,0,2]
		hs = Transpose(h0) perm=[1,0,2]
		cs = Transpose(c0) perm=[1,0,2]
		ys, hl, cl = LSTM(xs, w, r, , , hs, cs) direction='bidirectional' hidden_size=2
		y = Transpose(ys) perm=[2,0,1,3]
		h = Transpose(hl) perm=[1,0,2]
		c = Transpose(cl) perm=[1,0,2]`
	wide, narrow := filepath.Join(dir, "a.onnx"), filepath.Join(dir, "b.onnx")
	if err := os.WriteFile(wide, graphtest.Bytes(t, plain), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := graphops.Save(context.Background(), q, narrow, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	a := r.ask(t, request{Model: wide, Others: []string{narrow}})
	if a.Error != nil || a.Difference[0] == nil || *a.Difference[0] > 0.05 {
		t.Errorf("%+v", a)
	}
}

// TestParityOfOthers quantizes models that others made. Where nothing can be quantized,
// the reference must not quantize anything either, unless a departure is reported.
func TestParityOfOthers(t *testing.T) {
	r := startQuantizer(t)
	dir := t.TempDir()
	for _, c := range []reference.Corpus{reference.Testdata, reference.Shared, reference.Others()} {
		t.Run(c.Name, func(t *testing.T) {
			options := eightOptions()
			if c == reference.Debian { // whose models are a node each, and thousands
				options = []DynamicOptions{options[0], options[7]}
			}
			found := tally{}
			for _, path := range c.Models(t) {
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil || !hasCandidate(m) {
					found["models without a candidate"]++
					continue
				}
				found["models"]++
				here := tally{}
				for _, o := range options {
					here[compareOther(t, r, m, filepath.Join(dir, "a.onnx"), filepath.Join(dir, "b.onnx"), o)]++
				}
				for outcome, n := range here {
					found[outcome] += n
				}
				t.Logf("%s: %v", path, here)
			}
			t.Logf("%v; departures %v", found, r.departed)
			clear(r.departed)
		})
	}
}

// tally counts what became of pairs of a model and options.
type tally map[string]int

// eightOptions are all combinations of what is asked for most; with every other, bodies.
func eightOptions() []DynamicOptions {
	var out []DynamicOptions
	for bits := range 8 {
		o := DynamicOptions{
			WeightType: tensor.I8, PerChannel: bits&1 > 0, ReduceRange: bits&2 > 0,
			MatMulConstBOnly: true, Subgraphs: bits&1 > 0,
		}
		if bits&4 > 0 {
			o.WeightType = tensor.U8
		}
		out = append(out, o)
	}
	return out
}

// compareOther tells what became of a model.
func compareOther(t *testing.T, r *quantizer, m *graphops.Model, ours, theirs string, o DynamicOptions) string {
	t.Helper()
	q, report, err := Dynamic(context.Background(), m, o, nil)
	path := elsewhere(t, m, filepath.Join(filepath.Dir(ours), "model.onnx"))
	_ = os.Remove(theirs)
	options := forReference(o)
	a := r.ask(t, request{Model: path, Out: theirs, Options: options})
	typed := ""
	if a.Error != nil && untyped.MatchString(*a.Error) {
		options.DefaultTensorType = int(tensor.F32)
		a = r.ask(t, request{Model: path, Out: theirs, Options: options})
		typed = "told that what it cannot infer is float32, "
	}
	switch {
	case err != nil && a.Error != nil:
		return "refused by both"
	case errors.Is(err, ErrNothing):
		if a.Error == nil && len(report.Departures) == 0 && IsQuantized(open(t, theirs)) && !IsQuantized(m) {
			t.Errorf("%s %+v: %v, but the reference finds something", m.Path(), o, err)
		}
		return "nothing to quantize"
	case err != nil:
		t.Errorf("%s %+v: %v, which the reference does not find", m.Path(), o, err)
		return "refused here"
	}
	if _, err := graphops.Save(context.Background(), q, ours, graphops.SaveOptions{Options: durable.Options{Overwrite: true}}); err != nil {
		t.Errorf("%s %+v: %v", m.Path(), o, err)
		return "not written"
	}
	result := r.ask(t, request{Model: ours, Load: true})
	if result.Error != nil && r.ask(t, request{Model: m.Path(), Load: true}).Error == nil {
		t.Errorf("%s %+v: the result does not load: %s", m.Path(), o, *result.Error)
	}
	if a.Error != nil && slices.Equal(report.Departures, []Departure{TransposedValueInfo}) {
		r.departed[TransposedValueInfo]++
		stripped := withoutShapesOfWeights(t, m, filepath.Join(filepath.Dir(ours), "stripped.onnx"))
		return "once the shapes of weights are not stated, " + compareOther(t, r, stripped, ours, theirs, o)
	}
	return typed + compareResult(t, r, m.Path(), ours, theirs, o, report, a)
}

// withoutShapesOfWeights is a copy of a model whose value_info says nothing of constants.
func withoutShapesOfWeights(t *testing.T, m *graphops.Model, path string) *graphops.Model {
	t.Helper()
	m = m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		x := p.Graph.Index()
		e.ValueInfo = slices.DeleteFunc(e.ValueInfo, func(v *graphops.ValueInfo) bool {
			id, ok := x.Value(v.Name())
			return ok && x.IsInitializer(id)
		})
		return true
	})
	if _, err := graphops.Save(context.Background(), m, path, graphops.SaveOptions{Options: durable.Options{Overwrite: true}}); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

// elsewhere is a link to the file of a model, because the reference writes beside what
// it reads. External data lies beside it, too: such a model is read where it is.
func elsewhere(t *testing.T, m *graphops.Model, link string) string {
	t.Helper()
	if m.HasExternalData() {
		return m.Path()
	}
	if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.Symlink(m.Path(), link); err != nil {
		t.Fatal(err)
	}
	return link
}

// compareResult compares what was written by both. Where the reference gives up for
// want of types that it does not infer, there is nothing to compare.
func compareResult(t *testing.T, r *quantizer, path, ours, theirs string, o DynamicOptions, report *Report, a answer) string {
	t.Helper()
	departed := slices.DeleteFunc(slices.Clone(report.Departures), func(d Departure) bool { return o.Subgraphs && d == NameCollision })
	for _, d := range departed {
		r.departed[d]++
	}
	switch {
	case a.Error != nil && (len(departed) > 0 || gaveUp.MatchString(*a.Error)):
		return "refused by the reference"
	case a.Error != nil:
		t.Errorf("%s %+v: the reference refuses: %s", path, o, *a.Error)
		return "refused by the reference"
	case len(departed) > 0:
		if n := differing(contents(t, theirs), contents(t, ours)); n > 0 {
			return "departed, with other numbers"
		}
		return "departed, with equal numbers"
	}
	if diff := cmp.Diff(contents(t, theirs), contents(t, ours), r.elements()); diff != "" {
		t.Errorf("%s %+v: (-reference +ours):\n%.4000s", path, o, diff)
		return "other than the reference"
	}
	return "equal"
}

// differing counts the constants that both have by one name and that are not the same.
func differing(a, b content) int {
	n := 0
	for name, x := range a.Initializers {
		y, both := b.Initializers[name]
		if both && !(x.Type == y.Type && slices.Equal(x.Dims, y.Dims) && bytes.Equal(x.Elements.Data, y.Elements.Data)) {
			n++
		}
	}
	return n
}

// untyped is what the reference says where it could not infer types, gaveUp what it says of
// a model that it cannot read.
var (
	untyped = regexp.MustCompile("Unable to find data type")
	gaveUp  = regexp.MustCompile("Unable to find data type|No opset import for domain")
)

// hasCandidate reports whether a node is of an operator that is quantized, by name
// alone.
func hasCandidate(m *graphops.Model) bool {
	for n := range m.AllNodes() {
		if _, ok := families[n.OpType()]; ok && n.OpType() != "Transpose" {
			return true
		}
	}
	return false
}

func forReference(o DynamicOptions) *referenceOptions {
	out := &referenceOptions{
		WeightType: o.WeightType.String(), PerChannel: o.PerChannel, ReduceRange: o.ReduceRange,
		MatMulConstBOnly: o.MatMulConstBOnly, MinimumRealRange: o.MinimumRealRange, EnableSubgraph: o.Subgraphs, OpTypes: o.OpTypes, Include: o.Include, Exclude: o.Exclude,
	}
	if o.WeightSymmetric != SymmetryByType {
		symmetric := o.WeightSymmetric == Symmetric
		out.WeightSymmetric = &symmetric
	}
	return out
}

func compareOne(t *testing.T, r *quantizer, path, ours, theirs string, o DynamicOptions) {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	q, report, err := Dynamic(context.Background(), m, o, nil)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	if _, err := graphops.Save(context.Background(), q, ours, graphops.SaveOptions{Options: durable.Options{Overwrite: true}}); err != nil {
		t.Fatal(err)
	}
	a := r.ask(t, request{Model: path, Out: theirs, Options: forReference(o)})
	diff := ""
	if a.Error == nil {
		diff = cmp.Diff(contents(t, theirs), contents(t, ours), r.elements())
	}
	same := a.Error == nil && diff == ""
	if o.Subgraphs {
		report.Departures = slices.DeleteFunc(report.Departures, func(d Departure) bool { return d == NameCollision })
	}
	switch {
	case len(report.Departures) == 0 && a.Error != nil:
		t.Errorf("%+v: the reference refuses: %s", o, *a.Error)
	case len(report.Departures) == 0 && !same:
		t.Errorf("%+v: (-reference +ours):\n%s", o, diff)
	case len(report.Departures) > 0 && same && !slices.Equal(report.Departures, r.mended()):
		t.Errorf("%+v: equal to the reference, but %v is reported", o, report.Departures)
	}
	same = same && r.roundsWidth()
	checkOutputs(t, r, path, ours, theirs, o, report, same)
}

// checkOutputs runs the original and both results. Eight bits leave an error of
// a few percent of the largest value in these small models.
func checkOutputs(t *testing.T, r *quantizer, path, ours, theirs string, o DynamicOptions, report *Report, same bool) {
	t.Helper()
	a := r.ask(t, request{Model: path, Others: []string{ours}})
	switch {
	case a.Error != nil: // what the original cannot do, the result may
		if b := r.ask(t, request{Model: ours}); b.Error != nil {
			t.Errorf("%+v: neither original nor result runs: %s; %s", o, *a.Error, *b.Error)
		}
	case a.Difference[0] == nil:
		t.Errorf("%+v: the result does not run, departures %v", o, report.Departures)
	case *a.Difference[0] > 0.2:
		t.Errorf("%+v: the outputs differ by %g of the largest, departures %v", o, *a.Difference[0], report.Departures)
	}
	if !same {
		return
	}
	b := r.ask(t, request{Model: ours, Others: []string{theirs}})
	if b.Error != nil || b.Difference[0] == nil || *b.Difference[0] != 0 {
		t.Errorf("%+v: outputs of equal models differ: %+v", o, b)
	}
}

type content struct {
	IR           int64
	Nodes        []string
	Initializers map[string]constant
	Inputs       []string
	Outputs      []string
	Opsets       []graphops.Opset
}

type constant struct {
	Type     tensor.DType
	Dims     []int64
	Elements elements
}

// elements are the numbers of a constant, from least to most significant byte.
type elements struct {
	Type tensor.DType
	Data []byte
}

// mended are the departures that this version of the reference has caught up
// with.
func (r *quantizer) mended() []Departure {
	if r.roundsWidth() {
		return nil
	}
	return []Departure{RangeOverflow}
}

// elements compares constants bit for bit. For a version that does not round
// the width of a range, a scale may differ in its last bit, and codes by one.
func (r *quantizer) elements() cmp.Option {
	return cmp.Comparer(func(a, b elements) bool {
		if r.roundsWidth() || bytes.Equal(a.Data, b.Data) {
			return bytes.Equal(a.Data, b.Data)
		}
		x, errX := tensor.Tensor{DType: a.Type, Shape: []int64{int64(len(a.Data) * 8 / a.Type.Bits())}, Data: a.Data}.Float64s()
		y, errY := tensor.Tensor{DType: b.Type, Shape: []int64{int64(len(b.Data) * 8 / b.Type.Bits())}, Data: b.Data}.Float64s()
		if errX != nil || errY != nil || len(x) != len(y) {
			return false
		}
		for i := range x {
			slack := 1.0
			if a.Type == tensor.F32 {
				slack = math.Abs(x[i]) * 0x1p-23
			}
			if math.Abs(x[i]-y[i]) > slack {
				return false
			}
		}
		return true
	})
}

// numbered is the end of a name that collided. Where the two bodies of a node use
// one name, which they may, the reference does too; that is no difference.
var numbered = regexp.MustCompile(`__[0-9]+`)

func contents(t *testing.T, path string) content {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := content{IR: m.IRVersion(), Nodes: nodeLines(m.Graph()), Initializers: map[string]constant{}, Opsets: m.Opsets()}
	slices.Sort(c.Nodes)
	for g := range m.Graphs() {
		c.add(t, g.Initializers())
	}
	for _, v := range m.Graph().Inputs() {
		c.Inputs = append(c.Inputs, v.Name())
	}
	for _, v := range m.Graph().Outputs() {
		c.Outputs = append(c.Outputs, v.Name())
	}
	return c
}

// nodeLines are the nodes of a graph and of its bodies with their attributes in order,
// as the reference writes them.
func nodeLines(g *graphops.Graph) []string {
	var out []string
	for _, n := range g.Nodes() {
		attrs := slices.SortedFunc(slices.Values(n.Attributes()), func(a, b *graphops.Attribute) int { return strings.Compare(a.Name(), b.Name()) })
		out = append(out, numbered.ReplaceAllString(graphtest.Node(n.WithAttributes(attrs)), ""))
		for _, body := range n.Graphs() {
			for _, line := range nodeLines(body) {
				out = append(out, "  "+line)
			}
		}
	}
	return out
}

// add takes over constants. Bodies beside each other may have some of one name.
func (c *content) add(t *testing.T, list []*graphops.Tensor) {
	t.Helper()
	for _, x := range list {
		data, err := x.Data()
		if err != nil {
			t.Fatal(err)
		}
		b, err := data.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		name := numbered.ReplaceAllString(x.Name(), "")
		for c.Initializers[name].Dims != nil {
			name += "'"
		}
		c.Initializers[name] = constant{x.DType(), append([]int64{}, x.Dims()...), elements{x.DType(), b}}
	}
}
