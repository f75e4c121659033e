package tui

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/filter"
	"lathe/tui/graph"
	"lathe/tui/task"
)

// found is the set of highlighted rows. These are the rows that match a filter, or the answer to a
// question such as "what does this row depend on?".
type found struct {
	// query is the filter as it was typed, and asked is a question about the graph. Both are empty
	// if nothing is highlighted.
	query  string
	asked  question
	places [][]int32  // rows by place number, in order
	rows   []int32    // rows of the visible place
	known  bool       // rows are those of this query and not of an earlier one
	err    error      // what is wrong with the filter
	why    string     // the same in words, safe to print
	origin graph.Spot // where the search began
	leads  bool       // the cursor moves to the first match
	kept   reopener   // the prompt, if it was closed before the search had finished

	search  *task.Task[foundAnswer]
	workers graph.Finder
	past    []string // accepted filters, the latest last
}

// reopener is a prompt that can be opened again, because its filter has an error.
type reopener interface{ Reopen() }

// foundAnswer has the rows that match a filter.
type foundAnswer struct {
	places [][]int32
	err    error
	why    string
}

func (f *found) isOn() bool { return f.query != "" || f.asked.what != "" }

// isOpen reports whether a search is running.
func (f *found) isOpen() bool { return f.isOn() && !f.known && f.err == nil }

// isUnfinished reports whether the error of the filter is only that it is incomplete.
func (f *found) isUnfinished() bool {
	var fault *filter.Error
	return errors.As(f.err, &fault) && fault.Unfinished
}

// matches reports whether a row of the visible place is highlighted.
func (f *found) matches(row int) bool {
	_, ok := slices.BinarySearch(f.rows, int32(row))
	return ok
}

// inPlace selects the matches of another place.
func (f *found) inPlace(p *graphops.Place) {
	f.rows = nil
	if p.ID < len(f.places) {
		f.rows = f.places[p.ID]
	}
}

// elsewhere is the number of matches in other places.
func (f *found) elsewhere() int {
	n := -len(f.rows)
	for _, rows := range f.places {
		n += len(rows)
	}
	return n
}

// searcher returns the finder for the visible model.
func (ws *workspace) searcher() graph.Finder {
	if w, types := ws.found.workers, ws.types.Inferred.Load(); w.Model != ws.model() || w.Types != types {
		ws.found.workers = graph.NewFinder(ws.model(), types)
	}
	ws.found.workers.Knows(ws.outline.Place, ws.modules)
	return ws.found.workers
}

// find starts a search in every place. An empty query ends the search. If leads is set, the cursor
// moves to the first match. Until the answer arrives, the old matches stay highlighted, so that the
// screen changes only once for each typed letter.
func (ws *workspace) find(query string, leads bool) tea.Cmd {
	f := &ws.found
	before, rows := f.places, f.rows
	ws.forget()
	f.query, f.leads = query, leads
	if query == "" {
		return ws.arrangeFound()
	}
	f.places, f.rows = before, rows
	workers := ws.searcher()
	return f.search.Ask(ws.tasks, task.Question[foundAnswer]{
		Doing: "searching", Watched: true,
		Work: func(ctx context.Context, _ task.Report) (foundAnswer, error) {
			places, err := workers.Find(ctx, query)
			return foundAnswer{places, err, reason(err)}, nil
		},
		Take: ws.takeFound,
	})
}

// forget ends all highlighting and cancels a running search.
func (ws *workspace) forget() {
	ws.finding.Stop()
	f := &ws.found
	*f = found{search: &ws.finding, origin: f.origin, workers: f.workers, past: f.past}
}

// findAgain searches for the same in the visible model.
func (ws *workspace) findAgain() tea.Cmd {
	f := &ws.found
	f.origin, f.places, f.rows = ws.here(), nil, nil
	return ws.find(f.query, false)
}

// arrangeFound updates the list if it shows only matches. If nothing is highlighted any more, the
// list shows all rows again.
func (ws *workspace) arrangeFound() tea.Cmd {
	l := &ws.listing
	if !l.order.Only {
		return nil
	}
	if !ws.found.isOn() {
		l.order.Only = false
	}
	return ws.arrange()
}

// takeFound stores the matches of the latest search and, if requested, moves the
// cursor to the first match after the row where the search began. If the filter that is being typed
// has an error, the old matches stay.
func (ws *workspace) takeFound(m foundAnswer, broken error) tea.Cmd {
	if broken != nil {
		ws.log.Fail(broken)
		return nil
	}
	f := &ws.found
	f.err, f.why, f.known = m.err, m.why, m.err == nil
	if p := f.kept; p != nil && m.err != nil && ws.host.Top() == nil {
		ws.host.DropKeys() // waiting keys were meant for a match
		p.Reopen()
	}
	f.kept = nil
	if f.isUnfinished() {
		return nil
	}
	f.places = m.places
	f.inPlace(ws.outline.Place)
	if !f.leads {
		return ws.arrangeFound()
	}
	goal, ok := f.first()
	if !ok {
		goal = f.origin
	}
	if ws.listing.order.Only && goal.Place == ws.outline.Place {
		ws.listing.goal = &goal.Row
		return ws.arrangeFound()
	}
	return tea.Batch(ws.arrangeFound(), ws.visit(goal))
}

// first returns the first match at or after the row where the search began, in the same place.
// After the last match it continues at the beginning of the place.
func (f *found) first() (graph.Spot, bool) {
	p := f.origin.Place
	if p.ID >= len(f.places) || len(f.places[p.ID]) == 0 {
		return graph.Spot{}, false
	}
	rows := f.places[p.ID]
	i, _ := slices.BinarySearch(rows, int32(f.origin.Row))
	return graph.Spot{Place: p, Row: int(rows[i%len(rows)])}, true
}

// keep adds the filter to the earlier filters, which the prompt can show again. A filter that is
// already there moves to the end.
func (f *found) keep() {
	if f.query == "" || f.err != nil {
		return
	}
	f.past = append(slices.DeleteFunc(slices.Clone(f.past), func(q string) bool { return q == f.query }), f.query)
}
