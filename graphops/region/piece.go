package region

import (
	"slices"

	"lathe/graphops"
)

// Piece is a set of nodes of the main graph that can become a model. Values that they read from
// other nodes become inputs, and values that are used outside become outputs.
type Piece struct {
	model *graphops.Model
	nodes map[int]bool
	// Inputs are the values that the nodes read from nodes outside, in the order in which the nodes
	// read them.
	Inputs []string
	// Outputs are the values of the piece that nodes outside read, that are outputs of the model,
	// or that nothing reads.
	Outputs []string
}

// PieceOf returns a piece with the given nodes. Constant nodes that these read are added to it.
func PieceOf(m *graphops.Model, nodes []int) Piece {
	p := Piece{model: m, nodes: map[int]bool{}}
	g := m.Graph()
	x := g.Index()
	for _, i := range nodes {
		p.nodes[i] = true
	}
	for _, i := range nodes {
		for v := range Reads(g, i) {
			if made := x.Producer(v); made >= 0 && g.Nodes()[made].IsConstant() {
				p.nodes[made] = true
			}
		}
	}
	makes := map[string]bool{}
	for i := range p.nodes {
		for _, name := range g.Nodes()[i].Outputs() {
			makes[name] = true
		}
	}
	taken := map[string]bool{"": true}
	for i, n := range g.Nodes() {
		if !p.nodes[i] {
			continue
		}
		for v := range Reads(g, i) {
			name := x.Name(v)
			if x.Producer(v) >= 0 && !makes[name] && !taken[name] {
				taken[name] = true
				p.Inputs = append(p.Inputs, name)
			}
		}
		for _, name := range n.Outputs() {
			if !taken[name] && p.leaves(name) {
				taken[name] = true
				p.Outputs = append(p.Outputs, name)
			}
		}
	}
	return p
}

// leaves reports whether a value of the piece is one of its outputs.
func (p Piece) leaves(name string) bool {
	x := p.model.Graph().Index()
	v, ok := x.Value(name)
	if !ok || x.IsOutput(v) {
		return ok
	}
	readers := x.Readers(v)
	return len(readers) == 0 || slices.ContainsFunc(readers, func(i int32) bool { return !p.nodes[int(i)] })
}

// Nodes returns the nodes of the piece, as indices in the model's main graph.
func (p Piece) Nodes() []int {
	out := make([]int, 0, len(p.nodes))
	for i := range p.nodes {
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}

// Has reports whether a node is in the piece.
func (p Piece) Has(node int) bool { return p.nodes[node] }

// Model returns the piece as a model with the given outputs. types returns the types of its inputs.
// Types that the original model declares for other values are kept.
func (p Piece) Model(types func(name string) graphops.Type, outputs []string) *graphops.Model {
	x := p.model.Graph().Index()
	ins := make([]*graphops.ValueInfo, len(p.Inputs))
	for i, name := range p.Inputs {
		ins[i] = graphops.NewValueInfo(name, types(name))
	}
	outs := untyped(outputs)
	for i, name := range outputs {
		if v, ok := x.Value(name); ok && x.Info(v) != nil {
			outs[i] = x.Info(v)
		}
	}
	return build(p.model, p.Has, ins, outs, nil, true)
}
