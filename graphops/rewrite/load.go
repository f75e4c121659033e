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
	g := &Graph{model: m, place: p, origin: p.Graph, holder: holder, values: make([]*Value, p.Graph.Index().Values())}
	g.room = newRoom(p.Graph)
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
		v, err := g.find(g.number(o.Name()))
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
	last := make([]int, len(g.values)) // initializer by value
	for i, t := range g.origin.Initializers() {
		last[g.number(t.Name())] = i
	}
	for i, t := range g.origin.Initializers() {
		switch {
		case last[g.number(t.Name())] == i:
			g.addConstant(g.defineConstant(t.Name()), t)
		case g.model.asIs: // nothing can read it
			g.addConstant(g.newValue(t.Name()), t)
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
	v := g.values[g.number(name)]
	if v == nil {
		return g.define(name)
	}
	v.overridable = v.input && g.IsMain() && g.model.source.IRVersion() >= graphops.OptionalInputsIR
	return v
}

// define creates a value with the name.
func (g *Graph) define(name string) *Value { return g.defineAt(g.number(name)) }

func (g *Graph) defineAt(id graphops.ValueID) *Value {
	v := g.newValue(g.origin.Index().Name(id))
	v.readers = g.room.readers.take(len(g.origin.Index().Readers(id)))[:0]
	g.values[id] = v
	return v
}

// number returns the number of a value in the index of the loaded graph, which has its name.
func (g *Graph) number(name string) graphops.ValueID {
	id, ok := g.origin.Index().Value(name)
	if !ok {
		panic("rewrite: the graph has no value " + name)
	}
	return id
}

// find returns the value that a number in the graph's index refers to: a value of this graph or of one
// around it.
func (g *Graph) find(id graphops.ValueID) (*Value, error) {
	if v := g.values[id]; v != nil {
		return v, nil
	}
	name := g.origin.Index().Name(id)
	for at := g.around(); at != nil; at = at.around() {
		if outer, ok := at.origin.Index().Value(name); ok && at.values[outer] != nil {
			return at.values[outer], nil
		}
	}
	if g.model.asIs {
		return g.defineAt(id), nil
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
	n := g.newNode(spec)
	from := &g.room.sets.take(1)[0]
	*from = Sites{own: g.room.sites.take(1), most: 1}
	from.own[0] = Site{g.place, i}
	n.from, n.out = from, g.room.operands.take(len(spec.Outputs()))
	for k, id := range g.origin.Index().Outputs(i) {
		if id >= 0 {
			n.out[k] = g.defineAt(id)
			n.out[k].producer = n
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
		at := n.from.own[0].Node
		n.in = g.room.operands.take(len(n.spec.Inputs()))
		for i, id := range g.origin.Index().Inputs(at) {
			if id < 0 {
				continue
			}
			v, err := g.find(id)
			if err != nil {
				return err
			}
			n.in[i] = v
			v.addReader(n)
		}
		for _, b := range bodies[at] {
			body, err := g.model.load(b, n)
			if err != nil {
				return err
			}
			n.bodies = append(n.bodies, body)
		}
	}
	return nil
}
