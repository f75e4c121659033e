package edit

import (
	"fmt"

	"lathe/graphops"
)

// Change is one change that an edit makes. From is "" for something new, and To is "" for something
// removed.
type Change struct {
	What string // in the terms of the format: "value", "node", "attribute", "type" …
	Name string // of the changed value or node
	From string
	To   string
}

// Report describes what an edit changes in a model.
type Report struct {
	Changes  []Change
	Warnings []string
	// NodesBefore and NodesAfter are the numbers of nodes in the edited place.
	NodesBefore, NodesAfter int
	// Keep reports, for each node of the original main graph, whether it stays. It is nil if all
	// stay.
	Keep []bool
}

func (r *Report) changed(what, name, from, to string) {
	r.Changes = append(r.Changes, Change{what, name, from, to})
}

func (r *Report) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// edit is the state of one edit of a place. index and positions of nodes are always those of the
// original; the changes are collected in the other fields until finish.
type edit struct {
	model *graphops.Model
	place *graphops.Place
	graph *graphops.Graph // the original
	index *graphops.Index
	names *graphops.Names
	next  *graphops.GraphEditor
	// keep reports, for each node of the original, whether it stays. It is nil as long as all do.
	keep []bool
	// lost has the outputs of the place that are removed.
	lost map[graphops.ValueID]bool
	// made has the inferred types of values for which the model declares no type.
	made map[graphops.ValueID]graphops.Type
	// gained has the values of the original that get readers which they did not have.
	gained map[graphops.ValueID]bool
	// doubted has the values of the main graph whose recorded types were removed because the edit
	// may make them wrong, and doubt says which parts. recordedIn is the model with these types,
	// and recorded the index of its main graph.
	doubt      doubt
	doubted    map[string]bool
	recordedIn *graphops.Model
	recorded   *graphops.Index
	// added has the new nodes, by the position of the original node after which they are inserted.
	added  map[int][]*graphops.Node
	report *Report
}

func begin(m *graphops.Model, p *graphops.Place) *edit {
	return &edit{
		model: m, place: p, graph: p.Graph, index: p.Graph.Index(),
		next:   graphops.EditGraph(p.Graph),
		report: &Report{NodesBefore: len(p.Graph.Nodes())},
	}
}

// fresh returns a generator of names that do not occur in the model.
func (e *edit) fresh() *graphops.Names {
	if e.names == nil {
		e.names = graphops.NamesOf(e.model)
	}
	return e.names
}

// remove marks the node at position i of the original as removed.
func (e *edit) remove(i int) {
	if e.keep == nil {
		e.keep = make([]bool, len(e.graph.Nodes()))
		for j := range e.keep {
			e.keep[j] = true
		}
	}
	e.keep[i] = false
}

// removed reports whether the node at position i of the original is removed.
func (e *edit) removed(i int) bool { return i < len(e.keep) && !e.keep[i] }

// atFront is the position for insert by which a node comes before all others.
const atFront = -1

// insert adds a new node after the node at position behind in the original. Several nodes at the
// same position keep the order of the calls.
func (e *edit) insert(behind int, n *graphops.Node) {
	if e.added == nil {
		e.added = map[int][]*graphops.Node{}
	}
	e.added[behind] = append(e.added[behind], n)
}

// finish returns the edited model and the report. Only here are nodes inserted and removed, so that
// all positions before refer to the original.
func (e *edit) finish() (*graphops.Model, *Report) {
	e.arrange()
	if e.place.Kind == graphops.MainGraph {
		e.report.Keep = e.keep
	}
	e.next.DropUndefined()
	e.report.NodesAfter = len(e.next.Nodes)
	m := e.model.WithGraph(e.place, e.next.Graph())
	if m.HasTraining() {
		m = m.WithoutTraining()
		e.report.warn(graphops.TrainingDropped)
	}
	return e.unshadow(e.dropUnlisted(m)), e.report
}

// unshadow renames values of bodies that have the same name as a value around them, if nodes were
// inserted or removed. ONNX Runtime may then execute the nodes in another order and confuse the two
// values.
func (e *edit) unshadow(m *graphops.Model) *graphops.Model {
	if e.keep == nil && e.added == nil {
		return m
	}
	next, did := m.Unshadowed()
	if warning := did.Warning(); warning != "" {
		e.report.warn("%s", warning)
	}
	return next
}

// dropUnlisted removes initializers that an early IR version cannot hold, and reports them: those
// that are not listed as inputs and that nothing reads.
func (e *edit) dropUnlisted(m *graphops.Model) *graphops.Model {
	rest, dropped := m.WithoutUnlisted()
	for _, p := range m.Places() {
		names := dropped[p]
		if len(names) == 0 {
			continue
		}
		x := p.Graph.Index()
		for _, name := range names {
			id, _ := x.Value(name)
			e.report.changed("initializer", name, typeText(x.Type(id)), "")
		}
		e.report.warn("IR version %d cannot hold an initializer that is not an input and that nothing reads: %s dropped: %s",
			m.IRVersion(), counted(len(names), "initializer"), graphops.QuoteNames(names))
	}
	return rest
}

// arrange inserts and removes the nodes.
func (e *edit) arrange() {
	if e.keep == nil && e.added == nil {
		return
	}
	nodes := make([]*graphops.Node, 0, len(e.next.Nodes)+len(e.added))
	nodes = append(nodes, e.added[atFront]...)
	for i, n := range e.next.Nodes {
		if !e.removed(i) {
			nodes = append(nodes, n)
		}
		nodes = append(nodes, e.added[i]...)
	}
	e.next.Nodes = nodes
}
