package diff_test

import (
	"math/rand/v2"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

func plantAttribute(m *graphops.Model, rng *rand.Rand) (*graphops.Model, bool) {
	type spot struct {
		place *graphops.Place
		node  int
		attr  int
	}
	var spots []spot
	for _, p := range m.Places() {
		for i, n := range p.Graph.Nodes() {
			if n.OpType() == "Constant" {
				continue
			}
			for k, a := range n.Attributes() {
				switch a.Kind() {
				case graphops.AttrInt, graphops.AttrFloat, graphops.AttrInts:
					if f := float64(a.Float()); a.RefName() == "" && f*0 == 0 { // neither NaN nor infinite
						spots = append(spots, spot{p, i, k})
					}
				}
			}
		}
	}
	if len(spots) == 0 {
		return nil, false
	}
	s := spots[rng.IntN(len(spots))]
	return edited(m, s.place, func(e *graphops.GraphEditor) {
		attrs := slices.Clone(e.Nodes[s.node].Attributes())
		a := attrs[s.attr]
		switch a.Kind() {
		case graphops.AttrInt:
			attrs[s.attr] = graphops.IntAttribute(a.Name(), a.Int()+17)
		case graphops.AttrFloat:
			attrs[s.attr] = graphops.FloatAttribute(a.Name(), a.Float()*2+0.375)
		default:
			attrs[s.attr] = graphops.IntsAttribute(a.Name(), append(slices.Clone(a.Ints()), 3))
		}
		e.Nodes[s.node] = e.Nodes[s.node].WithAttributes(attrs)
	}), true
}

// edited is a model with one place edited.
func edited(m *graphops.Model, p *graphops.Place, f func(e *graphops.GraphEditor)) *graphops.Model {
	e := graphops.EditGraph(p.Graph)
	f(e)
	return m.WithGraph(p, e.Graph())
}

func plantElement(m *graphops.Model, rng *rand.Rand) (*graphops.Model, bool) {
	type spot struct {
		place *graphops.Place
		at    int
	}
	var spots []spot
	for _, p := range m.Places() {
		x := p.Graph.Index()
		for k, t := range p.Graph.Initializers() {
			v, _ := x.Value(t.Name())
			n, err := t.Elements()
			if err == nil && n > 0 && t.DType() == tensor.F32 && x.Initializer(v) == t && len(x.Readers(v)) > 0 {
				spots = append(spots, spot{p, k})
			}
		}
	}
	if len(spots) == 0 {
		return nil, false
	}
	s := spots[rng.IntN(len(spots))]
	t := s.place.Graph.Initializers()[s.at]
	data, err := t.Data()
	if err != nil {
		return nil, false
	}
	bytes, err := data.Bytes()
	if err != nil {
		return nil, false
	}
	bytes = slices.Clone(bytes)
	bytes[rng.IntN(len(bytes)/4)*4+2] ^= 0x40 // a bit of the mantissa
	return edited(m, s.place, func(e *graphops.GraphEditor) {
		e.Initializers[s.at] = graphops.NewTensor(t.Name(), t.DType(), t.Dims(), graphops.BytesPayload(bytes))
	}), true
}

// plantEdge has a node read another value that is there by then.
func plantEdge(m *graphops.Model, rng *rand.Rand) (*graphops.Model, bool) {
	g := m.Graph()
	x := g.Index()
	var made []string
	for i, n := range g.Nodes() {
		made = append(made, n.Outputs()...)
		if i == 0 {
			continue
		}
	}
	for range 200 {
		if len(made) == 0 {
			break
		}
		i := rng.IntN(len(g.Nodes()))
		n := g.Nodes()[i]
		if len(n.Inputs()) == 0 {
			continue
		}
		k := rng.IntN(len(n.Inputs()))
		v, ok := x.Value(n.Inputs()[k])
		if !ok || isConstant(g, x, v) {
			continue
		}
		to := made[rng.IntN(len(made))]
		u, ok := x.Value(to)
		if !ok || to == "" || to == n.Inputs()[k] || isConstant(g, x, u) || reaches(g, i, x.Producer(u)) || twins(g, x, v, u) {
			continue
		}
		inputs := slices.Clone(n.Inputs())
		inputs[k] = to
		changed := edited(m, m.Places()[0], func(e *graphops.GraphEditor) { e.Nodes[i] = n.WithInputs(inputs) })
		order, err := changed.Graph().Order()
		if err != nil {
			continue
		}
		return edited(changed, changed.Places()[0], func(e *graphops.GraphEditor) {
			for at, i := range order {
				e.Nodes[at] = changed.Graph().Nodes()[i]
			}
		}), true
	}
	return nil, false
}

// twins are values that nobody can tell apart: made alike of the same.
func twins(g *graphops.Graph, x *graphops.Index, v, u graphops.ValueID) bool {
	if x.Producer(v) < 0 || x.Producer(u) < 0 {
		return false
	}
	n, m := g.Nodes()[x.Producer(v)], g.Nodes()[x.Producer(u)]
	return n.OpType() == m.OpType() && slices.Equal(n.Inputs(), m.Inputs())
}

func isConstant(g *graphops.Graph, x *graphops.Index, v graphops.ValueID) bool {
	p := x.Producer(v)
	return x.IsInitializer(v) || p >= 0 && g.Nodes()[p].OpType() == "Constant"
}

// reaches reports whether node i is needed by node j, or is it.
func reaches(g *graphops.Graph, i, j int) bool {
	x := g.Index()
	seen := map[int]bool{}
	work := []int{j}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at == i {
			return true
		}
		if at < 0 || seen[at] {
			continue
		}
		seen[at] = true
		for _, list := range [][]string{g.Nodes()[at].Inputs(), g.Nodes()[at].Captured()} {
			for _, name := range list {
				if v, ok := x.Value(name); ok && name != "" {
					work = append(work, x.Producer(v))
				}
			}
		}
	}
	return false
}

// unary finds a node of the main graph with one input and one output.
func unary(m *graphops.Model, rng *rand.Rand) (int, bool) {
	var spots []int
	for i, n := range m.Graph().Nodes() {
		if len(n.Inputs()) == 1 && len(n.Outputs()) == 1 && len(n.Graphs()) == 0 && n.OpType() != "Identity" {
			spots = append(spots, i)
		}
	}
	if len(spots) == 0 {
		return 0, false
	}
	return spots[rng.IntN(len(spots))], true
}

func plantOperator(m *graphops.Model, rng *rand.Rand) (*graphops.Model, bool) {
	i, ok := unary(m, rng)
	if !ok {
		return nil, false
	}
	return edited(m, m.Places()[0], func(e *graphops.GraphEditor) {
		n := e.Nodes[i]
		spec := graphops.NodeSpec{Op: "Sinh", Name: n.Name(), Inputs: n.Inputs(), Outputs: n.Outputs()}
		e.Nodes[i] = graphops.NewNode(spec).WithDoc(n.Doc()).WithMetadata(n.Metadata())
	}), len(m.Graph().Nodes()[i].Attributes()) == 0
}

// plantRemoval takes a node out and has its readers read what it read.
func plantRemoval(m *graphops.Model, rng *rand.Rand) (*graphops.Model, bool) {
	i, ok := unary(m, rng)
	if !ok {
		return nil, false
	}
	n := m.Graph().Nodes()[i]
	x := m.Graph().Index()
	v, _ := x.Value(n.Outputs()[0])
	u, ok := x.Value(n.Inputs()[0])
	if !ok || x.IsOutput(v) || x.Producer(u) < 0 || len(x.Readers(v)) == 0 || isConstant(m.Graph(), x, u) {
		return nil, false
	}
	// In a row of equal nodes any of them may be the one that is gone.
	return edited(m, m.Places()[0], func(e *graphops.GraphEditor) {
		for k, r := range e.Nodes {
			e.Nodes[k] = r.Renamed(map[string]string{n.Outputs()[0]: n.Inputs()[0]})
		}
		e.Nodes = slices.Delete(e.Nodes, i, i+1)
		e.DropUndefined()
	}), true
}

// plantInsertion puts a node between a value and one of its readers.
func plantInsertion(m *graphops.Model, rng *rand.Rand) (*graphops.Model, bool) {
	g := m.Graph()
	x := g.Index()
	for range 100 {
		if len(g.Nodes()) == 0 {
			break
		}
		i := rng.IntN(len(g.Nodes()))
		n := g.Nodes()[i]
		if len(n.Inputs()) == 0 || n.Inputs()[0] == "" {
			continue
		}
		if v, ok := x.Value(n.Inputs()[0]); !ok || isConstant(g, x, v) {
			continue
		}
		return edited(m, m.Places()[0], func(e *graphops.GraphEditor) {
			extra := graphops.NewNode(graphops.NodeSpec{Op: "Sinh", Name: "extra", Inputs: n.Inputs()[:1], Outputs: []string{"extra_value"}})
			inputs := slices.Clone(n.Inputs())
			inputs[0] = "extra_value"
			e.Nodes[i] = n.WithInputs(inputs)
			e.Nodes = slices.Insert(e.Nodes, i, extra)
		}), true
	}
	return nil, false
}

func plantInputName(m *graphops.Model, rng *rand.Rand) (*graphops.Model, bool) {
	in := m.Graph().FeedInputs()
	if len(in) == 0 {
		return nil, false
	}
	name := in[rng.IntN(len(in))].Name()
	return edited(m, m.Places()[0], func(e *graphops.GraphEditor) {
		*e = *graphops.EditGraph(e.Graph().Renamed(map[string]string{name: "another_input"}))
	}), true
}

func plantOutputName(m *graphops.Model, rng *rand.Rand) (*graphops.Model, bool) {
	out := m.Graph().Outputs()
	if len(out) == 0 {
		return nil, false
	}
	name := out[rng.IntN(len(out))].Name()
	if m.Graph().Index().IsInput(mustValue(m, name)) {
		return nil, false
	}
	return edited(m, m.Places()[0], func(e *graphops.GraphEditor) {
		*e = *graphops.EditGraph(e.Graph().Renamed(map[string]string{name: "another_output"}))
	}), true
}

func mustValue(m *graphops.Model, name string) graphops.ValueID {
	v, _ := m.Graph().Index().Value(name)
	return v
}

func plantInputType(m *graphops.Model, rng *rand.Rand) (*graphops.Model, bool) {
	in := m.Graph().FeedInputs()
	if len(in) == 0 {
		return nil, false
	}
	name := in[rng.IntN(len(in))].Name()
	return edited(m, m.Places()[0], func(e *graphops.GraphEditor) {
		for k, v := range e.Inputs {
			if v.Name() == name {
				e.Inputs[k] = v.WithType(graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F64, Shape: graphops.Shape{graphops.SymbolDim("q")}})
			}
		}
	}), !m.Graph().Index().IsOutput(mustValue(m, name))
}

func plantOpset(m *graphops.Model, _ *rand.Rand) (*graphops.Model, bool) {
	v, ok := m.Opset("")
	e := graphops.Edit(m)
	e.SetOpset("", v+1)
	return e.Model(), ok
}

func plantMetadata(m *graphops.Model, _ *rand.Rand) (*graphops.Model, bool) {
	e := graphops.Edit(m)
	e.SetMetadata(append(slices.Clone(m.Metadata()), graphops.Entry{Key: "planted", Value: "x"}))
	return e.Model(), true
}
