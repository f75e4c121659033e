package tui

import (
	"fmt"
	"slices"

	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// edge leads from the selected row to another row that makes or reads one of its values.
type edge struct {
	graph.Spot
	value string // raw name of the value
}

// consumers returns the rows that read the values of the selected one.
func consumers(ws *workspace.Workspace) []edge {
	var out []edge
	for _, name := range ws.Outline.Makes(ws.Row()) {
		if id, ok := ws.Wiring.Index.Value(name); ok {
			for _, row := range ws.Wiring.Readers(id) {
				out = append(out, edge{graph.Spot{Place: ws.Outline.Place, Row: row}, name})
			}
		}
	}
	return distinct(out)
}

// producers returns the rows that compute the values which the selected row reads, in the order of
// its inputs. Captured values are computed in the surrounding place.
func producers(ws *workspace.Workspace) []edge {
	var out []edge
	for _, name := range ws.Outline.Reads(ws.Row()) {
		if id, ok := ws.Wiring.Index.Value(name); ok {
			if row := ws.Wiring.Maker(id); row >= 0 {
				out = append(out, edge{graph.Spot{Place: ws.Outline.Place, Row: row}, name})
			}
		}
	}
	if p := ws.Outline.Port(ws.Row()); p.What == "outer" {
		out = append(out, outerEdge(ws, p.Name)...)
	}
	return standing(ws, firstOfEach(out))
}

// standing leaves out edges from constants that are folded into the selected row, unless there are
// no others.
func standing(ws *workspace.Workspace, edges []edge) []edge {
	if !ws.FoldsConstants() {
		return edges
	}
	out := slices.DeleteFunc(slices.Clone(edges), func(e edge) bool {
		return e.Place == ws.Outline.Place && ws.Outline.Folds(e.Row)
	})
	if len(out) == 0 {
		return edges
	}
	return out
}

// outerEdge returns the edge to the row in a surrounding place that computes a value. It returns
// nothing for constants and for values that nothing computes.
func outerEdge(ws *workspace.Workspace, name string) []edge {
	x := ws.Outline.Place.Graph.Index()
	for _, c := range ws.Outline.Place.Captures() {
		if x.Name(c.Value) != name || c.From == nil {
			continue
		}
		outer := graph.NewOutline(ws.Model(), c.From)
		if i := c.From.Graph.Index().Producer(c.Outer); i >= 0 {
			return []edge{{graph.Spot{Place: c.From, Row: outer.NodeRow(i)}, name}}
		}
		for row, in := range outer.Inputs {
			if in.Name == name {
				return []edge{{graph.Spot{Place: c.From, Row: row}, name}}
			}
		}
	}
	return nil
}

// firstOfEach returns the first edge for each row, in the order of edges.
func firstOfEach(edges []edge) []edge {
	var out []edge
	seen := map[graph.Spot]bool{}
	for _, e := range edges {
		if !seen[e.Spot] {
			out = append(out, e)
		}
		seen[e.Spot] = true
	}
	return out
}

// distinct returns one edge for each row, and sorts them by row.
func distinct(edges []edge) []edge {
	slices.SortStableFunc(edges, func(a, b edge) int { return a.Row - b.Row })
	return slices.CompactFunc(edges, func(a, b edge) bool { return a.Row == b.Row })
}

// choiceOf returns the text by which a person chooses an edge: the row at the other end and the
// name of the value.
func choiceOf(ws *workspace.Workspace, e edge) string {
	o := ws.Outline
	if e.Place != o.Place {
		return "around: " + cells.Label(e.value)
	}
	number := ""
	if k, i := o.At(e.Row); k == graph.KindNode {
		number = fmt.Sprint(i, " ")
	}
	return fmt.Sprintf("%s%s %s  (%s)", number, o.Op(e.Row), o.Name(e.Row), cells.Label(e.value))
}
