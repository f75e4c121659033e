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
	"lathe/tui/workspace"
)

// chosenPoints returns the nodes and values of the selected rows.
func chosenPoints(ws *workspace.Workspace) []graphops.Point {
	var out []graphops.Point
	for _, row := range ws.Chosen() {
		if p, ok := ws.Wiring.Point(row); ok {
			out = append(out, p)
		}
	}
	return out
}

// maxEnd is the number of cells for the name of a row when a line names two rows.
const maxEnd = 22

// nameOfRow returns a row's name, short enough for a line that names two rows.
func nameOfRow(ws *workspace.Workspace, row int) string {
	return cells.CutFront(ws.Outline.Name(row), maxEnd)
}

// subjectOf names the chosen rows.
func subjectOf(ws *workspace.Workspace) string {
	if n := len(ws.Chosen()); n > 1 {
		return text.Plural(n, "row")
	}
	return cells.CutFront(ws.Outline.Name(ws.Row()), 2*maxEnd)
}

// lightBefore highlights what the chosen rows depend on, without the rows themselves.
func lightBefore(ws *workspace.Workspace) tea.Cmd {
	points, subject := chosenPoints(ws), subjectOf(ws)
	depends := "depends"
	if len(points) > 1 {
		depends = "depend"
	}
	return ws.Light(workspace.Question{
		What: fmt.Sprintf("what %s %s on", subject, depends), None: cmp.Or(madeAround(ws), fmt.Sprintf("%s %s on nothing else", subject, depends)),
		Ask: func(x *graphops.Index) graphops.Reach { return without(x.Ancestors(points...), points) },
	})
}

// madeAround says that the value of the selected row is computed in the graph around this body, and
// which key leads there. It returns "" for other rows, and if several rows are selected.
func madeAround(ws *workspace.Workspace) string {
	rows := ws.Chosen()
	if len(rows) != 1 || ws.Outline.Port(rows[0]).What != "outer" {
		return ""
	}
	out := subjectOf(ws) + " is computed in the outer graph"
	if key := ws.Keys.Key(shell.PlaceMain, "producers"); key != "" && len(outerEdge(ws, ws.Outline.Port(rows[0]).Name)) > 0 {
		out += "; " + key + " follows it there"
	}
	return out
}

// lightAfter highlights what depends on the chosen rows.
func lightAfter(ws *workspace.Workspace) tea.Cmd {
	points, subject := chosenPoints(ws), subjectOf(ws)
	return ws.Light(workspace.Question{
		What: "what depends on " + subject, None: "nothing else depends on " + subject,
		Ask: func(x *graphops.Index) graphops.Reach { return without(x.Descendants(points...), points) },
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
func lightPaths(ws *workspace.Workspace) tea.Cmd {
	return lightWay(ws, "between %s and %s", func(x *graphops.Index, p, q graphops.Point) graphops.Reach {
		one, other := []graphops.Point{p}, []graphops.Point{q}
		if x.Descendants(one...).Holds(q) {
			return x.Between(one, other)
		}
		return x.Between(other, one)
	})
}

// lightShortest highlights one of the shortest paths between two rows.
func lightShortest(ws *workspace.Workspace) tea.Cmd {
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
func lightWay(ws *workspace.Workspace, what string, way func(x *graphops.Index, p, q graphops.Point) graphops.Reach) tea.Cmd {
	from, to := endsOf(ws)
	p, _ := ws.Wiring.Point(from)
	q, _ := ws.Wiring.Point(to)
	one, other := nameOfRow(ws, from), nameOfRow(ws, to)
	return ws.Light(workspace.Question{
		What: fmt.Sprintf(what, one, other), None: fmt.Sprintf("there is no path between %s and %s", one, other),
		Ask: func(x *graphops.Index) graphops.Reach { return way(x, p, q) },
	})
}

// endsOf returns the rows of the two nodes between which the person wants to see the path: the ends of
// the selected range, or else the node that was marked last and the selected node. Only nodes of the
// main graph can be marked.
func endsOf(ws *workspace.Workspace) (from, to int) {
	if ws.Span.On {
		a, b := ws.SpanLines()
		return ws.RowAt(a), ws.RowAt(b)
	}
	if n := len(ws.Marks.Names); n > 0 && ws.Outline.Place.Kind == graphops.MainGraph {
		if id, ok := ws.Wiring.Index.Value(ws.Marks.Names[n-1]); ok {
			return ws.Wiring.Maker(id), ws.Row()
		}
	}
	return -1, ws.Row()
}

func lightRefusal(ws *workspace.Workspace) string {
	if why := ws.WiringRefusal(); why != "" {
		return why
	}
	return actions.Unless(len(chosenPoints(ws)) > 0, "nothing is selected")
}

func pathRefusal(ws *workspace.Workspace) string {
	if why := lightRefusal(ws); why != "" {
		return why
	}
	from, to := endsOf(ws)
	if ws.Outline.Place.Kind != graphops.MainGraph {
		return actions.Unless(from >= 0 && from != to, fmt.Sprintf("begin a range at one end with %s, and go to the other", ws.Keys.Key(shell.PlaceMain, "range")))
	}
	return actions.Unless(from >= 0 && from != to, fmt.Sprintf("mark one end with %s, or begin a range there with %s, and go to the other",
		ws.Keys.Key(shell.PlaceMain, workspace.ActionMark), ws.Keys.Key(shell.PlaceMain, "range")))
}
