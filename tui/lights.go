package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/graph"
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
			places := make([][]int32, w.Outline.Place.ID+1)
			places[w.Outline.Place.ID] = w.RowsIn(q.ask(w.Index))
			return foundAnswer{places: places}, nil
		},
		Take: ws.takeFound,
	})
}

// standOut highlights given rows, which may be in several places of the model. what describes them
// in the status line.
func (ws *workspace) standOut(what string, spots []graph.Spot) tea.Cmd {
	ws.forget()
	f := &ws.found
	f.origin, f.asked, f.known = ws.here(), question{what: what, none: "no " + what}, true
	f.places = make([][]int32, len(ws.model().Places()))
	for _, s := range spots {
		f.places[s.Place.ID] = append(f.places[s.Place.ID], int32(s.Row))
	}
	for i, rows := range f.places {
		slices.Sort(rows)
		f.places[i] = slices.Compact(rows)
	}
	f.inPlace(ws.outline.Place)
	return ws.arrangeFound()
}
