//go:build parity

package half

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
)

type referenceOptions struct {
	KeepIO     any              `json:"keep_io_types"`
	KeptOps    []string         `json:"op_block_list"`
	Exclude    []string         `json:"node_block_list"`
	Min        float64          `json:"min_positive_val"`
	Max        float64          `json:"max_finite_val"`
	AllWeights bool             `json:"force_fp16_initializers"`
	Forced     map[string][]int `json:"force_fp16_inputs"`
}

type request struct {
	Model   string            `json:"model,omitempty"`
	Out     string            `json:"out,omitempty"`
	Options *referenceOptions `json:"options,omitempty"`
	Others  []string          `json:"others,omitempty"`
	Bits    []uint32          `json:"bits,omitempty"`
}

type answer struct {
	Error      *string    `json:"error"`
	Difference []*float64 `json:"difference"`
	Failure    []*string  `json:"failure"`
	Codes      []uint16   `json:"codes"`
	Halves     []uint16   `json:"halves"`
	Version    string     `json:"version"`
}

type parity struct {
	python *reference.Python
	found  map[string]int    // what became of pairs of a model and options
	known  map[string]string // the outcomes in testdata/outcomes.txt, by model and options
}

const (
	same    = "same"
	differs = "differs"
	refused = "refused" // by the reference
)

const outcomesFile = "testdata/outcomes.txt"

var update = flag.Bool("update", false, "write "+outcomesFile)

func start(t *testing.T) *parity {
	t.Helper()
	r := &parity{reference.Start(t, "testdata/reference.py"), map[string]int{}, map[string]string{}}
	var hello answer
	r.python.Read(t, &hello)
	b, err := os.ReadFile(outcomesFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		name, outcome, _ := strings.Cut(strings.TrimSpace(line), ": ")
		r.known[name] = outcome
	}
	t.Cleanup(func() {
		if *update {
			r.write(t)
		}
	})
	return r
}

// write records the outcomes, without those that are the same.
func (r *parity) write(t *testing.T) {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.known)) {
		if r.known[name] != same {
			fmt.Fprintf(&out, "%s: %s\n", name, r.known[name])
		}
	}
	if err := os.WriteFile(outcomesFile, []byte(out.String()), 0o600); err != nil {
		t.Error(err)
	}
}

func (r *parity) ask(t *testing.T, q request) (a answer) {
	t.Helper()
	r.python.Ask(t, q, &a)
	return a
}

// everyOption are the options that change the result.
func everyOption() []Options {
	var out []Options
	for _, change := range []func(*Options){
		func(*Options) {},
		func(o *Options) { o.KeepIO = true },
		func(o *Options) { o.KeptOps = nil },
		func(o *Options) { o.KeptOps = []string{"Relu", "Add", "MatMul", "Conv", "Softmax"} },
		func(o *Options) { o.KeptOps, o.KeepIO = []string{"Mul", "Neg", "Gemm", "If", "Loop"}, true },
		func(o *Options) { o.MinPositive, o.MaxFinite = 1e-7, 1e4 },
		func(o *Options) { o.MinPositive, o.MaxFinite, o.KeepIO = 3.1e-5, 0.7, true },
		func(o *Options) { o.AllWeights = true },
		func(o *Options) { o.Exclude = []string{"a", "r", "fc"} },
	} {
		o := DefaultOptions()
		change(&o)
		out = append(out, o)
	}
	return out
}

func forReference(o Options) *referenceOptions {
	r := &referenceOptions{
		KeepIO: o.KeepIO, KeptOps: orEmpty(o.KeptOps), Exclude: orEmpty(o.Exclude),
		Min: float64(o.MinPositive), Max: float64(o.MaxFinite), AllWeights: o.AllWeights,
	}
	if o.MinPositive == SmallestF16 {
		r.Min = SmallestF16
	}
	if len(o.KeptIO) > 0 {
		r.KeepIO = o.KeptIO
	}
	return r
}

func orEmpty(s []string) []string { return append([]string{}, s...) }

// TestParity converts every model with every combination of options, and compares nodes
// up to order and names, and constants bit for bit, with the reference. Which results differ is
// recorded in testdata/outcomes.txt. All results must be valid, run, and come close to the
// original.
func TestParity(t *testing.T) {
	r := start(t)
	dir := t.TempDir()
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) {
			path := filepath.Join(dir, strings.ReplaceAll(m.name, " ", "_")+".onnx")
			if err := os.WriteFile(path, graphtest.Bytes(t, m.text), 0o600); err != nil {
				t.Fatal(err)
			}
			options := everyOption()
			if m.change != nil {
				o := DefaultOptions()
				m.change(&o)
				options = append(options, o)
			}
			for i, o := range options {
				o.Exclude = slices.DeleteFunc(o.Exclude, func(name string) bool { return !hasNode(t, path, name) })
				t.Run(fmt.Sprint(i), func(t *testing.T) { r.compareOne(t, path, dir, o) })
			}
		})
	}
}

func hasNode(t *testing.T, path, name string) bool {
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return graphops.NamesOf(m).HasNode(name)
}

// TestParityOfExports does so with models that exporters made.
func TestParityOfExports(t *testing.T) {
	r := start(t)
	dir := t.TempDir()
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "*.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	for _, corpus := range []string{"../../../shared/models/vision", "../../../shared/models/text", "../../../shared/models/control"} {
		more, err := filepath.Glob(filepath.Join(corpus, "*.onnx"))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, more...)
	}
	if folder := os.Getenv("LATHE_CORPUS"); folder != "" {
		err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
			if strings.HasSuffix(path, ".onnx") {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	options := everyOption()[:2]
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			for i, o := range options {
				t.Run(fmt.Sprint(i), func(t *testing.T) { r.compareOne(t, path, dir, o) })
			}
		})
	}
	t.Logf("%d models: %v", len(paths), r.found)
}

func (r *parity) compareOne(t *testing.T, path, dir string, o Options) {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Skip(err)
	}
	q, report, err := Float16(context.Background(), m, o, nil)
	if errors.Is(err, errNothing) {
		r.found["nothing to convert"]++
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := filepath.Join(dir, "a.onnx"), filepath.Join(dir, "b.onnx")
	if _, err := graphops.Save(context.Background(), q, ours, graphops.SaveOptions{WriteOptions: graphops.WriteOptions{Overwrite: true}}); err != nil {
		t.Fatal(err)
	}
	problems, err := check.Model(context.Background(), q, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	before, err := check.Model(context.Background(), m, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if p.Severity == check.Error && !slices.ContainsFunc(before, func(b check.Problem) bool { return b.Code == p.Code }) {
			t.Errorf("%s: %s", p.Code, p.Message)
		}
	}
	_ = os.Remove(theirs)
	a := r.ask(t, request{Model: path, Out: theirs, Options: forReference(o)})
	difference := ""
	if a.Error == nil {
		a, b := contents(t, theirs), contents(t, ours)
		for i, v := range b.Outputs { // the reference declares what it infers
			if name, unknown := strings.CutSuffix(v, " ?"); unknown && i < len(a.Outputs) && strings.HasPrefix(a.Outputs[i], name+" ") {
				a.Outputs[i] = v
			}
		}
		difference = diff.Diff(a, b)
	}
	outcome := same
	switch {
	case a.Error != nil && strings.HasPrefix(*a.Error, "InferenceError"): // the model is not valid
	case a.Error != nil:
		outcome = refused
	case difference != "":
		outcome = differs
	}
	r.found[outcome]++
	name := t.Name()
	if *update {
		r.known[name] = outcome
	} else if want := cmp.Or(r.known[name], same); outcome != want {
		t.Errorf("%s, expected %s (-reference +ours):\n%s", outcome, want, difference)
	}
	// what the reference makes may lose as much
	r.checkOutputs(t, path, ours, report, outcome == same)
	if t.Failed() {
		t.Logf("ours:\n%s", strings.Join(graphtest.Nodes(q.Graph())[:min(20, len(graphtest.Nodes(q.Graph())))], "\n"))
	}
}

// checkOutputs runs the original and the result: 11 digits in base 2 leave an error of
// a few parts in a thousand in these models.
func (r *parity) checkOutputs(t *testing.T, path, ours string, report *Report, same bool) {
	t.Helper()
	a := r.ask(t, request{Model: path, Others: []string{ours}})
	switch {
	case a.Error != nil && *a.Error == "the process died" && r.ask(t, request{Model: path}).Error == nil:
		t.Error("the result brings the runtime down")
	case a.Error != nil:
		t.Logf("the original does not run: %s", *a.Error)
	case a.Difference[0] == nil:
		t.Errorf("the result does not run: %s", *a.Failure[0])
	case !same && *a.Difference[0] > 0.02 && len(report.Truncated()) == 0:
		t.Errorf("the outputs differ by %g of the largest", *a.Difference[0])
	}
}

type content struct {
	Nodes        []string
	Initializers map[string]string
	Inputs       []string
	Outputs      []string
}

// contents are what a model consists of, whatever new values are called: each value is
// called by what it is made of. Where a Cast that a conversion made widens what another
// one has just rounded, which the reference does between nodes in float32, it is read
// as it was.
func contents(t *testing.T, path string) content {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{t: t, content: content{Initializers: map[string]string{}}}
	w.graph(m.Graph(), nil)
	for _, f := range m.Functions() {
		w.graph(f.Graph(), nil)
	}
	for _, v := range m.Graph().Inputs() {
		w.Inputs = append(w.Inputs, v.Name()+" "+v.Type().String())
	}
	for _, v := range m.Graph().Outputs() {
		w.Outputs = append(w.Outputs, v.Name()+" "+v.Type().String())
	}
	slices.Sort(w.Nodes)
	// A Cast that the reference makes twice under one name is one.
	var nodes []string
	for i, line := range w.Nodes {
		if i == 0 || line != w.Nodes[i-1] || !strings.HasPrefix(line, "Cast ") {
			nodes = append(nodes, line)
		}
	}
	w.Nodes = nodes
	return w.content
}

type writer struct {
	t *testing.T
	content
}

// made is a value: what it is made of, and of what it was rounded if a Cast of the
// conversion did that.
type made struct {
	id   string
	from *made
	line string // of that Cast
	used bool
}

type names struct {
	outer  *names
	values map[string]*made
}

func (n *names) find(name string) *made {
	for ; n != nil; n = n.outer {
		if v := n.values[name]; v != nil {
			return v
		}
	}
	return &made{id: "?" + name}
}

func (w *writer) graph(g *graphops.Graph, outer *names) {
	order, err := g.Order()
	if err != nil {
		w.t.Fatal(err)
	}
	n := &names{outer, map[string]*made{}}
	for _, v := range g.Inputs() {
		n.values[v.Name()] = &made{id: v.Name()}
	}
	for _, x := range g.Initializers() {
		n.values[x.Name()] = &made{id: x.Name()}
		w.Initializers[x.Name()] = w.tensor(x)
	}
	for _, i := range order {
		w.node(g.Nodes()[i], n)
	}
	for _, v := range g.Outputs() {
		w.use(n.find(v.Name()))
		w.Nodes = append(w.Nodes, "output "+n.find(v.Name()).id)
	}
}

func (w *writer) use(v *made) {
	if v.line != "" && !v.used {
		v.used = true
		w.Nodes = append(w.Nodes, v.line)
		w.use(v.from)
	}
}

func (w *writer) node(node *graphops.Node, n *names) {
	conversion := strings.HasSuffix(node.Name(), "_cast_to_fp16_node") || strings.HasSuffix(node.Name(), "_cast_to_fp32_node") ||
		strings.HasPrefix(node.Name(), "graph_input_cast") || strings.HasPrefix(node.Name(), "graph_output_cast") || strings.HasSuffix(node.Name(), "_cast")
	if node.OpType() == "Cast" && conversion {
		from, to := n.find(node.Inputs()[0]), attributes(w, node)
		v := &made{id: hash("Cast", to, from.id), from: from, line: "Cast" + to + from.id}
		if from.from != nil { // and back
			v = from.from
		}
		n.values[node.Outputs()[0]] = v
		return
	}
	line := node.Name() + ": " + node.Domain() + " " + node.OpType() + attributes(w, node)
	for _, name := range node.Inputs() {
		if name == "" {
			line += ", "
			continue
		}
		w.use(n.find(name))
		line += ", " + n.find(name).id
	}
	for o, name := range node.Outputs() {
		n.values[name] = &made{id: node.OpType() + hash(line, fmt.Sprint(o))}
	}
	for _, g := range node.Graphs() {
		w.graph(g, n)
	}
	w.Nodes = append(w.Nodes, line)
}

func attributes(w *writer, node *graphops.Node) string {
	var out []string
	for _, a := range node.Attributes() {
		switch {
		case a.Tensor() != nil:
			out = append(out, a.Name()+"="+w.tensor(a.Tensor()))
		case len(a.Graphs()) > 0:
		default:
			out = append(out, a.Name()+"="+a.String())
		}
	}
	slices.Sort(out)
	return " [" + strings.Join(out, " ") + "]"
}

func (w *writer) tensor(x *graphops.Tensor) string {
	if x.DType() == tensor.String {
		return "strings"
	}
	data, err := x.Data()
	if err != nil {
		w.t.Fatal(err)
	}
	b, err := data.Bytes()
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf("%s%v %s", x.DType(), x.Dims(), hash(string(b)))
}

func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return fmt.Sprintf("%x", sum[:6])
}

// TestParityOfNumbers narrows float32s of every kind.
func TestParityOfNumbers(t *testing.T) {
	r := start(t)
	var bits []uint32
	for high := range uint32(1 << 16) {
		for _, low := range []uint32{0, 0x1000, 0x3001, 0x7FFF, 0x8000, 0x8001} {
			bits = append(bits, high<<16|low)
		}
	}
	raw := make([]byte, 0, 4*len(bits))
	for _, b := range bits {
		raw = append(raw, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
	}
	a := r.ask(t, request{Bits: bits})
	for _, tt := range []struct {
		to   tensor.DType
		want []uint16
	}{{tensor.F16, a.Halves}, {tensor.BF16, a.Codes}} {
		var out strings.Builder
		if _, err := DefaultOptions().narrowing(tt.to).Write(&out, strings.NewReader(string(raw)), int64(len(bits))); err != nil {
			t.Fatal(err)
		}
		for i, want := range tt.want {
			if got := uint16(out.String()[2*i]) | uint16(out.String()[2*i+1])<<8; got != want {
				t.Fatalf("%#08x is %#04x in %s, expected %#04x", bits[i], got, tt.to, want)
			}
		}
	}
}

// TestParityOfOperators does so with a model of near every operator that runs on a CPU.
func TestParityOfOperators(t *testing.T) {
	r := start(t)
	dir := t.TempDir()
	for _, base := range mutate.Bases(t) {
		t.Run(base.Name, func(t *testing.T) {
			b, err := proto.Marshal(base.Model)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "model.onnx")
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			for i, o := range everyOption()[:5] {
				if o.KeepIO && base.Name == "GroupNormalization" {
					continue // whose output has no type, as far as onnx infers
				}
				t.Run(fmt.Sprint(i), func(t *testing.T) { r.compareOne(t, path, dir, o) })
			}
		})
	}
}
