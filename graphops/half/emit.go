package half

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// emission is the construction of one result.
type emission struct {
	c     *converter
	names *graphops.Names
	// called has the new names of values whose own name goes to the output of their Cast.
	called map[*definition]string
	// origins has, for each place, the positions of the nodes in the original; -1 for Casts.
	origins [][]int
	casts   int
	report  *Report
}

// scope is the construction of one place.
type scope struct {
	place  *graphops.Place
	parent *scope
	nodes  []*graphops.Node
	origin []int
	casts  map[*definition]string // the Casts of its values to the other type
	// narrow says for each name of a float32 value whether it has the target type now.
	narrow map[string]bool
	// asked says for each graph output whether it must have the target type.
	asked map[string]bool
	// dropped has the values that were replaced by another value.
	dropped map[string]bool
}

// emit constructs the new graph of a place. Captured values are cast outside the graph, where they
// are defined, because the node with the body is emitted later.
func (e *emission) emit(p *graphops.Place, parent *scope) (*graphops.Graph, error) {
	order, err := p.Graph.Order()
	if err != nil {
		return nil, err
	}
	s := &scope{place: p, parent: parent, casts: map[*definition]string{}, narrow: map[string]bool{}, asked: map[string]bool{}, dropped: map[string]bool{}}
	for _, v := range p.Graph.Outputs() {
		if d := e.c.lookup(p, v.Name()); d != nil && d.form != other && d.form != unknown {
			s.asked[v.Name()] = e.c.outside(p, d)
		}
	}
	for _, d := range e.c.defs[p.ID] {
		if d != nil && (d.form == dense || d.form == nested) {
			s.narrow[d.name] = d.narrow
		}
	}
	for _, i := range order {
		if err := e.node(s, i); err != nil {
			return nil, err
		}
	}
	return e.graph(s)
}

// node emits a node.
func (e *emission) node(s *scope, i int) error {
	n := s.place.Graph.Nodes()[i]
	plan := e.c.plans[s.place.ID][i]
	made := n
	if isConstant(n) {
		made = e.constant(s, n)
	} else if attrs, changed := e.attributes(s, n, plan); changed {
		made = made.WithAttributes(attrs)
	}
	if len(n.Graphs()) > 0 {
		var err error
		if made, err = e.bodies(s, i, made); err != nil {
			return err
		}
	}
	if in := e.inputs(s, n, plan); !slices.Equal(in, n.Inputs()) {
		made = made.WithInputs(in)
	}
	if e.dropIdle(s, n, made, plan) {
		return nil
	}
	if out := e.outputs(s, n); !slices.Equal(out, n.Outputs()) {
		made = made.WithOutputs(out)
	}
	s.append(made, i)
	return nil
}

func (s *scope) append(n *graphops.Node, origin int) {
	s.nodes, s.origin = append(s.nodes, n), append(s.origin, origin)
}

// bodies returns the node with its bodies constructed anew.
func (e *emission) bodies(s *scope, i int, n *graphops.Node) (*graphops.Node, error) {
	var made []*graphops.Graph
	for _, b := range s.place.Bodies {
		if b.Node == i {
			g, err := e.emit(b, s)
			if err != nil {
				return nil, err
			}
			made = append(made, g)
		}
	}
	attrs := slices.Clone(n.Attributes())
	for at, a := range attrs {
		if count := len(a.Graphs()); count > 0 {
			attrs[at] = a.WithGraphs(made[:count])
			made = made[count:]
		}
	}
	return n.WithAttributes(attrs), nil
}

func (e *emission) inputs(s *scope, n *graphops.Node, p plan) []string {
	in := slices.Clone(n.Inputs())
	for i, name := range in {
		if d := e.c.lookup(s.place, name); d != nil {
			in[i] = e.read(s, d, p.in[i])
		}
	}
	return in
}

// outputs returns the names of a node's outputs. If a graph output must have another type than the
// node produces, the name goes to the Cast and the node gets a new name for its output.
func (e *emission) outputs(s *scope, n *graphops.Node) []string {
	out := slices.Clone(n.Outputs())
	for i, name := range out {
		d := e.c.lookup(s.place, name)
		if d == nil || d.place != s.place || d.form != dense {
			continue
		}
		if asked, isOutput := s.asked[name]; isOutput && asked != d.narrow {
			out[i] = e.names.Value(name + "_" + suffix(e.c.typeOf(d.narrow)))
			e.called[d] = out[i]
		}
	}
	return out
}

// read returns the name of the value in the target type or in float32, and adds a Cast if needed.
func (e *emission) read(s *scope, d *definition, narrow bool) string {
	name := d.name
	if called, ok := e.called[d]; ok {
		name = called
	}
	if d.form != dense || d.narrow == narrow {
		e.readAsIs(d, narrow)
		return name
	}
	if !narrow && s.place != d.place && e.c.keptPlace(s.place) {
		e.report.depart(KeptBody)
	}
	for s.place != d.place {
		s = s.parent
	}
	to, ok := s.casts[d]
	if ok {
		if !narrow {
			e.report.depart(SharedCast)
		}
		return to
	}
	if asked, isOutput := s.asked[d.name]; isOutput && asked == narrow && name != d.name {
		to = d.name
	} else {
		to = e.names.Value(d.name + "_" + suffix(e.c.typeOf(narrow)))
	}
	s.casts[d], s.narrow[to] = to, narrow
	if name != d.name {
		s.narrow[name] = d.narrow
	}
	s.append(graphops.NewNode(graphops.NodeSpec{
		Op: "Cast", Name: e.names.Node(to + "_cast"), Inputs: []string{name}, Outputs: []string{to},
		Attributes: []*graphops.Attribute{graphops.IntAttribute("to", int64(e.c.typeOf(narrow)))},
	}), -1)
	e.casts++
	e.departOfCast(d)
	return to
}

// suffix returns what is appended to the name of a value for its copy in the given type.
func suffix(d tensor.DType) string {
	switch d {
	case tensor.F16:
		return "float16"
	case tensor.BF16:
		return "bfloat16"
	}
	return "float32"
}

// graph returns the graph of the emitted nodes.
func (e *emission) graph(s *scope) (*graphops.Graph, error) {
	g := graphops.EditGraph(s.place.Graph)
	for i, v := range g.Outputs {
		d := e.c.lookup(s.place, v.Name())
		if d == nil || d.form != dense {
			continue
		}
		name := e.read(s, d, s.asked[v.Name()])
		if name != v.Name() {
			g.Outputs[i] = v.WithName(name)
		}
		s.narrow[name] = s.asked[v.Name()]
	}
	g.Nodes = s.nodes
	g.ValueInfo = slices.DeleteFunc(g.ValueInfo, func(v *graphops.ValueInfo) bool { return s.dropped[v.Name()] })
	e.origins[s.place.ID] = s.origin
	for i, t := range g.Initializers {
		made, err := e.initializer(s, t)
		if err != nil {
			return nil, err
		}
		g.Initializers[i] = made
	}
	for _, list := range [][]*graphops.ValueInfo{g.Inputs, g.Outputs, g.ValueInfo} {
		for i, v := range list {
			if s.narrow[v.Name()] {
				list[i] = v.WithType(retyped(v.Type(), e.c.to))
			}
		}
	}
	return g.Graph(), nil
}

// model returns the model of the emitted places.
func (e *emission) model() (*graphops.Model, error) {
	m := e.c.model
	for _, p := range e.c.model.Places() {
		if p.Kind == graphops.BodyGraph || p.Kind == graphops.FunctionBody && e.c.uncalled[p.Function.Key()] {
			continue
		}
		g, err := e.emit(p, nil)
		if err != nil {
			return nil, err
		}
		if p.Kind == graphops.FunctionBody && !slices.Equal(g.Nodes(), p.Graph.Nodes()) {
			e.report.depart(FunctionBody)
		}
		m = m.WithGraph(p, g)
	}
	return m, nil
}
