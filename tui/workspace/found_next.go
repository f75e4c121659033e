package workspace

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/graph"
)

// NextMatch goes to the next or previous match: in this place in the order of the list, then in the
// next place with matches, and around the end.
func (ws *Workspace) NextMatch(by int) tea.Cmd {
	here := ws.Outline.Place
	if row, ok := ws.nextFound(by, false); ok {
		return ws.Jump(graph.Spot{Place: here, Row: row})
	}
	f, places := &ws.Found, ws.Model().Places()
	n := len(places)
	for k := 1; k < n; k++ {
		p := places[((here.ID+by*k)%n+n)%n]
		if p.ID < len(f.Places) && len(f.Places[p.ID]) > 0 {
			return ws.Jump(graph.Spot{Place: p, Row: int(endmost(f.Places[p.ID], by))})
		}
	}
	if row, ok := ws.nextFound(by, true); ok {
		return ws.Jump(graph.Spot{Place: here, Row: row})
	}
	return nil
}

// endmost returns the row at which a walk through rows begins: the first, or the last if the walk
// goes backward.
func endmost(rows []int32, by int) int32 {
	if by > 0 {
		return rows[0]
	}
	return rows[len(rows)-1]
}

// nextFound returns the next match in the visible place. The walk starts at the selected row, or
// with fromEnd at the first or last match. It returns false if there is none.
func (ws *Workspace) nextFound(by int, fromEnd bool) (int, bool) {
	rows := ws.Found.Rows
	switch {
	case len(rows) == 0:
		return 0, false
	case ws.Listing.Groups != nil:
		return ws.nextListed(by, fromEnd)
	case fromEnd:
		return int(endmost(rows, by)), true
	}
	i, exact := slices.BinarySearch(rows, int32(ws.Row()))
	if by > 0 && !exact {
		i--
	}
	if i += by; i < 0 || i >= len(rows) {
		return 0, false
	}
	return int(rows[i]), true
}

// nextListed is nextFound for a list that is sorted, grouped or filtered. Rows in closed groups are
// included.
func (ws *Workspace) nextListed(by int, fromEnd bool) (int, bool) {
	var order []int32
	for _, g := range ws.Listing.Groups {
		order = append(order, g.Rows...)
	}
	i := slices.Index(order, int32(ws.Row()))
	switch isHead := ws.GroupAt(ws.Rows.Cursor) != nil; {
	case fromEnd && by > 0, i < 0 && by > 0:
		i = -1
	case fromEnd, i < 0:
		i = len(order)
	case isHead && by > 0: // the line before the group's first row
		i--
	}
	for i += by; i >= 0 && i < len(order); i += by {
		if ws.Found.Matches(int(order[i])) {
			return int(order[i]), true
		}
	}
	return 0, false
}
