package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session/text"
)

// question asks the graph something: its answer is the rows that stand out.
type question func(x *graphops.Index) graphops.Reach

// light lets what a question is answered with stand out, and says what it is.
func (ws *workspace) light(what string, ask question) tea.Cmd {
	f := &ws.found
	ws.forget()
	f.origin = ws.here()
	f.what = what
	_, cancel := context.WithCancel(ws.ctx)
	f.cancel = cancel
	w, ticket := ws.wiring, f.ticket
	return guarded("following the graph", func() tea.Msg {
		places := make([][]int32, w.outline.place.ID+1)
		places[w.outline.place.ID] = w.rowsIn(ask(w.index))
		return foundMsg{ticket: ticket, places: places}
	})
}

// rowsIn are the rows of a part of the graph, inputs and outputs included.
func (w *wiring) rowsIn(r graphops.Reach) []int32 {
	var out []int32
	for row := range w.outline.len() {
		if p, ok := w.point(row); ok && r.Holds(p) {
			out = append(out, int32(row))
		}
	}
	return out
}

// point is a row as the graph knows it.
func (w *wiring) point(row int) (graphops.Point, bool) {
	if k, i := w.outline.at(row); k == kindNode {
		return graphops.NodePoint(i), true
	}
	id, ok := w.index.Value(w.outline.port(row).name)
	return graphops.ValuePoint(id), ok
}

// points are the chosen rows as the graph knows them.
func (ws *workspace) points() []graphops.Point {
	var out []graphops.Point
	for _, row := range ws.chosen() {
		if p, ok := ws.wiring.point(row); ok {
			out = append(out, p)
		}
	}
	return out
}

// subject names the chosen rows.
func (ws *workspace) subject() string {
	if n := len(ws.chosen()); n > 1 {
		return text.Plural(n, "row")
	}
	return ws.outline.name(ws.row())
}

func (a *App) lightBefore() tea.Cmd {
	points := a.ws.points()
	return a.ws.light("what "+a.ws.subject()+" depends on", func(x *graphops.Index) graphops.Reach {
		return x.Ancestors(points...)
	})
}

func (a *App) lightAfter() tea.Cmd {
	points := a.ws.points()
	return a.ws.light("what depends on "+a.ws.subject(), func(x *graphops.Index) graphops.Reach {
		return x.Descendants(points...)
	})
}

// lightPath lights everything between two ends, whichever comes first along the
// data.
func (a *App) lightPath() tea.Cmd {
	ws := a.ws
	from, to := ws.ends()
	p, _ := ws.wiring.point(from)
	q, _ := ws.wiring.point(to)
	what := fmt.Sprintf("between %s and %s", ws.outline.name(from), ws.outline.name(to))
	return ws.light(what, func(x *graphops.Index) graphops.Reach {
		one, other := []graphops.Point{p}, []graphops.Point{q}
		if x.Descendants(one...).Holds(q) {
			return x.Between(one, other)
		}
		return x.Between(other, one)
	})
}

// ends are the rows between which a way is asked for: the ends of the range, else
// the row of the last mark and the selected one.
func (ws *workspace) ends() (from, to int) {
	if ws.span.on {
		a, b := ws.spanLines()
		return ws.rowAt(a), ws.rowAt(b)
	}
	if n := len(ws.marks.names); n > 0 {
		if id, ok := ws.wiring.index.Value(ws.marks.names[n-1]); ok {
			return ws.wiring.maker(id), ws.row()
		}
	}
	return -1, ws.row()
}

func (ws *workspace) pathRefusal() string {
	if why := ws.wiringRefusal(); why != "" {
		return why
	}
	from, to := ws.ends()
	return unless(from >= 0 && from != to, fmt.Sprintf("mark one end with %s, or begin a range there with %s, and go to the other",
		ws.keys.key(placeMain, actionMark), ws.keys.key(placeMain, "range")))
}
