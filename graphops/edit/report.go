package edit

import (
	"fmt"

	"lathe/graphops"
)

// Change is one thing that an edit did. From is empty for something new, To for something removed.
type Change struct {
	What string // in the terms of the format: "value", "node", "attribute", "type" …
	Name string // of the changed value or node
	From string
	To   string
}

// Report describes what an edit does to a model, before or after it is done.
type Report struct {
	Changes  []Change
	Warnings []string
	// NodesBefore and NodesAfter are the numbers of nodes in the place.
	NodesBefore, NodesAfter int
	// Keep marks the nodes of the main graph that stay; nil if all do.
	Keep []bool
}

func (r *Report) changed(what, name, from, to string) {
	r.Changes = append(r.Changes, Change{what, name, from, to})
}

func (r *Report) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// edit is an edit in progress: a place of the original, and the graph that it becomes.
type edit struct {
	model *graphops.Model
	place *graphops.Place
	graph *graphops.Graph // the original
	index *graphops.Index
	names *graphops.Names
	next  *graphops.GraphEditor
	// keep is by position in the original; nil while no node is removed.
	keep []bool
	// lost are the outputs of the original that the result does not have.
	lost map[graphops.ValueID]bool
	// made has the inferred types of values without a recorded type.
	made map[graphops.ValueID]graphops.Type
	// gained are the values of the original that get readers by the edit.
	gained map[graphops.ValueID]bool
	// doubted are the values of the main graph whose types the edit may change. recordedIn is the
	// model with what was known about them, and recorded the index of its main graph.
	doubt      doubt
	doubted    map[string]bool
	recordedIn *graphops.Model
	recorded   *graphops.Index
	// added are the new nodes, by the position in the original that they follow.
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

// fresh generates new names; it is created on first use.
func (e *edit) fresh() *graphops.Names {
	if e.names == nil {
		e.names = graphops.NamesOf(e.model)
	}
	return e.names
}

// remove removes a node of the original, given by position.
func (e *edit) remove(i int) {
	if e.keep == nil {
		e.keep = make([]bool, len(e.graph.Nodes()))
		for j := range e.keep {
			e.keep[j] = true
		}
	}
	e.keep[i] = false
}

// removed reports whether a node of the original is removed.
func (e *edit) removed(i int) bool { return i < len(e.keep) && !e.keep[i] }

// atFront is the position for nodes that come before all others.
const atFront = -1

// insert adds a new node after one of the original, given by position, or atFront. Several nodes at
// the same position keep the order of the calls.
func (e *edit) insert(behind int, n *graphops.Node) {
	if e.added == nil {
		e.added = map[int][]*graphops.Node{}
	}
	e.added[behind] = append(e.added[behind], n)
}

// finish returns the edited model. Nodes are added and removed only here, so that positions are
// those of the original before.
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

// unshadow renames inner values of bodies with the name of a value around them, if nodes were added
// or removed: ONNX Runtime may then execute the others in another order.
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

// dropUnlisted removes what an early version of the file format cannot contain, and reports it.
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
		e.report.warn("IR version %d cannot hold an initializer that is no input and that nothing reads: %s dropped: %s",
			m.IRVersion(), counted(len(names), "initializer"), graphops.QuoteNames(names))
	}
	return rest
}

// arrange removes and adds nodes.
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
