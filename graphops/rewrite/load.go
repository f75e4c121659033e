package rewrite

import (
	"fmt"

	"lathe/graphops"
)

// Load creates a model that can be changed. It returns an error for a model that no runtime accepts
// because of undefined values, values that are defined twice, or cycles.
func Load(source *graphops.Model) (*Model, error) { return loadModel(source.WithoutOverruled(), false) }

// LoadAsIs is Load for engines that change some nodes and keep everything else as it is in the
// file, even if no runtime accepts it. Constant nodes stay nodes, nodes keep their order, and a
// value that is never defined has neither a producer nor a constant. Store keeps unused constants
// and lists no constants as inputs.
func LoadAsIs(source *graphops.Model) *Model {
	m, _ := loadModel(source, true) // only Load refuses models
	return m
}

func loadModel(source *graphops.Model, asIs bool) (*Model, error) {
	m := &Model{asIs: asIs, source: source, hidden: map[graphops.FunctionKey]bool{}, ops: map[string]bool{}, opsets: source.OpsetVersions()}
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
	g := &Graph{model: m, place: p, origin: p.Graph, holder: holder, values: make(map[string]*Value, len(p.Graph.Nodes()))}
	g.loadInputs()
	g.loadConstants()
	order, err := g.order()
	if err != nil {
		return nil, err
	}
	for _, i := range order {
		g.loadNode(i)
	}
	if err := g.connect(); err != nil {
		return nil, err
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

// order returns the indices of the nodes in the order in which they are loaded.
func (g *Graph) order() ([]int, error) {
	if g.model.asIs {
		order := make([]int, len(g.origin.Nodes()))
		for i := range order {
			order[i] = i
		}
		return order, nil
	}
	if twice := g.origin.Index().Duplicates; len(twice) > 0 {
		return nil, fmt.Errorf("value %q is defined twice; run lathe check to see where", twice[0])
	}
	return g.origin.Order()
}

func (g *Graph) loadInputs() {
	for _, info := range g.origin.Inputs() {
		v := g.define(info.Name())
		v.input = true
		g.inputs = append(g.inputs, v)
	}
}

func (g *Graph) loadConstants() {
	last := map[string]int{}
	for i, t := range g.origin.Initializers() {
		last[t.Name()] = i
	}
	for i, t := range g.origin.Initializers() {
		switch {
		case last[t.Name()] == i:
			g.addConstant(g.defineConstant(t.Name()), t)
		case g.model.asIs: // nothing can read it
			g.addConstant(&Value{name: t.Name(), graph: g}, t)
		}
	}
	for _, s := range g.origin.SparseInitializers() {
		v := g.defineConstant(s.Name())
		v.sparse = s
		g.constants = append(g.constants, v)
	}
}

func (g *Graph) addConstant(v *Value, t *graphops.Tensor) {
	v.constant = t
	v.known.Type = typeOf(t)
	g.constants = append(g.constants, v)
}

// defineConstant creates the value of an initializer. If it is the default of an input, that is
// the value.
func (g *Graph) defineConstant(name string) *Value {
	v, ok := g.values[name]
	if !ok {
		return g.define(name)
	}
	v.overridable = v.input && g.IsMain() && g.model.source.IRVersion() >= graphops.OptionalInputsIR
	return v
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
	if g.model.asIs {
		return g.define(name), nil
	}
	return nil, fmt.Errorf("value %q is read but never defined; run lathe check to see where", name)
}

// loadNode loads a node with its outputs. A Constant node may become a constant of the graph.
func (g *Graph) loadNode(i int) {
	spec := g.origin.Nodes()[i]
	if !g.model.asIs && g.lift(spec) {
		if !g.IsFunction() {
			g.model.lifted = append(g.model.lifted, Site{g.place, i})
		}
		return
	}
	g.model.ops[spec.OpType()] = true
	n := &Node{graph: g, spec: spec, from: NewSites(Site{g.place, i}), out: make([]*Value, len(spec.Outputs()))}
	for i, name := range spec.Outputs() {
		if name != "" {
			n.out[i] = g.define(name)
			n.out[i].producer = n
		}
	}
	g.insertBefore(nil, n)
}

// connect loads the inputs and the bodies of all nodes of the graph.
func (g *Graph) connect() error {
	bodies := map[int][]*graphops.Place{}
	for _, b := range g.place.Bodies {
		bodies[b.Node] = append(bodies[b.Node], b)
	}
	for n := g.first; n != nil; n = n.next {
		n.in = make([]*Value, len(n.spec.Inputs()))
		for i, name := range n.spec.Inputs() {
			if name == "" {
				continue
			}
			v, err := g.find(name)
			if err != nil {
				return err
			}
			n.in[i] = v
			v.addReader(n)
		}
		for _, b := range bodies[n.from.own[0].Node] {
			body, err := g.model.load(b, n)
			if err != nil {
				return err
			}
			n.bodies = append(n.bodies, body)
		}
	}
	return nil
}
