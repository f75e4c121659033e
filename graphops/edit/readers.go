package edit

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
)

// nodes finds several nodes of the place, each once, in graph order.
func (e *edit) nodes(names []string) ([]int, error) {
	var out []int
	for _, name := range names {
		i, err := e.node(name)
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// outputsOf returns the outputs of a node. A constant that another one of the same name replaces
// has none.
func (e *edit) outputsOf(i int) []graphops.ValueID {
	var out []graphops.ValueID
	for _, name := range e.graph.Nodes()[i].Outputs() {
		if id, ok := e.index.Value(name); ok && name != "" && e.index.Producer(id) == i {
			out = append(out, id)
		}
	}
	return out
}

// readersLeft returns the nodes that read a value, themselves or in a body, and are not removed:
// each once, by position.
func (e *edit) readersLeft(id graphops.ValueID) []int {
	var out []int
	for _, r := range e.index.Readers(id) {
		if i := int(r); !e.removed(i) && (len(out) == 0 || out[len(out)-1] != i) {
			out = append(out, i)
		}
	}
	return out
}

// isOutput reports whether a value is an output of the place as edited so far.
func (e *edit) isOutput(id graphops.ValueID) bool { return e.index.IsOutput(id) && !e.lost[id] }

// maxNamed is the number of things that a message names; it counts the rest.
const maxNamed = 5

// need describes who still needs a value, "" if nobody does.
func (e *edit) need(id graphops.ValueID) string {
	var parts []string
	if readers := e.readersLeft(id); len(readers) > 0 {
		parts = append(parts, "read by "+e.readerLabels(id, readers))
	}
	if e.isOutput(id) {
		parts = append(parts, "an output of "+e.where())
	}
	return strings.Join(parts, " and ")
}

// readerLabels names the nodes that read a value, and says which of them do so in a body.
func (e *edit) readerLabels(id graphops.ValueID, readers []int) string {
	name := e.index.Name(id)
	labels := make([]string, 0, maxNamed)
	for _, i := range readers[:min(len(readers), maxNamed)] {
		label := "node " + nodeLabel(e.graph, i)
		if !slices.Contains(e.graph.Nodes()[i].Inputs(), name) {
			label = "a body of " + label
		}
		labels = append(labels, label)
	}
	return listed(labels, len(readers))
}

// where names the place in messages.
func (e *edit) where() string {
	if e.place.Kind == graphops.MainGraph {
		return "the graph"
	}
	return fmt.Sprintf("%q", e.place)
}

// listed joins the named ones of total things, and counts the rest.
func listed(named []string, total int) string {
	s := strings.Join(named, ", ")
	if more := total - len(named); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// typeText returns a type with its shape: "f32 1×10", "seq(f32[n])".
func typeText(t graphops.Type) string {
	switch {
	case t.Kind != graphops.TypeTensor && t.Kind != graphops.TypeSparse:
		return t.Simplified().Declaration()
	case t.Shape == nil:
		return t.String()
	default:
		return t.String() + " " + t.Shape.String()
	}
}
