package tui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/filter"
)

// found is the set of highlighted rows. These are the rows that match a filter, or the answer to a
// question such as "what does this row depend on?".
type found struct {
	// query is the filter as it was typed, and asked is a question about the graph. Both are empty
	// if nothing is highlighted.
	query  string
	asked  question
	places [][]int32     // rows by place number, in order
	rows   []int32       // rows of the visible place
	known  bool          // rows are those of this query and not of an earlier one
	err    error         // what is wrong with the filter
	why    string        // the same in words, safe to print
	origin spot          // where the search began
	leads  bool          // the cursor moves to the first match
	kept   *searchPrompt // the prompt, if it was closed before the search had finished

	ticket  int
	cancel  context.CancelFunc
	began   time.Time
	elapsed time.Duration // updated from time to time during a search

	workers finder
	past    []string // accepted filters, the latest last
}

// foundMsg has the rows that match a filter.
type foundMsg struct {
	ticket int
	places [][]int32
	err    error
	why    string
}

// searchTickMsg says that it is time to update the elapsed time of a search.
type searchTickMsg struct{ ticket int }

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
func (ws *workspace) searcher() finder {
	if w, types := ws.found.workers, ws.types.inferred.Load(); w.model != ws.model() || w.types != types {
		ws.found.workers = newFinder(ws.model(), types)
	}
	ws.found.workers.knows(ws.outline.place, ws.modules)
	return ws.found.workers
}

// find starts a search in every place. An empty query ends the search. If leads is set, the cursor
// moves to the first match. Until the answer arrives, the old matches stay highlighted, so that the
// screen changes only once for each typed letter.
func (ws *workspace) find(query string, leads bool) tea.Cmd {
	f := &ws.found
	before, rows := f.places, f.rows
	ctx := ws.forget()
	f.query, f.leads = query, leads
	if query == "" {
		return ws.arrangeFound()
	}
	f.places, f.rows = before, rows
	workers, ticket := ws.searcher(), f.ticket
	return tea.Batch(guarded("searching", func() tea.Msg {
		places, err := workers.find(ctx, query)
		return foundMsg{ticket, places, err, reason(err)}
	}), ws.watchSearch(ticket))
}

// forget ends all highlighting and cancels a running search. The returned context is for the next
// search.
func (ws *workspace) forget() context.Context {
	f := &ws.found
	if f.cancel != nil {
		f.cancel()
	}
	ctx, cancel := context.WithCancel(ws.ctx)
	*f = found{ticket: f.ticket + 1, cancel: cancel, began: ws.o.Now(), origin: f.origin, workers: f.workers, past: f.past}
	return ctx
}

// watchSearch updates the elapsed time of a search.
func (ws *workspace) watchSearch(ticket int) tea.Cmd {
	return tea.Tick(ws.tasks.Look, func(time.Time) tea.Msg { return searchTickMsg{ticket} })
}

// take implements answer. It updates the elapsed time while the search is running.
func (m searchTickMsg) take(a *App) tea.Cmd {
	f := &a.ws.found
	if m.ticket != f.ticket || !f.isOpen() {
		return nil
	}
	f.elapsed = a.ws.o.Now().Sub(f.began)
	return a.ws.watchSearch(m.ticket)
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
	if !l.order.only {
		return nil
	}
	if !ws.found.isOn() {
		l.order.only = false
	}
	return ws.arrange()
}

// take implements answer. It stores the matches of the latest search and, if requested, moves the
// cursor to the first match after the row where the search began. If the filter that is being typed
// has an error, the old matches stay.
func (m foundMsg) take(a *App) tea.Cmd {
	ws := a.ws
	f := &ws.found
	if m.ticket != f.ticket {
		return nil
	}
	f.err, f.why, f.known = m.err, m.why, m.err == nil
	if f.kept != nil && m.err != nil && a.dialogs.top() == nil {
		a.ahead = nil // waiting keys were meant for a match
		f.kept.reopen()
	}
	f.kept = nil
	if f.isUnfinished() {
		return nil
	}
	f.places = m.places
	f.inPlace(ws.outline.place)
	if !f.leads {
		return ws.arrangeFound()
	}
	goal, ok := f.first()
	if !ok {
		goal = f.origin
	}
	if ws.listing.order.only && goal.place == ws.outline.place {
		ws.listing.goal = &goal.row
		return ws.arrangeFound()
	}
	return tea.Batch(ws.arrangeFound(), ws.visit(goal))
}

// first returns the first match at or after the row where the search began, in the same place.
// After the last match it continues at the beginning of the place.
func (f *found) first() (spot, bool) {
	p := f.origin.place
	if p.ID >= len(f.places) || len(f.places[p.ID]) == 0 {
		return spot{}, false
	}
	rows := f.places[p.ID]
	i, _ := slices.BinarySearch(rows, int32(f.origin.row))
	return spot{p, int(rows[i%len(rows)])}, true
}

// keep adds the filter to the earlier filters, which the prompt can show again. A filter that is
// already there moves to the end.
func (f *found) keep() {
	if f.query == "" || f.err != nil {
		return
	}
	f.past = append(slices.DeleteFunc(slices.Clone(f.past), func(q string) bool { return q == f.query }), f.query)
}
