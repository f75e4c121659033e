package home

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// foundMsg has the matches of a query in each section.
type foundMsg struct {
	ticket  int
	isSame  bool // the query is the same as before
	answers [sectionCount]found
}

// search starts a search for the query.
func (a *app) search(isSame bool) tea.Cmd {
	a.cancel()
	ctx, cancel := context.WithCancel(a.ctx)
	a.cancel = cancel
	isSame = isSame && !a.waiting
	a.ticket++
	a.waiting = a.waiting || !isSame
	m, all, query := foundMsg{ticket: a.ticket, isSame: isSame}, a.sections, a.line.Value()
	return func() tea.Msg {
		defer cancel()
		for i, s := range all {
			var err error
			if m.answers[i], err = s.search(ctx, query); err != nil {
				return nil // cancelled by a later search
			}
		}
		return m
	}
}

func (a *app) takeFound(m foundMsg) tea.Cmd {
	if m.ticket != a.ticket {
		return nil
	}
	a.waiting = false
	for i := range a.sections {
		a.sections[i].take(m.answers[i], m.isSame)
	}
	if a.opens {
		a.opens = false
		return a.accept()
	}
	return nil
}

// showAll lists all items.
func (a *app) showAll() {
	for i := range a.sections {
		a.sections[i].showAll()
	}
}

// focused is the section that keys act on. It is the section with the focus, unless that one is
// empty and the other is not.
func (a *app) focused() int {
	if other := sectionCount - 1 - a.focus; a.sections[a.focus].rows.N == 0 && a.sections[other].rows.N > 0 {
		return other
	}
	return a.focus
}
