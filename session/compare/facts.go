package compare

import (
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// Fact contains what the graph of a model says about one of its outputs.
type Fact struct {
	// Sum is the nearest operator before the output that adds up many elements, such as MatMul, or
	// "". The nodes between it and the output do not matter: they pass its rounding error on and
	// may enlarge it.
	Sum string
	// Fourier is set if Sum is a Fourier transform or similar, according to opschema.Transforms.
	Fourier bool
	// Draws are the operators on which the output depends that draw random numbers.
	Draws []Draw
	// Classes is set if the last axis contains scores of classes, as after a Softmax.
	Classes bool
}

// FactsOf returns facts about the outputs of some models. Outputs with the same name share one
// Fact.
func FactsOf(models ...*graphops.Model) map[string]Fact {
	facts := map[string]Fact{}
	for _, m := range models {
		if m == nil {
			continue
		}
		r := newReader(m)
		draws := r.draws()
		for _, o := range m.Graph().Outputs() {
			f := facts[o.Name()]
			if n := r.sumBefore(o.Name()); f.Sum == "" && n != nil {
				f.Sum, f.Fourier = n.OpType(), opschema.Transforms(n.Domain(), n.OpType())
			}
			f.Draws = append(f.Draws, draws[o.Name()]...)
			f.Classes = f.Classes || r.endsInSoftmax(o.Name())
			facts[o.Name()] = f
		}
	}
	return facts
}

// factOf returns the fact about an output. If the name is that of a part of an output, such as
// "scores[0]", it returns the fact about the output.
func factOf[F any](facts map[string]F, output string) (F, bool) {
	if f, ok := facts[output]; ok {
		return f, true
	}
	best := ""
	for name := range facts {
		if len(name) > len(best) && (strings.HasPrefix(output, name+"[") || strings.HasPrefix(output, name+".")) {
			best = name
		}
	}
	f, ok := facts[best]
	return f, ok
}

// graphReader follows values of the main graph back to the nodes that compute them.
type graphReader struct {
	graph     *graphops.Graph
	functions map[graphops.FunctionKey]*graphops.Function
	opsets    map[string]int64
	sums      map[*graphops.Function]bool // functions examined so far
	drawn     map[*graphops.Function][]Draw
}

func newReader(m *graphops.Model) *graphReader {
	r := &graphReader{
		graph: m.Graph(), opsets: m.OpsetVersions(), functions: map[graphops.FunctionKey]*graphops.Function{},
		sums: map[*graphops.Function]bool{}, drawn: map[*graphops.Function][]Draw{},
	}
	for _, f := range m.Functions() {
		r.functions[f.Key()] = f
	}
	return r
}

// exact are operators whose result does not change if the inputs change by a rounding error.
var exact = map[string]bool{
	"Shape": true, "Size": true, "ConstantOfShape": true, "ArgMax": true, "ArgMin": true, "NonZero": true,
	"Equal": true, "Less": true, "LessOrEqual": true, "Greater": true, "GreaterOrEqual": true,
	"IsNaN": true, "IsInf": true, "EyeLike": true,
	"RandomNormalLike": true, "RandomUniformLike": true, "OptionalHasElement": true, "SequenceLength": true,
}

// sumBefore searches from a value towards the inputs for the nearest node that adds up many
// elements. It returns nil if there is none. It does not search beyond nodes whose result is exact.
func (r *graphReader) sumBefore(output string) *graphops.Node {
	x := r.graph.Index()
	seen := map[string]bool{output: true}
	for todo := []string{output}; len(todo) > 0; todo = todo[1:] {
		n := r.producer(x, todo[0])
		if n == nil || n.Domain() == graphops.DefaultDomain && (exact[n.OpType()] || n.Is("Cast") && !keepsDigits(n)) {
			continue
		}
		if r.adds(n, 0) {
			return n
		}
		for _, name := range reads(n) {
			if name != "" && !seen[name] {
				seen[name] = true
				todo = append(todo, name)
			}
		}
	}
	return nil
}

func (r *graphReader) producer(x *graphops.Index, name string) *graphops.Node {
	v, ok := x.Value(name)
	if !ok {
		return nil
	}
	if i := x.Producer(v); i >= 0 {
		return r.graph.Nodes()[i]
	}
	return nil
}

// reads returns the names of the values that a node reads, including those that its bodies read.
func reads(n *graphops.Node) []string {
	names := slices.Clone(n.Inputs())
	if n.Is("Where") && len(names) > 0 {
		names = names[1:] // the condition is not a number
	}
	for _, body := range n.Graphs() {
		x := body.Index()
		for _, v := range x.Captured() {
			names = append(names, x.Name(v))
		}
	}
	return names
}

// keepsDigits reports whether a Cast converts to a floating-point type.
func keepsDigits(n *graphops.Node) bool {
	a, ok := n.Attribute("to")
	if !ok {
		return true
	}
	kind := tensor.DType(a.Int()).Kind()
	return kind == tensor.KindFloat || kind == tensor.KindComplex
}

// maxDepth limits how deep bodies and calls are followed.
const maxDepth = 24

// adds reports whether a node adds up many elements, or a node in its bodies or its function does.
func (r *graphReader) adds(n *graphops.Node, depth int) bool {
	if f := r.functions[n.Calls()]; f != nil {
		return r.functionAdds(f, depth)
	}
	if opschema.Sums(n.Domain(), n.OpType()) {
		return true
	}
	return depth < maxDepth && slices.ContainsFunc(n.Graphs(), func(g *graphops.Graph) bool { return r.anyAdds(g, depth+1) })
}

func (r *graphReader) anyAdds(g *graphops.Graph, depth int) bool {
	return slices.ContainsFunc(g.Nodes(), func(n *graphops.Node) bool { return r.adds(n, depth) })
}

func (r *graphReader) functionAdds(f *graphops.Function, depth int) bool {
	if known, seen := r.sums[f]; seen || depth >= maxDepth {
		return known
	}
	r.sums[f] = false // ends a recursion
	r.sums[f] = r.anyAdds(f.Graph(), depth+1)
	return r.sums[f]
}

// endsInSoftmax reports whether a value is the result of a Softmax along the last axis, possibly
// converted to another type.
func (r *graphReader) endsInSoftmax(output string) bool {
	x := r.graph.Index()
	for range maxDepth {
		n := r.producer(x, output)
		if n == nil || n.Domain() != graphops.DefaultDomain || len(n.Inputs()) == 0 {
			return false
		}
		switch n.StandardOp() {
		case "Identity", "Cast":
			output = n.Input(0)
		case "Softmax", "LogSoftmax":
			return alongLastAxis(x, n)
		default:
			return false
		}
	}
	return false
}

// alongLastAxis reports whether a Softmax works along the last axis. If the attribute axis is
// absent, it counts as such: the default is -1 since version 13. Before, it was 1, which is the
// last axis of two-dimensional scores.
func alongLastAxis(x *graphops.Index, n *graphops.Node) bool {
	a, ok := n.Attribute("axis")
	if !ok || a.Int() == -1 {
		return true
	}
	v, ok := x.Value(n.Output(0))
	return ok && a.Int() == int64(len(x.Type(v).Shape))-1
}
