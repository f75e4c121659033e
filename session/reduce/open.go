package reduce

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// open replaces a node by its contents if the symptom is inside: a branch of an If, the first
// iteration of a Loop or Scan, or the nodes of a function. Nodes that depend on it are removed.
func (r *reduction) open(ctx context.Context) (bool, error) {
	for _, p := range openings(r.result.Part) {
		before := r.result.Part
		// keeps accepts only parts that are not larger than the current one. The part with the node
		// opened may have more nodes, so it becomes the current one before it is tried.
		r.result.Part = Part{B: p.B, A: before.A, Feeds: before.Feeds}
		ok, err := r.keeps(ctx, p, r.result.Symptom.opened)
		if ok && err == nil {
			r.result.Minimal = false
			return true, nil
		}
		r.result.Part = before
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// tellKept adds a note for each node with bodies that could not be replaced by its contents.
func (r *reduction) tellKept() {
	for i, n := range r.result.B.Graph().Nodes() {
		if len(n.Graphs()) == 0 {
			continue
		}
		why := "nothing inside its bodies shows the problem by itself"
		switch n.StandardOp() {
		case "Loop", "Scan":
			why = "its first iteration does not show the problem by itself; later iterations are not examined"
		case "If":
			why = "no branch shows the problem by itself"
		}
		name := graphops.ShortQuoted(cmp.Or(n.Name(), fmt.Sprint("#", i)))
		r.result.Notes = append(r.result.Notes, fmt.Sprintf("%s %s is kept whole: %s", n.OpType(), name, why))
	}
}

// openings returns the part with one node opened, in every possible way. Two models are opened in
// the same way, and only if it is clear which nodes correspond.
func openings(p Part) []Part {
	var out []Part
	bs := opened(p.B)
	switch {
	case p.A == nil:
		for _, b := range bs {
			out = append(out, Part{B: b, Feeds: p.Feeds})
		}
	case p.A == p.B:
		for _, b := range bs {
			out = append(out, Part{A: b, B: b, Feeds: p.Feeds})
		}
	default:
		as := opened(p.A)
		if len(as) != len(bs) {
			return nil
		}
		for i := range bs {
			out = append(out, Part{A: as[i], B: bs[i], Feeds: p.Feeds})
		}
	}
	return out
}

// opened returns a model with one of its nodes opened, for each such node.
func opened(m *graphops.Model) []*graphops.Model {
	functions := map[graphops.FunctionKey]*graphops.Function{}
	for _, f := range m.Functions() {
		functions[f.Key()] = f
	}
	var out []*graphops.Model
	for i, n := range m.Graph().Nodes() {
		var found []*opening
		if f := functions[n.Calls()]; f != nil {
			found = append(found, ofFunction(m, n, f))
		}
		if n.Domain() == graphops.DefaultDomain {
			for _, g := range n.Graphs() {
				found = append(found, ofBody(n, g))
			}
		}
		for _, o := range found {
			if o == nil {
				continue
			}
			if opened := o.put(m, i); opened != nil {
				out = append(out, opened)
			}
		}
	}
	return out
}

// opening is the content of a node, by which the node is replaced: a body with its inputs bound to
// values.
type opening struct {
	body *graphops.Graph
	// takes maps inputs of the body to outer values.
	takes map[string]string
	// constants maps inputs of the body to constants. slices maps inputs of the body to outer
	// values. The body gets only the first item of such a value along an axis, as in a Scan.
	constants map[string]tensor.Tensor
	slices    map[string]slice
	opsets    []graphops.Opset // opsets that have to be imported
}

type slice struct {
	of   string
	axis int64
}

// ofBody opens a body of an operator of the default domain. It returns nil for unknown operators.
func ofBody(n *graphops.Node, g *graphops.Graph) *opening {
	o := &opening{body: g, takes: map[string]string{}, constants: map[string]tensor.Tensor{}, slices: map[string]slice{}}
	ins, ok := g.Inputs(), false
	switch n.StandardOp() {
	case "If":
		ok = len(ins) == 0
	case "Loop":
		ok = o.loop(n, ins)
	case "Scan":
		ok = o.scan(n, ins)
	}
	if !ok {
		return nil
	}
	return o
}

// loop sets up the first iteration: number 0, the condition true, and the initial values.
func (o *opening) loop(n *graphops.Node, ins []*graphops.ValueInfo) bool {
	given := n.Inputs()
	if len(ins) < 2 || len(given) < len(ins) {
		return false
	}
	o.constants[ins[0].Name()] = ranked(scalar(tensor.I64, 0), ins[0])
	o.constants[ins[1].Name()] = ranked(scalar(tensor.Bool, 1), ins[1])
	for i, v := range ins[2:] {
		if given[i+2] == "" {
			return false
		}
		o.takes[v.Name()] = given[i+2]
	}
	return true
}

// ranked gives a single element the shape [1] if the input declares one axis.
func ranked(t tensor.Tensor, v *graphops.ValueInfo) tensor.Tensor {
	if len(v.Type().Shape) == 1 {
		t.Shape = []int64{1}
	}
	return t
}

// scan sets up the first iteration: the initial values and the first items of the scanned inputs.
func (o *opening) scan(n *graphops.Node, ins []*graphops.ValueInfo) bool {
	a, ok := n.Attribute("num_scan_inputs")
	given := n.Inputs()
	if !ok || len(given) != len(ins) || a.Int() < 0 || a.Int() > int64(len(ins)) || slices.Contains(given, "") {
		return false
	}
	states := len(ins) - int(a.Int())
	var axes []int64
	if a, ok := n.Attribute("scan_input_axes"); ok {
		axes = a.Ints()
	}
	for i, v := range ins {
		if i < states {
			o.takes[v.Name()] = given[i]
			continue
		}
		s := slice{of: given[i]}
		if i-states < len(axes) {
			s.axis = axes[i-states]
		}
		o.slices[v.Name()] = s
	}
	return true
}

// put opens a node of the main graph. The body's outputs become outputs of the model. It returns
// nil if the model computes none of them.
func (o *opening) put(m *graphops.Model, at int) *graphops.Model {
	g := m.Graph()
	names, all := graphops.NamesOf(m), map[string]string{}
	for name := range defined(o.body) {
		if to, ok := o.takes[name]; ok {
			all[name] = to
		} else if _, taken := g.Index().Value(name); taken {
			all[name] = names.Value(name)
		}
	}
	body := o.body.Renamed(all)
	behind := g.Index().Descendants(graphops.NodePoint(at))
	e := graphops.Edit(m)
	e.Nodes = nil
	for i, n := range g.Nodes() {
		if i != at && !behind.Holds(graphops.NodePoint(i)) {
			e.Nodes = append(e.Nodes, n)
		}
	}
	for i, v := range o.body.Inputs() {
		name := body.Inputs()[i].Name()
		if t, ok := o.constants[v.Name()]; ok {
			e.Initializers = append(e.Initializers, graphops.NewTensorOf(name, t))
		} else if s, ok := o.slices[v.Name()]; ok {
			index := names.Value(name + "_first")
			e.Initializers = append(e.Initializers, graphops.NewTensorOf(index, scalar(tensor.I64, 0)))
			e.Nodes = append(e.Nodes, graphops.NewNode(graphops.NodeSpec{
				Op: "Gather", Inputs: []string{s.of, index}, Outputs: []string{name},
				Attributes: []*graphops.Attribute{graphops.IntAttribute("axis", s.axis)},
			}))
		}
	}
	e.Append(body)
	for _, s := range o.opsets {
		e.SetOpset(s.Domain, s.Version)
	}
	if !o.giveOutputs(e, body) {
		return nil
	}
	m = e.Model()
	called := graphops.Edit(m)
	called.Functions = m.CalledFunctions()
	return called.Model()
}

// giveOutputs makes the body's outputs and the remaining own outputs the outputs of the model.
func (o *opening) giveOutputs(e *graphops.Editor, body *graphops.Graph) bool {
	made := map[string]bool{}
	for _, n := range e.Nodes {
		for _, name := range n.Outputs() {
			made[name] = true
		}
	}
	own := e.Outputs
	e.Outputs = nil
	given := false
	for i, v := range append(slices.Clone(own), body.Outputs()...) {
		if !made[v.Name()] {
			continue
		}
		made[v.Name()] = false // a name may occur twice, but becomes one output
		given = given || i >= len(own)
		e.Outputs = append(e.Outputs, v)
	}
	return given
}

func scalar(d tensor.DType, v int64) tensor.Tensor {
	t, err := tensor.FromInt64s(d, []int64{v}, []int64{}...)
	if err != nil {
		panic(err) // every type has 0 and 1
	}
	return t
}

// defined yields the names that a body defines.
func defined(g *graphops.Graph) iter.Seq[string] {
	return func(yield func(string) bool) {
		x := g.Index()
		for v := range x.Values() {
			if id := graphops.ValueID(v); x.IsDefined(id) && x.Name(id) != "" && !yield(x.Name(id)) {
				return
			}
		}
	}
}
