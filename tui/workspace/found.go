package workspace

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

// Found is the set of highlighted rows. These are the rows that match a filter, or the answer to a
// question such as "what does this row depend on?".
type Found struct {
	// Query is the filter as it was typed, and asked is a question about the graph. Both are empty
	// if nothing is highlighted.
	Query  string
	Asked  Question
	Places [][]int32  // rows by place number, in order
	Rows   []int32    // rows of the visible place
	Known  bool       // rows are those of this query and not of an earlier one
	Err    error      // what is wrong with the filter
	why    string     // the same in words, safe to print
	Origin graph.Spot // where the search began
	leads  bool       // the cursor moves to the first match
	Kept   reopener   // the prompt, if it was closed before the search had finished

	search  *task.Task[FoundAnswer]
	workers graph.Finder
	Past    []string // accepted filters, the latest last
}

// reopener is a prompt that can be opened again, because its filter has an error.
type reopener interface{ Reopen() }

// FoundAnswer has the rows that match a filter.
type FoundAnswer struct {
	places [][]int32
	Err    error
	Why    string
}

// IsOn reports whether rows are highlighted.
func (f *Found) IsOn() bool { return f.Query != "" || f.Asked.What != "" }

// IsOpen reports whether a search is running.
func (f *Found) IsOpen() bool { return f.IsOn() && !f.Known && f.Err == nil }

// IsUnfinished reports whether the error of the filter is only that it is incomplete.
func (f *Found) IsUnfinished() bool {
	var fault *filter.Error
	return errors.As(f.Err, &fault) && fault.Unfinished
}

// Matches reports whether a row of the visible place is highlighted.
func (f *Found) Matches(row int) bool {
	_, ok := slices.BinarySearch(f.Rows, int32(row))
	return ok
}

// InPlace selects the matches of another place.
func (f *Found) InPlace(p *graphops.Place) {
	f.Rows = nil
	if p.ID < len(f.Places) {
		f.Rows = f.Places[p.ID]
	}
}

// Elsewhere is the number of matches in other places.
func (f *Found) Elsewhere() int {
	n := -len(f.Rows)
	for _, rows := range f.Places {
		n += len(rows)
	}
	return n
}

// Searcher returns the finder for the visible model.
func (ws *Workspace) Searcher() graph.Finder {
	if w, types := ws.Found.workers, ws.Types.Inferred.Load(); w.Model != ws.Model() || w.Types != types {
		ws.Found.workers = graph.NewFinder(ws.Model(), types)
	}
	ws.Found.workers.Knows(ws.Outline.Place, ws.Modules)
	return ws.Found.workers
}

// Find starts a search in every place. An empty query ends the search. If leads is set, the cursor
// moves to the first match. Until the answer arrives, the old matches stay highlighted, so that the
// screen changes only once for each typed letter.
func (ws *Workspace) Find(query string, leads bool) tea.Cmd {
	f := &ws.Found
	before, rows := f.Places, f.Rows
	ws.Forget()
	f.Query, f.leads = query, leads
	if query == "" {
		return ws.ArrangeFound()
	}
	f.Places, f.Rows = before, rows
	workers := ws.Searcher()
	return f.search.Ask(ws.Tasks, task.Question[FoundAnswer]{
		Doing: "searching", Watched: true,
		Work: func(ctx context.Context, _ task.Report) (FoundAnswer, error) {
			places, err := workers.Find(ctx, query)
			return FoundAnswer{places, err, Reason(err)}, nil
		},
		Take: ws.TakeFound,
	})
}

// Forget ends all highlighting and cancels a running search.
func (ws *Workspace) Forget() {
	ws.finding.Stop()
	f := &ws.Found
	*f = Found{search: &ws.finding, Origin: f.Origin, workers: f.workers, Past: f.Past}
}

// findAgain searches for the same in the visible model.
func (ws *Workspace) findAgain() tea.Cmd {
	f := &ws.Found
	f.Origin, f.Places, f.Rows = ws.Here(), nil, nil
	return ws.Find(f.Query, false)
}

// ArrangeFound updates the list if it shows only matches. If nothing is highlighted any more, the
// list shows all rows again.
func (ws *Workspace) ArrangeFound() tea.Cmd {
	l := &ws.Listing
	if !l.Order.Only {
		return nil
	}
	if !ws.Found.IsOn() {
		l.Order.Only = false
	}
	return ws.Arrange()
}

// TakeFound stores the matches of the latest search and, if requested, moves the
// cursor to the first match after the row where the search began. If the filter that is being typed
// has an error, the old matches stay.
func (ws *Workspace) TakeFound(m FoundAnswer, broken error) tea.Cmd {
	if broken != nil {
		ws.Log.Fail(broken)
		return nil
	}
	f := &ws.Found
	f.Err, f.why, f.Known = m.Err, m.Why, m.Err == nil
	if p := f.Kept; p != nil && m.Err != nil && ws.Host.Top() == nil {
		ws.Host.DropKeys() // waiting keys were meant for a match
		p.Reopen()
	}
	f.Kept = nil
	if f.IsUnfinished() {
		return nil
	}
	f.Places = m.places
	f.InPlace(ws.Outline.Place)
	if !f.leads {
		return ws.ArrangeFound()
	}
	goal, ok := ws.firstFound()
	if !ok {
		goal = f.Origin
	}
	if ws.Listing.Order.Only && goal.Place == ws.Outline.Place {
		ws.Listing.goal = &goal.Row
		return ws.ArrangeFound()
	}
	return tea.Batch(ws.ArrangeFound(), ws.Visit(goal))
}

// firstFound returns the first match at or after the row where the search began, in the same place.
// After the last match it continues at the beginning of the place. Folded constants are passed over if
// there are other matches.
func (ws *Workspace) firstFound() (graph.Spot, bool) {
	f := &ws.Found
	p := f.Origin.Place
	if p.ID >= len(f.Places) || len(f.Places[p.ID]) == 0 {
		return graph.Spot{}, false
	}
	rows := f.Places[p.ID]
	i, _ := slices.BinarySearch(rows, int32(f.Origin.Row))
	for k := range rows {
		if row := int(rows[(i+k)%len(rows)]); p != ws.Outline.Place || ws.Standing(row) == row {
			return graph.Spot{Place: p, Row: row}, true
		}
	}
	return graph.Spot{Place: p, Row: int(rows[i%len(rows)])}, true
}

// Keep adds the filter to the earlier filters, which the prompt can show again. A filter that is
// already there moves to the end.
func (f *Found) Keep() {
	if f.Query == "" || f.Err != nil {
		return
	}
	f.Past = append(slices.DeleteFunc(slices.Clone(f.Past), func(q string) bool { return q == f.Query }), f.Query)
}
