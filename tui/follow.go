package tui

import (
	"fmt"
	"slices"

	"lathe/tui/cells"
)

// edge is a way from the selected row to another one.
type edge struct {
	spot
	value string // raw name of what flows along it
}

// consumers are the rows that read what the selected one makes.
func (ws *workspace) consumers() []edge {
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

// producers are the rows that make what the selected one reads. What a body
// takes from around it is made there.
func (ws *workspace) producers() []edge {
	var out []edge
	for _, name := range ws.outline.reads(ws.row()) {
		if id, ok := ws.wiring.index.Value(name); ok {
			if row := ws.wiring.maker(id); row >= 0 {
				out = append(out, edge{spot{ws.outline.place, row}, name})
			}
		}
	}
	if p := ws.outline.port(ws.row()); p.what == "outer" {
		out = append(out, ws.outerEdge(p.name)...)
	}
	return distinct(out)
}

// outerEdge is the edge to what makes a value in a place around this one; none
// where a constant or nothing does.
func (ws *workspace) outerEdge(name string) []edge {
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

// distinct leaves one edge to each row: the first.
func distinct(edges []edge) []edge {
	slices.SortStableFunc(edges, func(a, b edge) int { return a.row - b.row })
	return slices.CompactFunc(edges, func(a, b edge) bool { return a.row == b.row })
}

// choiceOf is an edge as a choice.
func (ws *workspace) choiceOf(e edge) string {
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
