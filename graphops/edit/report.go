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
	keep   []bool
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

// finish is the edited model. Nodes are removed last, so that positions are those
// of the original until then; new ones stand behind them.
func (e *edit) finish() (*graphops.Model, *Report) {
	if e.keep != nil {
		nodes := e.next.Nodes[:0]
		for i, n := range e.next.Nodes {
			if i >= len(e.keep) || e.keep[i] {
				nodes = append(nodes, n)
			}
		}
		e.next.Nodes = nodes
		if e.place.Kind == graphops.MainGraph {
			e.report.Keep = e.keep
		}
	}
	e.next.DropUndefined()
	e.report.NodesAfter = len(e.next.Nodes)
	m := e.model.WithGraph(e.place, e.next.Graph())
	if m.HasTraining() {
		m = m.WithoutTraining()
		e.report.warn(graphops.TrainingDropped)
	}
	return m, e.report
}
