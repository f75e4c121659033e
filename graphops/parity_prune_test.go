//go:build parity

package graphops_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// refusals are the cuts that onnx.utils.extract_model does not make, by what it
// says then, with the reason. Lathe makes all of them.
var refusals = map[string]string{
	"has been used as output names mul":     "where a node stays for one output, it defines the other twice when that becomes an input",
	"in initializer but not in graph input": "it drops the weights from the inputs, where IR version 3 wants them",
	"were not found in value_infos":         "it takes no value of which inference cannot tell the type",
	"Field 'shape' of 'type' is required":   "it takes no value of which inference cannot tell the rank",
	"must be topologically sorted":          "it drops what only a body captures",
	"Input tensor names shall not be empty": "it takes no graph without inputs",
}

// TestPruneParity cuts models at random values and compares with extract_model.
// That wants every input named; value_info, in which it repeats inputs and
// outputs and keeps what it inferred, is left out.
func TestPruneParity(t *testing.T) {
	o := startONNX(t)
	eachCorpus(t, o, func(t *testing.T, models []string) {
		p := pruneParity{onnxPackage: o, dir: t.TempDir(), count: map[string]int{}}
		for _, path := range models {
			p.model(t, path)
		}
		for _, key := range slices.SortedFunc(maps.Keys(p.count), func(a, b string) int { return p.count[b] - p.count[a] }) {
			t.Logf("%6d %s", p.count[key], key)
		}
		if p.count[equal] < 10 {
			t.Errorf("%d cuts compared", p.count[equal])
		}
	})
}

type pruneParity struct {
	onnxPackage
	dir   string
	count map[string]int
}

// What becomes of a cut, besides the reasons of refusals.
const (
	equal     = "equal to the reference"
	checked   = "pass onnx.checker"
	noType    = "have an input or output of unknown type, which onnx.checker refuses"
	noRank    = "have an input or output of unknown rank, which onnx.checker refuses"
	unchecked = "are of an original that onnx.checker refuses itself"
)

// model makes five cuts in a model.
func (p *pruneParity) model(t *testing.T, path string) {
	t.Helper()
	m := open(t, path)
	if len(m.Graph().Nodes()) == 0 {
		return
	}
	invalid := p.ask(t, onnxRequest{Do: "check", Model: path})
	types := p.infer(t, path)
	random := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		inputs, outputs := cutAtRandom(random, m)
		plan, err := graphops.PlanPrune(m, graphops.PruneOptions{Inputs: inputs, Outputs: outputs})
		if err != nil {
			t.Errorf("%s: %q to %q: %v", path, inputs, outputs, err)
			continue
		}
		result, report, err := plan.Model(types)
		if err != nil {
			t.Errorf("%s: %q to %q: %v", path, inputs, outputs, err)
			continue
		}
		if err := p.check(t, result, report, invalid); err != nil {
			t.Errorf("%s: %q to %q: %v", path, inputs, outputs, err)
		}
		theirs := filepath.Join(p.dir, "theirs.onnx")
		if err := p.ask(t, onnxRequest{Do: "extract", Model: path, Out: theirs, Inputs: inputs, Outputs: outputs}); err != nil {
			p.explain(t, err, invalid)
			continue
		}
		if diff := cmp.Diff(contents(open(t, theirs)), contents(result)); diff != "" {
			t.Errorf("%s: %q to %q (-reference +ours):\n%s", path, inputs, outputs, diff)
		}
		p.count[equal]++
	}
}

// infer tells the types that the package infers, as it does before it extracts, of
// values that the model declares none for.
func (p *pruneParity) infer(t *testing.T, path string) map[string]graphops.Type {
	t.Helper()
	out := filepath.Join(p.dir, "inferred.onnx")
	types := map[string]graphops.Type{}
	if err := p.ask(t, onnxRequest{Do: "infer", Model: path, Out: out}); err != nil {
		return types // of a broken model
	}
	x := open(t, out).Graph().Index()
	own := open(t, path).Graph().Index()
	for v := range graphops.ValueID(x.Values()) {
		if id, ok := own.Value(x.Name(v)); ok && own.Type(id).Kind == graphops.TypeUnknown {
			types[x.Name(v)] = x.Type(v)
		}
	}
	return types
}

// check asks onnx.checker about a result.
func (p *pruneParity) check(t *testing.T, result *graphops.Model, report *graphops.Pruning, invalid error) error {
	t.Helper()
	if invalid != nil {
		p.count[unchecked]++
		return nil
	}
	out := filepath.Join(p.dir, "ours.onnx")
	save(t, result, out)
	err := p.ask(t, onnxRequest{Do: "check", Model: out})
	switch {
	case err == nil:
		p.count[checked]++
	case len(report.Untyped) > 0 && strings.Contains(err.Error(), "is required"):
		p.count[noType]++
	case lacksRank(result) && strings.Contains(err.Error(), "Field 'shape' of 'type' is required"):
		p.count[noRank]++
	default:
		return err
	}
	return nil
}

func lacksRank(m *graphops.Model) bool {
	for _, v := range slices.Concat(m.Graph().Inputs(), m.Graph().Outputs()) {
		if t := v.Type(); t.Kind == graphops.TypeTensor && t.Shape == nil {
			return true
		}
	}
	return false
}

// explain counts a refusal by its reason.
func (p *pruneParity) explain(t *testing.T, err, invalid error) {
	t.Helper()
	if invalid != nil {
		p.count["refused by the reference: it checks the original first, which does not pass"]++
		return
	}
	for says, reason := range refusals {
		if strings.Contains(err.Error(), says) {
			p.count["refused by the reference: "+reason]++
			return
		}
	}
	t.Errorf("the reference refuses for no known reason: %v", err)
}

// cutAtRandom names all inputs of the graph, up to two values inside, and one
// or two outputs.
func cutAtRandom(random *rand.Rand, m *graphops.Model) (inputs, outputs []string) {
	g := m.Graph()
	var inside []string
	for _, n := range g.Nodes() {
		inside = append(inside, slices.DeleteFunc(slices.Clone(n.Outputs()), func(o string) bool { return o == "" })...)
	}
	for _, v := range g.FeedInputs() {
		inputs = append(inputs, v.Name())
	}
	for range random.IntN(3) {
		inputs = append(inputs, inside[random.IntN(len(inside))])
	}
	for range 1 + random.IntN(2) {
		outputs = append(outputs, inside[random.IntN(len(inside))])
	}
	return unique(inputs), unique(outputs)
}

// extracted is what is compared of a model.
type extracted struct{ Nodes, Inputs, Outputs, Initializers, Functions []string }

// contents lists the inputs that a run needs: the reference makes constants of
// those with a default, where Lathe leaves them to be given.
func contents(m *graphops.Model) extracted {
	g := m.Graph()
	e := extracted{Nodes: graphtest.Nodes(g), Inputs: described(g.FeedInputs()), Outputs: described(g.Outputs())}
	for _, i := range g.Initializers() {
		e.Initializers = append(e.Initializers, fmt.Sprint(i.Name(), i.DType(), i.Dims()))
	}
	for _, f := range m.Functions() {
		e.Functions = append(e.Functions, fmt.Sprint(f.Key()))
	}
	slices.Sort(e.Initializers)
	slices.Sort(e.Functions)
	return e
}

// described writes names and types. Inference of shapes gives unknown
// dimensions a name of its own.
func described(list []*graphops.ValueInfo) []string {
	var out []string
	for _, v := range list {
		typ := v.Type()
		shape := slices.Clone(typ.Shape)
		for i, d := range shape {
			if strings.HasPrefix(d.Symbol, "unk__") {
				shape[i].Symbol = ""
			}
		}
		out = append(out, fmt.Sprint(v.Name(), " ", typ, " ", shape))
	}
	return out
}
