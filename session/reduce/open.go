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

// open puts what a node holds in the node's place, if the symptom is in there: a branch of an
// If, the first turn of a Loop or Scan, what a function consists of. Nodes behind it go.
func (r *reduction) open(ctx context.Context) (bool, error) {
	for _, p := range openings(r.result.Part) {
		before := r.result.Part
		r.result.Part = Part{B: p.B, A: before.A, Feeds: before.Feeds} // what is opened may have more nodes
		ok, err := r.keeps(ctx, p, r.result.Symptom.Opened)
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

// tellKept notes the nodes with bodies that stay whole.
func (r *reduction) tellKept() {
	for i, n := range r.result.B.Graph().Nodes() {
		if len(n.Graphs()) == 0 {
			continue
		}
		why := "nothing in its bodies shows it by itself"
		switch n.OpType() {
		case "Loop", "Scan":
			why = "its first turn does not show it by itself: what shows from a later turn on, or in what the turns make together, is not gone into"
		case "If":
			why = "no branch shows it by itself"
		}
		name := graphops.ShortQuoted(cmp.Or(n.Name(), fmt.Sprint("#", i)))
		r.result.Notes = append(r.result.Notes, fmt.Sprintf("%s %s is kept whole: %s", n.OpType(), name, why))
	}
}

// openings are the part with one node opened, in each way. Two models are opened alike, and
// only where it is plain which node is which.
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

// opened are a model with one of its nodes opened each.
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

// opening is what comes in place of a node.
type opening struct {
	body *graphops.Graph
	// takes are the values around that stand for inputs of the body.
	takes map[string]string
	// constants are inputs of the body that are constants; slices are values around whose
	// first item along an axis stands for an input.
	constants map[string]tensor.Tensor
	slices    map[string]slice
	opsets    []graphops.Opset // that must be imported
}

type slice struct {
	of   string
	axis int64
}

// ofBody opens a body of the standard's operators; nil where that is none that is known.
func ofBody(n *graphops.Node, g *graphops.Graph) *opening {
	o := &opening{body: g, takes: map[string]string{}, constants: map[string]tensor.Tensor{}, slices: map[string]slice{}}
	ins, ok := g.Inputs(), false
	switch n.OpType() {
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

// loop makes the first turn: number 0, with the condition true and what the loop begins with.
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

// ranked is a single element, in an axis where the input declares one.
func ranked(t tensor.Tensor, v *graphops.ValueInfo) tensor.Tensor {
	if len(v.Type().Shape) == 1 {
		t.Shape = []int64{1}
	}
	return t
}

// scan makes the first turn: what it begins with, and the first item of what it goes along.
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

// put opens a node of the main graph. What the body gives is given by the model; nil where it
// makes nothing of that.
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

// giveOutputs has the model give what the body gives, beside what is left of its own.
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
		made[v.Name()] = false // once
		given = given || i >= len(own)
		e.Outputs = append(e.Outputs, v)
	}
	return given
}

func scalar(d tensor.DType, v int64) tensor.Tensor {
	t, err := tensor.FromInt64s(d, []int64{v}, []int64{}...)
	if err != nil {
		panic(err) // 0 and 1 are of every type
	}
	return t
}

// defined yields the names that a body gives its own values.
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
