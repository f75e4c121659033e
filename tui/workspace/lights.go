package workspace

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/graph"
	"lathe/tui/task"
)

// Question is a question about the graph, such as "what does this row depend on?". The rows that
// answer it are highlighted.
type Question struct {
	What string // describes the highlighted rows, safe to print
	None string // the message if no row answers the question
	// Ask computes the answer. It is nil if the answer was already known.
	Ask func(x *graphops.Index) graphops.Reach
}

// Light computes the answer to a question in the background and highlights the rows in it. It ends
// the selection of a range, which the question has used.
func (ws *Workspace) Light(q Question) tea.Cmd {
	f := &ws.Found
	ws.Forget()
	f.Origin, f.Asked = ws.Here(), q
	ws.Span = Span{}
	w := ws.Wiring
	return f.search.Ask(ws.Tasks, task.Question[FoundAnswer]{
		Doing: "following the graph",
		Work: func(context.Context, task.Report) (FoundAnswer, error) {
			places := make([][]int32, w.Outline.Place.ID+1)
			places[w.Outline.Place.ID] = w.RowsIn(q.Ask(w.Index))
			return FoundAnswer{places: places}, nil
		},
		Take: ws.TakeFound,
	})
}

// StandOut highlights given rows, which may be in several places of the model. what describes them
// in the status line.
func (ws *Workspace) StandOut(what string, spots []graph.Spot) tea.Cmd {
	ws.Forget()
	f := &ws.Found
	f.Origin, f.Asked, f.Known = ws.Here(), Question{What: what, None: "no " + what}, true
	f.Places = make([][]int32, len(ws.Model().Places()))
	for _, s := range spots {
		f.Places[s.Place.ID] = append(f.Places[s.Place.ID], int32(s.Row))
	}
	for i, rows := range f.Places {
		slices.Sort(rows)
		f.Places[i] = slices.Compact(rows)
	}
	f.InPlace(ws.Outline.Place)
	return ws.ArrangeFound()
}
