package rewrite

import (
	"fmt"

	"lathe/graphops"
)

// Load creates a model that can be changed. It returns an error for a model that no runtime accepts
// because of undefined values, values that are defined twice, or cycles.
func Load(source *graphops.Model) (*Model, error) {
	source = source.WithoutOverruled()
	m := &Model{source: source, names: graphops.NamesOf(source), hidden: map[graphops.FunctionKey]bool{}, opsets: source.OpsetVersions()}
	for _, f := range source.Functions() {
		m.hidden[f.Key()] = true
	}
	for _, p := range source.Places() {
		if p.Kind == graphops.BodyGraph {
			continue // loaded with its node
		}
		g, err := m.load(p, nil)
		if err != nil {
			return nil, err
		}
		m.roots = append(m.roots, g)
	}
	return m, nil
}

// append appends the graph and all bodies in it to a list, in the order of graphops.Model.Places.
func (g *Graph) append(list []*Graph) []*Graph {
	list = append(list, g)
	for n := g.first; n != nil; n = n.next {
		for _, b := range n.bodies {
			list = b.append(list)
		}
	}
	return list
}

func (m *Model) load(p *graphops.Place, holder *Node) (*Graph, error) {
	g := &Graph{model: m, place: p, origin: p.Graph, holder: holder, values: map[string]*Value{}}
	x := p.Graph.Index()
	if len(x.Duplicates) > 0 {
		return nil, fmt.Errorf("value %q is defined twice; run lathe check to see where", x.Duplicates[0])
	}
	g.loadInputs(x)
	g.loadConstants()
	order, err := p.Graph.Order()
	if err != nil {
		return nil, err
	}
	bodies := map[int][]*graphops.Place{}
	for _, b := range p.Bodies {
		bodies[b.Node] = append(bodies[b.Node], b)
	}
	for _, i := range order {
		if err := g.loadNode(i, bodies[i]); err != nil {
			return nil, err
		}
	}
	for _, o := range p.Graph.Outputs() {
		v, err := g.find(o.Name())
		if err != nil {
			return nil, err
		}
		v.outputs++
		g.outputs = append(g.outputs, v)
	}
	return g, nil
}

func (g *Graph) loadInputs(x *graphops.Index) {
	for _, info := range g.origin.Inputs() {
		v := g.define(info.Name())
		v.input = true
		if id, ok := x.Value(info.Name()); ok && x.IsInitializer(id) && g.IsMain() {
			v.overridable = g.model.source.IRVersion() >= graphops.OptionalInputsIR
		}
		g.inputs = append(g.inputs, v)
	}
}

func (g *Graph) loadConstants() {
	last := map[string]int{}
	for i, t := range g.origin.Initializers() {
		last[t.Name()] = i
	}
	for i, t := range g.origin.Initializers() {
		if last[t.Name()] == i {
			g.addConstant(g.defineOr(t.Name()), t)
		}
	}
	for _, s := range g.origin.SparseInitializers() {
		v := g.defineOr(s.Name())
		v.sparse = s
		g.constants = append(g.constants, v)
	}
}

func (g *Graph) addConstant(v *Value, t *graphops.Tensor) {
	v.constant = t
	v.known.Type = typeOf(t)
	g.constants = append(g.constants, v)
}

// defineOr returns the value with the name if the graph has one already, which is then an input.
// Otherwise it creates the value.
func (g *Graph) defineOr(name string) *Value {
	if v, ok := g.values[name]; ok {
		return v
	}
	return g.define(name)
}

// define creates a value with the name.
func (g *Graph) define(name string) *Value {
	v := &Value{name: name, graph: g}
	g.values[name] = v
	return v
}

// find returns the value that a name refers to: a value of this graph or of one around it.
func (g *Graph) find(name string) (*Value, error) {
	for at := g; at != nil; at = at.around() {
		if v, ok := at.values[name]; ok {
			return v, nil
		}
	}
	return nil, fmt.Errorf("value %q is read but never defined; run lathe check to see where", name)
}

func (g *Graph) loadNode(i int, bodies []*graphops.Place) error {
	spec := g.origin.Nodes()[i]
	if v := g.constantOf(spec); v != nil {
		if !g.IsFunction() {
			g.model.lifted = append(g.model.lifted, Site{g.place, i})
		}
		return nil
	}
	n := &Node{graph: g, spec: spec, from: []Site{{g.place, i}}}
	for _, a := range spec.Attributes() {
		n.refers = n.refers || a.RefName() != ""
	}
	for _, name := range spec.Inputs() {
		var v *Value
		if name != "" {
			var err error
			if v, err = g.find(name); err != nil {
				return err
			}
		}
		n.in = append(n.in, v)
		v.addReader(n)
	}
	for _, b := range bodies {
		body, err := g.model.load(b, n)
		if err != nil {
			return err
		}
		n.bodies = append(n.bodies, body)
	}
	for _, name := range spec.Outputs() {
		var v *Value
		if name != "" {
			v = g.define(name)
			v.producer = n
		}
		n.out = append(n.out, v)
	}
	g.insertBefore(nil, n)
	return nil
}
