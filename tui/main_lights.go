package tui

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
)

// chosenPoints returns the nodes and values of the selected rows.
func chosenPoints(ws *workspace) []graphops.Point {
	var out []graphops.Point
	for _, row := range ws.chosen() {
		if p, ok := ws.wiring.Point(row); ok {
			out = append(out, p)
		}
	}
	return out
}

// maxEnd is the number of cells for the name of a row when a line names two rows.
const maxEnd = 22

// nameOfRow returns a row's name, short enough for a line that names two rows.
func nameOfRow(ws *workspace, row int) string { return cells.CutFront(ws.outline.Name(row), maxEnd) }

// subjectOf names the chosen rows.
func subjectOf(ws *workspace) string {
	if n := len(ws.chosen()); n > 1 {
		return text.Plural(n, "row")
	}
	return cells.CutFront(ws.outline.Name(ws.row()), 2*maxEnd)
}

// lightBefore highlights what the chosen rows depend on, without the rows themselves.
func lightBefore(ws *workspace) tea.Cmd {
	points, subject := chosenPoints(ws), subjectOf(ws)
	depends := "depends"
	if len(points) > 1 {
		depends = "depend"
	}
	return ws.light(question{
		what: fmt.Sprintf("what %s %s on", subject, depends), none: cmp.Or(madeAround(ws), fmt.Sprintf("%s %s on nothing else", subject, depends)),
		ask: func(x *graphops.Index) graphops.Reach { return without(x.Ancestors(points...), points) },
	})
}

// madeAround says that the value of the selected row is computed in the graph around this body, and
// which key leads there. It returns "" for other rows, and if several rows are selected.
func madeAround(ws *workspace) string {
	rows := ws.chosen()
	if len(rows) != 1 || ws.outline.Port(rows[0]).What != "outer" {
		return ""
	}
	out := subjectOf(ws) + " is computed in the outer graph"
	if key := ws.keys.Key(shell.PlaceMain, "producers"); key != "" && len(outerEdge(ws, ws.outline.Port(rows[0]).Name)) > 0 {
		out += "; " + key + " follows it there"
	}
	return out
}

// lightAfter highlights what depends on the chosen rows.
func lightAfter(ws *workspace) tea.Cmd {
	points, subject := chosenPoints(ws), subjectOf(ws)
	return ws.light(question{
		what: "what depends on " + subject, none: "nothing else depends on " + subject,
		ask: func(x *graphops.Index) graphops.Reach { return without(x.Descendants(points...), points) },
	})
}

// without removes points from a Reach and returns it.
func without(r graphops.Reach, points []graphops.Point) graphops.Reach {
	for _, p := range points {
		light(r, p, false)
	}
	return r
}

func light(r graphops.Reach, p graphops.Point, on bool) {
	if i, ok := p.Node(); ok {
		r.Nodes[i] = on
	} else if v, ok := p.Value(); ok {
		r.Values[v] = on
	}
}

// lightPaths highlights all rows on paths between two rows. The order of the two does not matter.
func lightPaths(ws *workspace) tea.Cmd {
	return lightWay(ws, "between %s and %s", func(x *graphops.Index, p, q graphops.Point) graphops.Reach {
		one, other := []graphops.Point{p}, []graphops.Point{q}
		if x.Descendants(one...).Holds(q) {
			return x.Between(one, other)
		}
		return x.Between(other, one)
	})
}

// lightShortest highlights one of the shortest paths between two rows.
func lightShortest(ws *workspace) tea.Cmd {
	return lightWay(ws, "a shortest way between %s and %s", func(x *graphops.Index, p, q graphops.Point) graphops.Reach {
		r := x.Between(nil, nil)
		for _, at := range x.Path(p, q).Points {
			light(r, at, true)
		}
		return r
	})
}

// lightWay highlights a path between the two selected nodes. what is a format for the names of
// both.
func lightWay(ws *workspace, what string, way func(x *graphops.Index, p, q graphops.Point) graphops.Reach) tea.Cmd {
	from, to := endsOf(ws)
	p, _ := ws.wiring.Point(from)
	q, _ := ws.wiring.Point(to)
	one, other := nameOfRow(ws, from), nameOfRow(ws, to)
	return ws.light(question{
		what: fmt.Sprintf(what, one, other), none: fmt.Sprintf("there is no path between %s and %s", one, other),
		ask: func(x *graphops.Index) graphops.Reach { return way(x, p, q) },
	})
}

// endsOf returns the rows of the two nodes between which the person wants to see the path: the ends of
// the selected range, or else the node that was marked last and the selected node. Only nodes of the
// main graph can be marked.
func endsOf(ws *workspace) (from, to int) {
	if ws.span.on {
		a, b := ws.spanLines()
		return ws.rowAt(a), ws.rowAt(b)
	}
	if n := len(ws.marks.names); n > 0 && ws.outline.Place.Kind == graphops.MainGraph {
		if id, ok := ws.wiring.Index.Value(ws.marks.names[n-1]); ok {
			return ws.wiring.Maker(id), ws.row()
		}
	}
	return -1, ws.row()
}

func lightRefusal(ws *workspace) string {
	if why := ws.wiringRefusal(); why != "" {
		return why
	}
	return actions.Unless(len(chosenPoints(ws)) > 0, "nothing is selected")
}

func pathRefusal(ws *workspace) string {
	if why := lightRefusal(ws); why != "" {
		return why
	}
	from, to := endsOf(ws)
	if ws.outline.Place.Kind != graphops.MainGraph {
		return actions.Unless(from >= 0 && from != to, fmt.Sprintf("begin a range at one end with %s, and go to the other", ws.keys.Key(shell.PlaceMain, "range")))
	}
	return actions.Unless(from >= 0 && from != to, fmt.Sprintf("mark one end with %s, or begin a range there with %s, and go to the other",
		ws.keys.Key(shell.PlaceMain, actionMark), ws.keys.Key(shell.PlaceMain, "range")))
}
