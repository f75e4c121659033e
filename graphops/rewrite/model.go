package rewrite

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Model is a model that is being changed.
type Model struct {
	source  *graphops.Model
	roots   []*Graph // the main graph and the functions'
	names   *graphops.Names
	hidden  map[graphops.FunctionKey]bool // by functions of the model
	opsets  map[string]int64              // of the source, and those that Import raised
	touched []*Node
	lifted  []Site // Constant nodes that Load made initializers of
	defines map[string]int
	stored  *graphops.Model // what Store made last, nil after a change
}

// Graphs are the main graph, the functions' graphs, and the bodies inside of them,
// outer before inner, as Model.Places has them of what Store makes.
func (m *Model) Graphs() []*Graph {
	var out []*Graph
	for _, g := range m.roots {
		out = g.append(out)
	}
	return out
}

// Source is the model that was loaded.
func (m *Model) Source() *graphops.Model { return m.source }

// Names are the names that are taken.
func (m *Model) Names() *graphops.Names { return m.names }

// Import has the model import a domain, in this version at least. Functions import
// for themselves: what is imported for one is not there in another.
func (m *Model) Import(domain string, version int64) {
	domain = graphops.NormalDomain(domain)
	if m.opsets[domain] < version {
		m.opsets[domain], m.stored = version, nil
	}
}

func (m *Model) opset(domain string) int64 { return m.opsets[graphops.NormalDomain(domain)] }

func (m *Model) hides(k graphops.FunctionKey) bool { return m.hidden[k] }

// touch notes that a node changed. What is touched is not what Store made last.
func (m *Model) touch(n *Node) {
	m.stored = nil
	if n != nil {
		m.touched = append(m.touched, n)
	}
}

// Touched lists the nodes of the loaded model that what was changed since the last
// call stood for, in order, and begins anew.
func (m *Model) Touched() []Site {
	var out []Site
	seen := map[Site]bool{}
	for _, n := range m.touched {
		for _, s := range n.from {
			if !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	m.touched = nil
	slices.SortFunc(out, func(a, b Site) int {
		if a.Place.ID != b.Place.ID {
			return a.Place.ID - b.Place.ID
		}
		return a.Node - b.Node
	})
	return out
}

// Infer infers what is known of all values. Of what the file declares it believes
// the inputs, those that have a constant for the case that nothing is fed included.
// Sizes that are symbols are taken to be 1 at least, as everywhere; those on which ONNX
// Runtime and the standard disagree are not known.
func (m *Model) Infer(ctx context.Context) error {
	stored := m.Store()
	r, err := shape.Infer(ctx, stored, shape.Options{Fresh: true, NameAxes: true, Replaceable: true, Agreed: true})
	if err != nil {
		return err
	}
	places := stored.Places()
	for i, g := range m.Graphs() {
		x := places[i].Graph.Index()
		for _, v := range g.defined() {
			if id, ok := x.Value(v.name); ok {
				v.known = r.Value(places[i], id)
			}
		}
	}
	return nil
}
