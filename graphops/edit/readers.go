package edit

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
)

// nodes returns the positions of the named nodes, in graph order and without duplicates.
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

// outputsOf returns the outputs of node i. A value that a later Constant of the same name defines
// is not one of them.
func (e *edit) outputsOf(i int) []graphops.ValueID {
	var out []graphops.ValueID
	for _, name := range e.graph.Nodes()[i].Outputs() {
		if id, ok := e.index.Value(name); ok && name != "" && e.index.Producer(id) == i {
			out = append(out, id)
		}
	}
	return out
}

// readersLeft returns the positions of the nodes that read a value, themselves or in a body, and
// are not removed. Each occurs once.
func (e *edit) readersLeft(id graphops.ValueID) []int {
	var out []int
	for _, r := range e.index.Readers(id) {
		if i := int(r); !e.removed(i) && (len(out) == 0 || out[len(out)-1] != i) {
			out = append(out, i)
		}
	}
	return out
}

// isOutput reports whether the value is an output of the place that has not been removed.
func (e *edit) isOutput(id graphops.ValueID) bool { return e.index.IsOutput(id) && !e.lost[id] }

// maxNamed is the maximum number of names in a message. The others are only counted.
const maxNamed = 5

// need says for a message what still needs a value: the nodes that read it, and the output that it
// is. It returns "" if nothing does.
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

// readerLabels lists nodes that read a value for a message. It says if only a body of a node reads
// it.
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

// where returns the name of the place for messages.
func (e *edit) where() string {
	if e.place.Kind == graphops.MainGraph {
		return "the graph"
	}
	return fmt.Sprintf("%q", e.place)
}

// listed joins the names, and adds how many of the total are not named.
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
