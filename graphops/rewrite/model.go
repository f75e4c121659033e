package rewrite

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
)

// Model is a model that can be changed.
type Model struct {
	source  *graphops.Model
	roots   []*Graph                      // the main graph and those of functions
	names   *graphops.Names               // nil until they are needed
	hidden  map[graphops.FunctionKey]bool // operators hidden by functions of the model
	opsets  map[string]int64              // those of the source, and those raised by Import
	touched []*Node
	lifted  []Site // Constant nodes that Load turned into initializers
	defines map[string]int
	stored  *graphops.Model // the last result of Store, nil after a change
	graphs  []*Graph        // the last result of Graphs, nil after a change
	asIs    bool            // loaded by LoadAsIs
	ops     map[string]bool // operators that a node has or had
	values  int             // that there are or were
	nodes   int
	asked   schemaKey
	answer  *opschema.Schema
}

// Graphs returns the main graph, the graphs of functions, and the bodies inside them. They are in
// the same order as the places of the model that Store returns.
// The caller must not change the list.
func (m *Model) Graphs() []*Graph {
	if m.graphs == nil {
		out := make([]*Graph, 0, len(m.roots))
		for _, g := range m.roots {
			out = g.append(out)
		}
		m.graphs = out
	}
	return m.graphs
}

// discard forgets what was made of the model before a change.
func (m *Model) discard() { m.stored, m.graphs = nil, nil }

// MayHave returns false if no node, in any graph, has one of these operators in any domain. It may
// return true although the last node with them was removed.
func (m *Model) MayHave(ops []string) bool {
	return slices.ContainsFunc(ops, func(op string) bool { return m.ops[op] })
}

// Source returns the loaded model.
func (m *Model) Source() *graphops.Model { return m.source }

// Names returns the names that are in use, from which new names can be created.
func (m *Model) Names() *graphops.Names {
	if m.names == nil {
		m.names = graphops.NamesOf(m.source)
	}
	return m.names
}

// Import makes the model import a domain in this version or a later one. Functions have imports of
// their own, which do not change.
func (m *Model) Import(domain string, version int64) {
	domain = graphops.NormalDomain(domain)
	if m.opsets[domain] < version {
		m.opsets[domain] = version
		m.discard()
	}
}

// schemaKey is an operator in a version of its domain.
type schemaKey struct {
	domain, op string
	version    int64
}

// schema returns the schema of an operator. The last answer is kept, because neighbouring nodes and
// questions are mostly about the same operator.
func (m *Model) schema(key schemaKey) *opschema.Schema {
	if m.asked != key || m.answer == nil {
		m.asked = key
		m.answer, _ = opschema.Find(key.domain, key.op, key.version)
	}
	return m.answer
}

func (m *Model) opset(domain string) int64 { return m.opsets[graphops.NormalDomain(domain)] }

func (m *Model) hides(k graphops.FunctionKey) bool { return m.hidden[k] }

// touch records that a node changed, and discards the last result of Store. n may be nil if only a
// value changed.
func (m *Model) touch(n *Node) {
	m.discard()
	if n != nil {
		m.touched = append(m.touched, n)
	}
}

// Touched returns the nodes of the loaded model that have been removed, modified or replaced since
// the last call, in the order of the changes.
func (m *Model) Touched() *Sites {
	sets := make([]*Sites, 0, len(m.touched))
	for _, n := range m.touched {
		if len(sets) == 0 || sets[len(sets)-1] != n.from {
			sets = append(sets, n.from)
		}
	}
	m.touched = nil
	out := *JoinSites(sets...)
	out.sorted = true
	return &out
}

// Infer infers types and elements of all values. Of the types that the file declares, it uses only
// those of inputs, including inputs with a default. It assumes that the sizes of symbols are at
// least 1. If ONNX Runtime and the standard disagree on a size, it treats the size as unknown.
func (m *Model) Infer(ctx context.Context) error {
	stored := m.Store()
	r, err := shape.Infer(ctx, stored, shape.Options{Fresh: true, NameAxes: true, Replaceable: true, Agreed: true})
	if err != nil {
		return err
	}
	places := stored.Places()
	for i, g := range m.Graphs() {
		g.learn(r, places[i])
	}
	return nil
}

// learn sets what is known of the values of the graph, which was stored as the place p.
func (g *Graph) learn(r *shape.Result, p *graphops.Place) {
	x := p.Graph.Index()
	for _, list := range [][]*Value{g.inputs, g.constants} {
		for _, v := range list {
			if id, ok := x.Value(v.name); ok {
				v.known = r.Value(p, id)
			}
		}
	}
	node := len(p.Graph.Nodes()) - g.count // constants of a function are nodes before the others
	for n := g.first; n != nil; n = n.next {
		for k, id := range x.Outputs(node) {
			if v := n.Out(k); v != nil && id >= 0 {
				v.known = r.Value(p, id)
			}
		}
		node++
	}
}

// InferLoaded infers the types and elements of the loaded values in the loaded model, also from
// the types that the file declares. A value that was created later keeps its type.
func (m *Model) InferLoaded(ctx context.Context) error {
	r, err := shape.Infer(ctx, m.source, shape.Options{})
	if err != nil {
		return err
	}
	for _, g := range m.Graphs() {
		for id, v := range g.values {
			if v != nil {
				v.known = r.Value(g.place, graphops.ValueID(id))
			}
		}
	}
	return nil
}
