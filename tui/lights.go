package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/task"
)

// question is a question about the graph, such as "what does this row depend on?". The rows that
// answer it are highlighted.
type question struct {
	what string // describes the highlighted rows, safe to print
	none string // the message if no row answers the question
	// ask computes the answer. It is nil if the answer was already known.
	ask func(x *graphops.Index) graphops.Reach
}

// light computes the answer to a question in the background and highlights the rows in it. It ends
// the selection of a range, which the question has used.
func (ws *workspace) light(q question) tea.Cmd {
	f := &ws.found
	ws.forget()
	f.origin, f.asked = ws.here(), q
	ws.span = span{}
	w := ws.wiring
	return f.search.Ask(ws.tasks, task.Question[foundAnswer]{
		Doing: "following the graph",
		Work: func(context.Context, task.Report) (foundAnswer, error) {
			places := make([][]int32, w.outline.place.ID+1)
			places[w.outline.place.ID] = w.rowsIn(q.ask(w.index))
			return foundAnswer{places: places}, nil
		},
		Take: ws.takeFound,
	})
}

// standOut highlights given rows, which may be in several places of the model. what describes them
// in the status line.
func (ws *workspace) standOut(what string, spots []spot) tea.Cmd {
	ws.forget()
	f := &ws.found
	f.origin, f.asked, f.known = ws.here(), question{what: what, none: "no " + what}, true
	f.places = make([][]int32, len(ws.model().Places()))
	for _, s := range spots {
		f.places[s.place.ID] = append(f.places[s.place.ID], int32(s.row))
	}
	for i, rows := range f.places {
		slices.Sort(rows)
		f.places[i] = slices.Compact(rows)
	}
	f.inPlace(ws.outline.place)
	return ws.arrangeFound()
}

// rowsIn returns the rows of the nodes, inputs and outputs that a Reach contains.
func (w *wiring) rowsIn(r graphops.Reach) []int32 {
	var out []int32
	for row := range w.outline.len() {
		if p, ok := w.point(row); ok && r.Holds(p) {
			out = append(out, int32(row))
		}
	}
	return out
}

// point returns the node or value of a row, in the form that questions about the graph use. It
// returns false if the graph does not have such a value.
func (w *wiring) point(row int) (graphops.Point, bool) {
	if k, i := w.outline.at(row); k == kindNode {
		return graphops.NodePoint(i), true
	}
	id, ok := w.index.Value(w.outline.port(row).name)
	return graphops.ValuePoint(id), ok
}

// points returns the nodes and values of the selected rows.
func (ws *workspace) points() []graphops.Point {
	var out []graphops.Point
	for _, row := range ws.chosen() {
		if p, ok := ws.wiring.point(row); ok {
			out = append(out, p)
		}
	}
	return out
}

// maxEnd is the number of cells for the name of a row when a line names two rows.
const maxEnd = 22

// called returns a row's name, short enough for a line that names two rows.
func (ws *workspace) called(row int) string { return cells.CutFront(ws.outline.name(row), maxEnd) }

// subject names the chosen rows.
func (ws *workspace) subject() string {
	if n := len(ws.chosen()); n > 1 {
		return text.Plural(n, "row")
	}
	return cells.CutFront(ws.outline.name(ws.row()), 2*maxEnd)
}

// lightBefore highlights what the chosen rows depend on, without the rows themselves.
func (ws *workspace) lightBefore() tea.Cmd {
	points, subject := ws.points(), ws.subject()
	depends := "depends"
	if len(points) > 1 {
		depends = "depend"
	}
	return ws.light(question{
		fmt.Sprintf("what %s %s on", subject, depends), cmp.Or(ws.madeAround(), fmt.Sprintf("%s %s on nothing else", subject, depends)),
		func(x *graphops.Index) graphops.Reach { return without(x.Ancestors(points...), points) },
	})
}

// madeAround says that the value of the selected row is computed in the graph around this body, and
// which key leads there. It returns "" for other rows, and if several rows are selected.
func (ws *workspace) madeAround() string {
	rows := ws.chosen()
	if len(rows) != 1 || ws.outline.port(rows[0]).what != "outer" {
		return ""
	}
	out := ws.subject() + " is computed in the outer graph"
	if key := ws.keys.Key(shell.PlaceMain, "producers"); key != "" && len(ws.outerEdge(ws.outline.port(rows[0]).name)) > 0 {
		out += "; " + key + " follows it there"
	}
	return out
}

// lightAfter highlights what depends on the chosen rows.
func (ws *workspace) lightAfter() tea.Cmd {
	points, subject := ws.points(), ws.subject()
	return ws.light(question{
		"what depends on " + subject, "nothing else depends on " + subject,
		func(x *graphops.Index) graphops.Reach { return without(x.Descendants(points...), points) },
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
func (ws *workspace) lightPaths() tea.Cmd {
	return ws.lightWay("between %s and %s", func(x *graphops.Index, p, q graphops.Point) graphops.Reach {
		one, other := []graphops.Point{p}, []graphops.Point{q}
		if x.Descendants(one...).Holds(q) {
			return x.Between(one, other)
		}
		return x.Between(other, one)
	})
}

// lightShortest highlights one of the shortest paths between two rows.
func (ws *workspace) lightShortest() tea.Cmd {
	return ws.lightWay("a shortest way between %s and %s", func(x *graphops.Index, p, q graphops.Point) graphops.Reach {
		r := x.Between(nil, nil)
		for _, at := range x.Path(p, q).Points {
			light(r, at, true)
		}
		return r
	})
}

// lightWay highlights a path between the two selected nodes. what is a format for the names of
// both.
func (ws *workspace) lightWay(what string, way func(x *graphops.Index, p, q graphops.Point) graphops.Reach) tea.Cmd {
	from, to := ws.ends()
	p, _ := ws.wiring.point(from)
	q, _ := ws.wiring.point(to)
	one, other := ws.called(from), ws.called(to)
	return ws.light(question{
		fmt.Sprintf(what, one, other), fmt.Sprintf("there is no path between %s and %s", one, other),
		func(x *graphops.Index) graphops.Reach { return way(x, p, q) },
	})
}

// ends returns the rows of the two nodes between which the person wants to see the path: the ends of
// the selected range, or else the node that was marked last and the selected node. Only nodes of the
// main graph can be marked.
func (ws *workspace) ends() (from, to int) {
	if ws.span.on {
		a, b := ws.spanLines()
		return ws.rowAt(a), ws.rowAt(b)
	}
	if n := len(ws.marks.names); n > 0 && ws.outline.place.Kind == graphops.MainGraph {
		if id, ok := ws.wiring.index.Value(ws.marks.names[n-1]); ok {
			return ws.wiring.maker(id), ws.row()
		}
	}
	return -1, ws.row()
}

func (ws *workspace) lightRefusal() string {
	if why := ws.wiringRefusal(); why != "" {
		return why
	}
	return actions.Unless(len(ws.points()) > 0, "nothing is selected")
}

func (ws *workspace) pathRefusal() string {
	if why := ws.lightRefusal(); why != "" {
		return why
	}
	from, to := ws.ends()
	if ws.outline.place.Kind != graphops.MainGraph {
		return actions.Unless(from >= 0 && from != to, fmt.Sprintf("begin a range at one end with %s, and go to the other", ws.keys.Key(shell.PlaceMain, "range")))
	}
	return actions.Unless(from >= 0 && from != to, fmt.Sprintf("mark one end with %s, or begin a range there with %s, and go to the other",
		ws.keys.Key(shell.PlaceMain, actionMark), ws.keys.Key(shell.PlaceMain, "range")))
}
