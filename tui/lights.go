package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
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
