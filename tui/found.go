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

// found is the rows that stand out: those that a filter holds for, or those
// that a question about the graph was answered with.
type found struct {
	// query is the filter as it was typed, asked what was asked of the graph
	// otherwise; both are empty while nothing stands out.
	query  string
	asked  question
	places [][]int32     // rows by the number of the place, in order
	rows   []int32       // those of the place that shows
	known  bool          // rows answer the query; else they may be those of the one before
	err    error         // why the filter cannot be read
	why    string        // the same in words, safe to print
	origin spot          // where the search began
	leads  bool          // the selection goes to the first row found
	kept   *searchPrompt // that was left while the answer was awaited

	ticket  int
	cancel  context.CancelFunc
	began   time.Time
	elapsed time.Duration // as it was last looked at, while the answer is awaited

	workers finder
	past    []string // filters that were kept, the last one last
}

// foundMsg brings the rows that a filter holds for.
type foundMsg struct {
	ticket int
	places [][]int32
	err    error
	why    string
}

// searchTickMsg tells that it is time to look how long a search takes.
type searchTickMsg struct{ ticket int }

func (f *found) isOn() bool { return f.query != "" || f.asked.what != "" }

// isOpen reports whether an answer is awaited.
func (f *found) isOpen() bool { return f.isOn() && !f.known && f.err == nil }

// isUnfinished reports whether the filter ends in the middle of something.
func (f *found) isUnfinished() bool {
	var fault *filter.Error
	return errors.As(f.err, &fault) && fault.Unfinished
}

// matches reports whether a row was found.
func (f *found) matches(row int) bool {
	_, ok := slices.BinarySearch(f.rows, int32(row))
	return ok
}

// inPlace takes the rows of another place.
func (f *found) inPlace(p *graphops.Place) {
	f.rows = nil
	if p.ID < len(f.places) {
		f.rows = f.places[p.ID]
	}
}

// elsewhere is how many rows were found in other places than the one that shows.
func (f *found) elsewhere() int {
	n := -len(f.rows)
	for _, rows := range f.places {
		n += len(rows)
	}
	return n
}

// searcher is what asks filters of the model that shows.
func (ws *workspace) searcher() finder {
	if w, types := ws.found.workers, ws.types.inferred.Load(); w.model != ws.model() || w.types != types {
		ws.found.workers = newFinder(ws.model(), types)
	}
	ws.found.workers.knows(ws.outline.place, ws.modules)
	return ws.found.workers
}

// find looks for what a filter holds for, in every place; an empty one ends the
// search. With leads the selection goes to what is found. Until the answer is
// there the rows of the filter before stand out: while somebody types, the screen
// need not be drawn twice for every letter.
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

// forget drops what was found and any question that is open. The context is that
// of the next question.
func (ws *workspace) forget() context.Context {
	f := &ws.found
	if f.cancel != nil {
		f.cancel()
	}
	ctx, cancel := context.WithCancel(ws.ctx)
	*f = found{ticket: f.ticket + 1, cancel: cancel, began: ws.o.Now(), origin: f.origin, workers: f.workers, past: f.past}
	return ctx
}

// watchSearch looks how long the search takes while it does.
func (ws *workspace) watchSearch(ticket int) tea.Cmd {
	return tea.Tick(ws.lookEvery, func(time.Time) tea.Msg { return searchTickMsg{ticket} })
}

// take implements answer.
func (m searchTickMsg) take(a *App) tea.Cmd {
	f := &a.ws.found
	if m.ticket != f.ticket || !f.isOpen() {
		return nil
	}
	f.elapsed = a.ws.o.Now().Sub(f.began)
	return a.ws.watchSearch(m.ticket)
}

// findAgain asks for the same of the model that shows now.
func (ws *workspace) findAgain() tea.Cmd {
	f := &ws.found
	f.origin, f.places, f.rows = ws.here(), nil, nil
	return ws.find(f.query, false)
}

// arrangeFound shows other rows where only those found do.
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

// take implements answer: the rows of the last question. The selection goes to
// the first of them from where the search began. Behind a filter that is still
// being typed the rows before it stay.
func (m foundMsg) take(a *App) tea.Cmd {
	ws := a.ws
	f := &ws.found
	if m.ticket != f.ticket {
		return nil
	}
	f.err, f.why, f.known = m.err, m.why, m.err == nil
	if f.kept != nil && m.err != nil && a.dialogs.top() == nil {
		a.ahead = nil // which was meant for what is not found
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

// first is the first row found in the place where the search began, from the row
// where it began around the end.
func (f *found) first() (spot, bool) {
	p := f.origin.place
	if p.ID >= len(f.places) || len(f.places[p.ID]) == 0 {
		return spot{}, false
	}
	rows := f.places[p.ID]
	i, _ := slices.BinarySearch(rows, int32(f.origin.row))
	return spot{p, int(rows[i%len(rows)])}, true
}

// keep notes the filter among those that were kept.
func (f *found) keep() {
	if f.query == "" || f.err != nil {
		return
	}
	f.past = append(slices.DeleteFunc(slices.Clone(f.past), func(q string) bool { return q == f.query }), f.query)
}
