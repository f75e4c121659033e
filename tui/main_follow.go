package tui

import (
	"fmt"
	"slices"

	"lathe/tui/cells"
)

// edge leads from the selected row to another row that makes or reads one of its values.
type edge struct {
	spot
	value string // raw name of the value
}

// consumers returns the rows that read the values of the selected one.
func consumers(ws *workspace) []edge {
	var out []edge
	for _, name := range ws.outline.makes(ws.row()) {
		if id, ok := ws.wiring.index.Value(name); ok {
			for _, row := range ws.wiring.readers(id) {
				out = append(out, edge{spot{ws.outline.place, row}, name})
			}
		}
	}
	return distinct(out)
}

// producers returns the rows that compute the values which the selected row reads. Captured values
// are computed in the surrounding place.
func producers(ws *workspace) []edge {
	var out []edge
	for _, name := range ws.outline.reads(ws.row()) {
		if id, ok := ws.wiring.index.Value(name); ok {
			if row := ws.wiring.maker(id); row >= 0 {
				out = append(out, edge{spot{ws.outline.place, row}, name})
			}
		}
	}
	if p := ws.outline.port(ws.row()); p.what == "outer" {
		out = append(out, outerEdge(ws, p.name)...)
	}
	return distinct(out)
}

// outerEdge returns the edge to the row in a surrounding place that computes a value. It returns
// nothing for constants and for values that nothing computes.
func outerEdge(ws *workspace, name string) []edge {
	x := ws.outline.place.Graph.Index()
	for _, c := range ws.outline.place.Captures() {
		if x.Name(c.Value) != name || c.From == nil {
			continue
		}
		outer := newOutline(ws.model(), c.From)
		if i := c.From.Graph.Index().Producer(c.Outer); i >= 0 {
			return []edge{{spot{c.From, outer.nodeRow(i)}, name}}
		}
		for row, in := range outer.inputs {
			if in.name == name {
				return []edge{{spot{c.From, row}, name}}
			}
		}
	}
	return nil
}

// distinct returns one edge for each row, and sorts them by row.
func distinct(edges []edge) []edge {
	slices.SortStableFunc(edges, func(a, b edge) int { return a.row - b.row })
	return slices.CompactFunc(edges, func(a, b edge) bool { return a.row == b.row })
}

// choiceOf returns the text by which a person chooses an edge: the row at the other end and the
// name of the value.
func choiceOf(ws *workspace, e edge) string {
	o := ws.outline
	if e.place != o.place {
		return "around: " + cells.Label(e.value)
	}
	number := ""
	if k, i := o.at(e.row); k == kindNode {
		number = fmt.Sprint(i, " ")
	}
	return fmt.Sprintf("%s%s %s  (%s)", number, o.op(e.row), o.name(e.row), cells.Label(e.value))
}
