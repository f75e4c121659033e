package axes

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// mend is the planned replacement of a constant that a node reads. Either some elements of the
// constant are computed, or the whole constant is expanded along an axis.
type mend struct {
	edge   shape.Edge
	tags   []*tag
	name   string    // of the constant
	sizes  []dim.Dim // the new elements; 0 and -1 have their meaning in Reshape
	dtype  tensor.DType
	scalar bool
	// dims is the shape to which a stored tensor is expanded; nil if elements are replaced.
	dims []dim.Dim
	// first lists the axes along which all rows of a stored tensor are equal, so that its first row
	// is expanded.
	first []int64
	why   string // why it cannot be replaced; "" if it can
	how   string
}

// mends returns the planned replacements, one for each input of a node with solved tags, in node
// order.
func (c *changer) mends() []*mend {
	var list []*mend
	byEdge := map[shape.Edge]*mend{}
	for _, g := range c.tagger.list {
		if !g.solved {
			continue
		}
		m := byEdge[g.edge]
		if m == nil {
			m = &mend{edge: g.edge, name: g.value}
			byEdge[g.edge] = m
			list = append(list, m)
		}
		m.tags = append(m.tags, g)
	}
	slices.SortStableFunc(list, func(a, b *mend) int {
		if a.edge.Place != b.edge.Place {
			return a.edge.Place.ID - b.edge.Place.ID
		}
		return a.edge.Node - b.edge.Node
	})
	return list
}

// reportPins plans the replacements, and reports each as a repaired pin if repair is set and it is
// possible, otherwise as a remaining pin.
func (c *changer) reportPins(repair bool) {
	c.plan = c.mends()
	visits := c.visited(c.plan)
	for _, m := range c.plan {
		c.planned(m, visits[m.edge])
		for _, g := range m.tags {
			p := Pin{
				Place: c.original.Places()[g.edge.Place.ID], Node: g.edge.Node, Value: g.value, Axis: g.elem, Stored: g.stored,
				Constant: g.was, Needs: g.to.String(), Repair: m.how, Mendable: m.why == "",
			}
			if g.edge.Place.Kind == graphops.MainGraph && c.gathers[g.edge.Node] {
				p.Value = p.Place.Graph.Nodes()[p.Node].Inputs()[g.edge.Input]
				p.Repair = "the node, which selects all positions in order, becomes a Reshape: " + m.how
			}
			if m.why != "" {
				p.Repair = "none: " + m.why
			}
			if repair && p.Mendable {
				c.report.Repaired = append(c.report.Repaired, p)
			} else {
				c.report.Pins = append(c.report.Pins, p)
			}
		}
	}
}

// visited returns, for each constant to be replaced, the inferred inputs of the node that reads it,
// with all solutions in place of the constants.
func (c *changer) visited(list []*mend) map[shape.Edge][]*shape.Value {
	out := map[shape.Edge][]*shape.Value{}
	for _, m := range list {
		out[m.edge] = nil
	}
	c.tagger.open = false
	_, err := shape.Infer(c.ctx, c.model, shape.Options{Fresh: true, Assume: c.tagger.assume, Visit: func(v shape.Visit) {
		for k := range v.In {
			e := shape.Edge{Place: v.Place, Node: v.Index, Input: k}
			if _, ok := out[e]; ok {
				out[e] = v.In
			}
		}
	}})
	if err != nil {
		return nil
	}
	return out
}

// planned determines how a constant is replaced. in are the inferred inputs of the node that reads
// it.
func (c *changer) planned(m *mend, in []*shape.Value) {
	if in == nil || in[m.edge.Input] == nil {
		m.why = "shape inference does not reach the node"
		return
	}
	v := in[m.edge.Input]
	m.dtype = v.Elem
	if m.tags[0].stored {
		c.plannedAxis(m, v)
		return
	}
	m.sizes = slices.Clone(v.Sizes())
	m.scalar = len(v.Dims) == 0
	if c.node(m.edge).Is("Reshape") {
		c.plannedReshape(m, in[0])
	}
	c.plannedRest(m)
}

func (c *changer) node(e shape.Edge) *graphops.Node { return e.Place.Graph.Nodes()[e.Node] }

// plannedReshape uses the special elements of Reshape where possible: 0 copies the size of the
// input's axis in the same position, and -1 means the size that the other elements leave.
func (c *changer) plannedReshape(m *mend, in *shape.Value) {
	n := c.node(m.edge)
	zero := true
	if a, ok := n.Attribute("allowzero"); ok && a.Int() != 0 {
		zero = false
	}
	copied := 0
	for _, g := range m.tags {
		if zero && in != nil && g.elem < len(in.Dims) && in.Dims[g.elem].Equal(g.to) {
			m.sizes[g.elem] = dim.Number(0)
			copied++
		}
	}
	switch {
	case copied == len(m.tags):
		m.how = "the element becomes 0, which copies the axis of the input"
	case copied == len(m.tags)-1 && !slices.ContainsFunc(m.sizes, func(d dim.Dim) bool { return d.Is(-1) }):
		for _, g := range m.tags {
			if !m.sizes[g.elem].Is(0) {
				m.sizes[g.elem] = dim.Number(-1)
			}
		}
		m.how = "the element becomes -1, which means the size that remains"
	}
}

// plannedRest plans nodes that compute the elements which are still expressions.
func (c *changer) plannedRest(m *mend) {
	if m.how == "" {
		m.how = "the element is computed from the shape of an input"
	}
	m.why = c.cannotCompute(m.sizes, m.edge.Place)
	if m.why == "" && m.edge.Place.Function != nil {
		m.why = "it is in a function, and a change would affect all its calls"
	}
}

// cannotCompute returns why sizes cannot be computed in a place, or "" if they can.
func (c *changer) cannotCompute(sizes []dim.Dim, p *graphops.Place) string {
	for _, d := range sizes {
		if _, number := d.Number(); number {
			continue
		}
		if p.Function != nil {
			return "it is in a function, which cannot read inputs of the model"
		}
		if why := c.builder().cannot(d); why != "" {
			return why
		}
	}
	return ""
}

// repair makes all planned replacements in c.model.
func (c *changer) repair() {
	b := c.builder()
	reads := map[shape.Edge]string{}
	for _, m := range c.plan {
		if m.why == "" {
			reads[m.edge] = b.mended(m)
		}
	}
	if len(reads) == 0 {
		return
	}
	edited := c.model.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		changed := false
		for edge, name := range reads {
			if edge.Place.ID == p.ID {
				inputs := slices.Clone(e.Nodes[edge.Node].Inputs())
				inputs[edge.Input] = name
				e.Nodes[edge.Node] = e.Nodes[edge.Node].WithInputs(inputs)
				changed = true
			}
		}
		return changed
	})
	c.repaired = true
	if v := c.original.IRVersion(); v < graphops.OptionalInputsIR {
		edited = edited.AtLeastIR(graphops.OptionalInputsIR)
		c.warn("the IR version was raised from %d to %d, because before it each new constant would have to be an input", v, graphops.OptionalInputsIR)
	}
	e := graphops.Edit(edited)
	e.Nodes = slices.Concat(b.nodes, e.Nodes)
	e.Initializers = append(e.Initializers, b.constants...)
	c.model = dropUnread(e, c.plan).Model()
}

// mended returns the outputs of the nodes whose constants were replaced. If such a node is in a
// body, these are the outputs of the node of the main graph that contains it.
func (c *changer) mended() (names []string) {
	if !c.repaired {
		return nil
	}
	for _, m := range c.plan {
		p, at := m.edge.Place, m.edge.Node
		for ; p.Kind == graphops.BodyGraph; p = p.Parent {
			at = p.Node
		}
		if m.why == "" && p.Kind == graphops.MainGraph {
			names = append(names, p.Graph.Nodes()[at].Outputs()...)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// dropUnread removes the replaced constants of the main graph that nothing reads any longer.
func dropUnread(e *graphops.Editor, plan []*mend) *graphops.Editor {
	read := map[string]bool{}
	for _, n := range e.Nodes {
		for _, list := range [][]string{n.Inputs(), n.Captured()} {
			for _, name := range list {
				read[name] = true
			}
		}
	}
	for _, v := range e.Outputs {
		read[v.Name()] = true
	}
	replaced := map[string]bool{}
	for _, m := range plan {
		if m.why == "" && m.edge.Place.Kind == graphops.MainGraph {
			replaced[m.name] = true
		}
	}
	isInput := map[string]bool{}
	for _, v := range e.Inputs {
		isInput[v.Name()] = true
	}
	gone := func(name string) bool { return replaced[name] && !read[name] && !isInput[name] }
	e.Initializers = slices.DeleteFunc(e.Initializers, func(t *graphops.Tensor) bool { return gone(t.Name()) })
	e.Nodes = slices.DeleteFunc(e.Nodes, func(n *graphops.Node) bool {
		return n.Is("Constant") && len(n.Outputs()) == 1 && gone(n.Output(0))
	})
	e.ValueInfo = slices.DeleteFunc(e.ValueInfo, func(v *graphops.ValueInfo) bool { return gone(v.Name()) })
	return e
}
