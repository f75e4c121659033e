package edit

import (
	"fmt"

	"lathe/graphops"
)

// Change is one thing that an edit did. From is empty for what is new, To for
// what is gone.
type Change struct {
	What string // in the format's terms: "value", "node", "attribute", "type" …
	Name string // of the value or node that it was done to
	From string
	To   string
}

// Report is what an edit does to a model, before or after it is done.
type Report struct {
	Changes  []Change
	Warnings []string
	// NodesBefore and NodesAfter count the nodes of the place.
	NodesBefore, NodesAfter int
	// Keep marks the nodes of the main graph that stay; nil where all do.
	Keep []bool
}

func (r *Report) changed(what, name, from, to string) {
	r.Changes = append(r.Changes, Change{what, name, from, to})
}

func (r *Report) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// edit is one edit under way: a place of the original on one side, the graph it
// becomes on the other.
type edit struct {
	model *graphops.Model
	place *graphops.Place
	graph *graphops.Graph // the original
	index *graphops.Index
	names *graphops.Names
	next  *graphops.GraphEditor
	// keep is nil while no node is removed, else by position of the original.
	keep []bool
	// lost are the outputs of the original that the result has no more.
	lost map[graphops.ValueID]bool
	// made are types of values whose type is recorded nowhere, as the graph makes them.
	made map[graphops.ValueID]graphops.Type
	// gained are the values of the original that get readers by the edit.
	gained map[graphops.ValueID]bool
	// doubted are the values of the main graph whose types the edit may change, recordedIn
	// is the model that tells what was known of them, and recorded the index of its main
	// graph.
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

// fresh is the authority for new names, made when it is first asked.
func (e *edit) fresh() *graphops.Names {
	if e.names == nil {
		e.names = graphops.NamesOf(e.model)
	}
	return e.names
}

// remove takes a node of the original, given by position, out of the result.
func (e *edit) remove(i int) {
	if e.keep == nil {
		e.keep = make([]bool, len(e.graph.Nodes()))
		for j := range e.keep {
			e.keep[j] = true
		}
	}
	e.keep[i] = false
}

// removed reports whether a node of the original is taken out.
func (e *edit) removed(i int) bool { return i < len(e.keep) && !e.keep[i] }

// atFront is the position that nodes follow which stand before all others.
const atFront = -1

// insert puts a new node behind one of the original, given by position, or
// atFront. Several behind the same one stand in the order of the calls.
func (e *edit) insert(behind int, n *graphops.Node) {
	if e.added == nil {
		e.added = map[int][]*graphops.Node{}
	}
	e.added[behind] = append(e.added[behind], n)
}

// finish is the edited model. Nodes come and go last, so that positions are those
// of the original until then.
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

// unshadow renames what stands inside bodies under the name of a value around them, if
// nodes came or went: ONNX Runtime may then place the others in another order.
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

// dropUnlisted drops what an early version of the file format cannot hold, and
// reports it.
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

// arrange takes removed nodes out and puts new ones in.
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
