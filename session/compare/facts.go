package compare

import (
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// Fact is what the graph of a model says of one of its outputs.
type Fact struct {
	// Sum is the nearest operator upstream that adds up many elements, "" where there is
	// none. How much is computed between it and the output does not matter: whatever is
	// no sum itself hands the error on, and can make it larger.
	Sum string
	// Fourier says that Sum is a transform, as opschema.Transforms tells.
	Fourier bool
	// Draws are the operators upstream that draw numbers at random.
	Draws []Draw
	// Classes says that the last axis holds the scores of classes, as behind a Softmax.
	Classes bool
}

// FactsOf tells of the outputs of some models, of those of the same name together.
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

// factOf is the fact of an output, or of the output that it is a part of.
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

// graphReader follows values of the main graph back to what makes them.
type graphReader struct {
	graph     *graphops.Graph
	functions map[graphops.FunctionKey]*graphops.Function
	opsets    map[string]int64
	sums      map[*graphops.Function]bool // those that were looked at
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

// exact are operators whose result tells nothing of the last digits of what they read.
var exact = map[string]bool{
	"Shape": true, "Size": true, "ConstantOfShape": true, "ArgMax": true, "ArgMin": true, "NonZero": true,
	"Equal": true, "Less": true, "LessOrEqual": true, "Greater": true, "GreaterOrEqual": true,
	"IsNaN": true, "IsInf": true, "EyeLike": true,
	"RandomNormalLike": true, "RandomUniformLike": true, "OptionalHasElement": true, "SequenceLength": true,
}

// sumBefore goes back from a value, breadth first, to what adds up many elements; nil where
// nothing does.
func (r *graphReader) sumBefore(output string) *graphops.Node {
	x := r.graph.Index()
	seen := map[string]bool{output: true}
	for todo := []string{output}; len(todo) > 0; todo = todo[1:] {
		n := r.producer(x, todo[0])
		if n == nil || n.Domain() == graphops.DefaultDomain && (exact[n.OpType()] || n.OpType() == "Cast" && !keepsDigits(n)) {
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

// reads are the values that a node and its bodies read.
func reads(n *graphops.Node) []string {
	names := slices.Clone(n.Inputs())
	if n.Domain() == graphops.DefaultDomain && n.OpType() == "Where" && len(names) > 0 {
		names = names[1:] // the condition is no number
	}
	for _, body := range n.Graphs() {
		x := body.Index()
		for _, v := range x.Captured() {
			names = append(names, x.Name(v))
		}
	}
	return names
}

// keepsDigits reports whether a Cast is to a floating-point type.
func keepsDigits(n *graphops.Node) bool {
	a, ok := n.Attribute("to")
	if !ok {
		return true
	}
	kind := tensor.DType(a.Int()).Kind()
	return kind == tensor.KindFloat || kind == tensor.KindComplex
}

// maxDepth bounds how deep bodies and calls are looked into.
const maxDepth = 24

// adds reports whether a node adds up many elements, itself or in what it consists of.
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
	r.sums[f] = false // so that a call of itself ends
	r.sums[f] = r.anyAdds(f.Graph(), depth+1)
	return r.sums[f]
}

// endsInSoftmax reports whether a value is a Softmax of its last axis, possibly
// converted.
func (r *graphReader) endsInSoftmax(output string) bool {
	x := r.graph.Index()
	for range maxDepth {
		n := r.producer(x, output)
		if n == nil || n.Domain() != graphops.DefaultDomain || len(n.Inputs()) == 0 {
			return false
		}
		switch n.OpType() {
		case "Identity", "Cast":
			output = n.Inputs()[0]
		case "Softmax", "LogSoftmax":
			return alongLastAxis(x, n)
		default:
			return false
		}
	}
	return false
}

// alongLastAxis reports whether a Softmax is along the last axis. Without an attribute
// it is, before version 13 of scores in two axes.
func alongLastAxis(x *graphops.Index, n *graphops.Node) bool {
	a, ok := n.Attribute("axis")
	if !ok || a.Int() == -1 {
		return true
	}
	v, ok := x.Value(n.Outputs()[0])
	return ok && a.Int() == int64(len(x.Type(v).Shape))-1
}
