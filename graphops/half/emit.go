package half

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// emission constructs one result from a plan.
type emission struct {
	c     *converter
	names *graphops.Names
	// called has the new names of values whose own name was given to the output of a Cast.
	called map[*definition]string
	// origins has, for each place and each new node, the position of the node in the original; -1
	// for a new Cast.
	origins [][]int
	casts   int
	report  *Report
}

// scope is the construction of the graph of one place.
type scope struct {
	place  *graphops.Place
	parent *scope
	nodes  []*graphops.Node
	origin []int
	casts  map[*definition]string // the Casts of its values to the other type
	// narrow reports, for the name of each float32 value, whether it has the target type now.
	narrow map[string]bool
	// asked reports, for the name of each output of the graph, whether it must have the target
	// type.
	asked map[string]bool
	// dropped has the names of values that no longer exist, because their Cast was removed.
	dropped map[string]bool
}

// emit constructs the new graph of a place. If a body needs a Cast of a captured value, the Cast is
// added to the graph that defines the value. This is possible because the node with the body is
// added after its bodies have been constructed.
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

// node adds the node at position i of the original to the new graph, with the Casts that its inputs
// need.
func (e *emission) node(s *scope, i int) error {
	n := s.place.Graph.Nodes()[i]
	plan := e.c.plans[s.place.ID][i]
	made := n
	if n.IsConstant() {
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

// bodies returns node n with newly constructed bodies. i is its position in the original.
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

// outputs returns the names for the outputs of a node. If an output of the graph must have another
// type than the node produces, a Cast gets its name, and the node produces a value with a new name.
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

// read returns the name by which a node reads the value d in the target type, or in float32 if
// narrow is not set. It adds a Cast if there is none yet.
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

// suffix returns the word that is appended to the name of a value for its copy in another type.
func suffix(d tensor.DType) string {
	switch d {
	case tensor.F16:
		return "float16"
	case tensor.BF16:
		return "bfloat16"
	}
	return "float32"
}

// graph returns the new graph of a place after all nodes have been added.
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

// model returns the model with the new graphs.
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
