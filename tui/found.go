package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
)

// found is the rows that stand out: those that a filter holds for, or those
// that a question about the graph was answered with.
type found struct {
	// query is the filter as it was typed, what says in words what was asked of
	// the graph otherwise; both are empty while nothing stands out.
	query, what string
	places      [][]int32 // rows by the number of the place, in order
	rows        []int32   // those of the place that shows
	known       bool      // rows answer the query
	err         error     // why the filter cannot be read
	origin      spot      // where the search began
	leads       bool      // the selection goes to the first row found
	ticket      int
	cancel      context.CancelFunc
	workers     finder
}

// foundMsg brings the rows that a filter holds for.
type foundMsg struct {
	ticket int
	places [][]int32
	err    error
}

func (f *found) isOn() bool { return f.query != "" || f.what != "" }

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

// find looks for what a filter holds for, in every place; an empty one ends the
// search. With leads the selection goes to what is found.
func (ws *workspace) find(query string, leads bool) tea.Cmd {
	f := &ws.found
	ws.forget()
	f.query, f.leads = query, leads
	if query == "" {
		return ws.arrangeFound()
	}
	ctx, cancel := context.WithCancel(ws.ctx)
	f.cancel = cancel
	if f.workers.model != ws.model() {
		f.workers = newFinder(ws.model())
	}
	f.workers.knows(ws.outline.place, ws.modules)
	finder, ticket := f.workers, f.ticket
	return guarded("searching", func() tea.Msg {
		places, err := finder.find(ctx, query)
		return foundMsg{ticket, places, err}
	})
}

// forget drops what was found and any question that is open.
func (ws *workspace) forget() {
	f := &ws.found
	if f.cancel != nil {
		f.cancel()
	}
	*f = found{ticket: f.ticket + 1, origin: f.origin, workers: f.workers}
}

// findAgain asks for the same of the model that shows now.
func (ws *workspace) findAgain() tea.Cmd {
	ws.found.origin = ws.here()
	return ws.find(ws.found.query, false)
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
// the first of them from where the search began.
func (m foundMsg) take(a *App) tea.Cmd {
	ws := a.ws
	f := &ws.found
	if m.ticket != f.ticket {
		return nil
	}
	f.places, f.err, f.known = m.places, m.err, m.err == nil
	f.inPlace(ws.outline.place)
	cmd := ws.arrangeFound()
	if !f.leads {
		return cmd
	}
	if s, ok := f.first(); ok {
		return tea.Batch(cmd, ws.visit(s))
	}
	return tea.Batch(cmd, ws.visit(f.origin))
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

// nextMatch goes to the next row found, or the previous one: in this place, then
// in the next that has any, around the end.
func (ws *workspace) nextMatch(by int) tea.Cmd {
	f := &ws.found
	i, exact := slices.BinarySearch(f.rows, int32(ws.row()))
	if by > 0 && !exact {
		i--
	}
	if i += by; i >= 0 && i < len(f.rows) {
		return ws.jump(spot{ws.outline.place, int(f.rows[i])})
	}
	places := ws.model().Places()
	n := len(places)
	for k := 1; k <= n; k++ {
		p := places[((ws.outline.place.ID+by*k)%n+n)%n]
		if p.ID >= len(f.places) || len(f.places[p.ID]) == 0 {
			continue
		}
		rows := f.places[p.ID]
		if by > 0 {
			return ws.jump(spot{p, int(rows[0])})
		}
		return ws.jump(spot{p, int(rows[len(rows)-1])})
	}
	return nil
}
