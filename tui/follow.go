package tui

import (
	"fmt"
	"lathe/tui/cells"
	"slices"
)

// edge is a way from the selected row to another one.
type edge struct {
	row   int
	value string // raw name of what flows along it
}

// consumers are the rows that read what the selected one makes.
func (ws *workspace) consumers() []edge {
	var out []edge
	for _, name := range ws.outline.makes(ws.rows.Cursor) {
		if id, ok := ws.wiring.index.Value(name); ok {
			for _, row := range ws.wiring.readers(id) {
				out = append(out, edge{row, name})
			}
		}
	}
	return distinct(out)
}

// producers are the rows that make what the selected one reads.
func (ws *workspace) producers() []edge {
	var out []edge
	for _, name := range ws.outline.reads(ws.rows.Cursor) {
		if id, ok := ws.wiring.index.Value(name); ok {
			if row := ws.wiring.maker(id); row >= 0 {
				out = append(out, edge{row, name})
			}
		}
	}
	return distinct(out)
}

// distinct leaves one edge to each row: the first.
func distinct(edges []edge) []edge {
	slices.SortStableFunc(edges, func(a, b edge) int { return a.row - b.row })
	return slices.CompactFunc(edges, func(a, b edge) bool { return a.row == b.row })
}

// choiceOf is an edge as a choice.
func (ws *workspace) choiceOf(e edge) string {
	o := ws.outline
	number := ""
	if k, i := o.at(e.row); k == kindNode {
		number = fmt.Sprint(i, " ")
	}
	return fmt.Sprintf("%s%s %s  (%s)", number, o.op(e.row), o.name(e.row), cells.Label(e.value))
}

// jump goes to a row that is not a neighbour of the selected one.
func (ws *workspace) jump(row int) {
	if row == ws.rows.Cursor {
		return
	}
	ws.trail.leave(ws.rows.Cursor)
	ws.goTo(row)
}

// goTo selects a row; one that does not show is brought to the middle.
func (ws *workspace) goTo(row int) {
	if from, to := ws.rows.Visible(); row < from || row >= to {
		ws.rows.Centre(row)
		return
	}
	ws.rows.MoveTo(row)
}
