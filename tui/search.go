package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// search is what is looked for and which rows have it.
type search struct {
	query  string
	rows   []int32 // that match, in order
	known  bool    // rows answers query
	origin int     // the row where the search began
	leads  bool    // the selection goes to the first row found
	ticket int
	cancel context.CancelFunc
}

// find looks for a query in every row; an empty one ends the search. With leads
// the selection goes to what is found.
func (ws *workspace) find(query string, leads bool) tea.Cmd {
	s := &ws.search
	if s.cancel != nil {
		s.cancel()
	}
	s.ticket++
	s.query, s.rows, s.known, s.leads = query, nil, false, leads
	if query == "" {
		return nil
	}
	ctx, cancel := context.WithCancel(ws.ctx)
	s.cancel = cancel
	o, ticket := ws.outline, s.ticket
	return guarded("searching", func() tea.Msg { return foundMsg{ticket, o.match(ctx, query)} })
}

// found takes the rows that match, and goes to the first of them from where the
// search began.
func (ws *workspace) found(m foundMsg) {
	s := &ws.search
	if m.ticket != s.ticket {
		return
	}
	s.rows, s.known = m.rows, true
	switch {
	case !s.leads:
	case len(m.rows) == 0:
		ws.goTo(s.origin)
	default:
		i, _ := slices.BinarySearch(m.rows, int32(s.origin))
		ws.goTo(int(m.rows[i%len(m.rows)]))
	}
}

// nextMatch goes to the next row that matches, or the previous one, around the
// end.
func (ws *workspace) nextMatch(by int) {
	rows, n := ws.search.rows, len(ws.search.rows)
	i, exact := slices.BinarySearch(rows, int32(ws.rows.Cursor))
	if by > 0 && !exact {
		i--
	}
	ws.jump(int(rows[(i+by+n)%n]))
}

// matches reports whether a row was found.
func (s *search) matches(row int) bool {
	_, ok := slices.BinarySearch(s.rows, int32(row))
	return ok
}

// checkEvery is how many rows are searched between two looks at the context.
const checkEvery = 4096

// match lists the rows that hold every word of a query in their operator, name
// or values. Upper case in the query makes it exact.
func (o *outline) match(ctx context.Context, query string) []int32 {
	words := strings.Fields(query)
	fold := query == strings.ToLower(query)
	var rows []int32
	for row := range o.len() {
		if row%checkEvery == 0 && ctx.Err() != nil {
			return nil
		}
		if len(words) > 0 && o.holdsAll(row, words, fold) {
			rows = append(rows, int32(row))
		}
	}
	return rows
}

func (o *outline) holdsAll(row int, words []string, fold bool) bool {
	for _, w := range words {
		if !o.holds(row, w, fold) {
			return false
		}
	}
	return true
}

func (o *outline) holds(row int, word string, fold bool) bool {
	n := o.node(row)
	if n == nil {
		return contains(o.op(row), word, fold) || contains(o.makesOrReads(row), word, fold)
	}
	if contains(n.OpType(), word, fold) || contains(n.Name(), word, fold) {
		return true
	}
	has := func(s string) bool { return contains(s, word, fold) }
	return slices.ContainsFunc(n.Outputs(), has) || slices.ContainsFunc(n.Inputs(), has)
}

// makesOrReads is the one value of a row that is no node.
func (o *outline) makesOrReads(row int) string {
	return append(o.makes(row), o.reads(row)...)[0]
}

// contains is strings.Contains; with fold, ASCII letters of s match in either
// case. word must be in lower case then. It allocates nothing: a search asks it
// a million times.
func contains(s, word string, fold bool) bool {
	if !fold {
		return strings.Contains(s, word)
	}
	for i := 0; i+len(word) <= len(s); i++ {
		if hasFold(s[i:], word) {
			return true
		}
	}
	return word == ""
}

func hasFold(s, word string) bool {
	for i := range len(word) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}
