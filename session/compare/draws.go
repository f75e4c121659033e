package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
	"lathe/session/text"
)

// Draw describes a random operator on which an output depends.
type Draw struct {
	Op string
	// Seeded is set if the operator has a seed. It then draws the same numbers in every session of
	// the same runtime.
	Seeded bool
	// When is the name of a model input: the operator draws only if this input is true. It is empty
	// if the operator draws in every run. Idle means that the input has a default and that the
	// operator does not draw with it.
	When string
	Idle bool
}

// maxDraws limits how many different Draws are tracked in a model. Further operators are assumed to
// draw in every run and without a seed.
const maxDraws = 16

// draws returns, for each value of the main graph that depends on random numbers, the operators
// that draw them.
func (r *graphReader) draws() map[string][]Draw {
	at := map[Draw][]int{}
	for i, n := range r.graph.Nodes() {
		for _, d := range r.drawsOf(n, true, 0) {
			if _, known := at[d]; !known && len(at) >= maxDraws {
				d = Draw{Op: d.Op}
			}
			at[d] = append(at[d], i)
		}
	}
	found := map[string][]Draw{}
	x := r.graph.Index()
	byText := func(a, b Draw) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	for _, d := range slices.SortedFunc(maps.Keys(at), byText) {
		for v := range dependents(r.graph, at[d]) {
			found[x.Name(v)] = append(found[x.Name(v)], d)
		}
	}
	return found
}

// shapeOnly are operators whose results depend on the shapes of their inputs but not on the
// elements. So they do not pass randomness on.
var shapeOnly = map[string]bool{
	"Shape": true, "Size": true, "EyeLike": true, "SequenceLength": true, "OptionalHasElement": true,
	"RandomNormalLike": true, "RandomUniformLike": true,
}

// dependents returns the outputs of some nodes and all values whose elements depend on them.
func dependents(g *graphops.Graph, nodes []int) map[graphops.ValueID]bool {
	x := g.Index()
	found := map[graphops.ValueID]bool{}
	for todo := slices.Clone(nodes); len(todo) > 0; todo = todo[1:] {
		for _, v := range x.Makes(todo[0]) {
			if found[v] {
				continue
			}
			found[v] = true
			for _, reader := range x.Readers(v) {
				if n := g.Nodes()[reader]; n.Domain() != graphops.DefaultDomain || !shapeOnly[n.OpType()] {
					todo = append(todo, int(reader))
				}
			}
		}
	}
	return found
}

// drawsOf returns the draws of a node, including those in its bodies or its function. main says
// whether the node is in the main graph; only there is it known which input switches a draw on.
func (r *graphReader) drawsOf(n *graphops.Node, main bool, depth int) []Draw {
	if depth >= maxDepth {
		return nil
	}
	if f := r.functions[n.Calls()]; f != nil {
		return r.functionDraws(f, depth+1)
	}
	switch opschema.DrawsOf(n.Domain(), n.OpType()) {
	case opschema.DrawsAlways:
		return []Draw{{Op: n.OpType(), Seeded: r.seeded(n)}}
	case opschema.DrawsInTraining:
		if d, draws := r.training(n, main); draws {
			d.Op, d.Seeded = n.OpType(), r.seeded(n)
			return []Draw{d}
		}
	}
	var found []Draw
	for _, body := range n.Graphs() {
		found = r.withDraws(found, body, depth+1)
	}
	return found
}

// functionDraws returns the draws in a function. Each function is examined only once.
func (r *graphReader) functionDraws(f *graphops.Function, depth int) []Draw {
	if known, seen := r.drawn[f]; seen {
		return known
	}
	r.drawn[f] = nil // ends a recursion
	r.drawn[f] = r.withDraws(nil, f.Graph(), depth)
	return r.drawn[f]
}

// withDraws adds the draws in a body to the ones already found.
func (r *graphReader) withDraws(found []Draw, body *graphops.Graph, depth int) []Draw {
	for _, inner := range body.Nodes() {
		for _, d := range r.drawsOf(inner, false, depth) {
			if !slices.Contains(found, d) && len(found) < maxDraws {
				found = append(found, d)
			}
		}
	}
	return found
}

// seeded reports whether a node has a seed, as an attribute or an input.
func (r *graphReader) seeded(n *graphops.Node) bool {
	_, attribute := n.Attribute("seed")
	return attribute || r.input(n, "seed") != ""
}

// input returns the value that a node reads as its parameter with the given name, such as "ratio"
// of a Dropout. It returns "" if that input is absent.
func (r *graphReader) input(n *graphops.Node, name string) string {
	version, ok := r.opsets[n.Domain()]
	schema, known := opschema.Find(n.Domain(), n.OpType(), version)
	if !ok || !known {
		return ""
	}
	i := slices.IndexFunc(schema.Inputs, func(p opschema.Param) bool { return p.Name == name })
	if i < 0 || i >= len(n.Inputs()) {
		return ""
	}
	return n.Inputs()[i]
}

// training reports whether a node that draws only in training mode can be in that mode, and which
// input of the model switches the mode on.
func (r *graphReader) training(n *graphops.Node, main bool) (Draw, bool) {
	mode := r.input(n, "training_mode")
	if mode == "" {
		return Draw{}, false
	}
	if !main {
		return Draw{}, true
	}
	trains, constant := r.constant(mode)
	if v, ok := r.graph.Index().Value(mode); ok && r.graph.Index().IsInput(v) {
		return Draw{When: mode, Idle: constant && trains == 0}, true
	}
	ratio, known := r.constant(r.input(n, "ratio"))
	return Draw{}, !(constant && trains == 0) && !(known && ratio == 0)
}

// constant returns the value of a constant with one element. The name may be that of a constant of
// the main graph or of an input with a default.
func (r *graphReader) constant(name string) (float64, bool) {
	x := r.graph.Index()
	v, ok := x.Value(name)
	if !ok {
		return 0, false
	}
	t := x.Initializer(v)
	if n := r.producer(x, name); n != nil && n.Is("Constant") {
		if a, ok := n.Attribute("value"); ok {
			t = a.Tensor()
		}
	}
	if t == nil {
		return 0, false
	}
	if n, err := t.Elements(); err != nil || n != 1 {
		return 0, false
	}
	read, err := t.Read()
	if err != nil {
		return 0, false
	}
	values, err := read.Float64s()
	if err != nil || len(values) != 1 {
		return 0, false
	}
	return values[0], true
}

// drawn returns the operator that makes an output random on these inputs, so that the two sides
// cannot be compared, or "" if there is none. An operator with a seed counts only if side A is a
// Truth, since its numbers then come from elsewhere.
func (c *comparison) drawn(output string, in graphops.Feeds) string {
	fact, _ := factOf(c.o.Facts, output)
	for _, d := range fact.Draws {
		if (c.words.truth || !d.Seeded) && d.active(in) {
			return text.Clean(d.Op)
		}
	}
	return ""
}

// Drawn reports whether an output is different in every run on these inputs, because it depends on
// random numbers drawn without a seed.
func (f Fact) Drawn(in graphops.Feeds) bool {
	return slices.ContainsFunc(f.Draws, func(d Draw) bool { return !d.Seeded && d.active(in) })
}

// active reports whether the operator draws in a run on these inputs.
func (d Draw) active(in graphops.Feeds) bool {
	v, ok := in[d.When]
	switch {
	case d.When == "":
		return true
	case !ok:
		return !d.Idle
	case !v.IsTensor() || v.Tensor.DType.Kind() != tensor.KindBool:
		return true
	}
	return slices.ContainsFunc(v.Tensor.Data, func(b byte) bool { return b != 0 })
}
