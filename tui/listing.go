package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/graph"
)

// listing says which row is in which line of the list.
type listing struct {
	order graph.Order
	// lines says what each line of the list shows: a row, or ^i for the header of group i. It is
	// nil if the list shows all rows in the order of the graph.
	lines  []int32
	groups []graph.Group
	open   map[string]bool // the groups whose rows are shown
	goal   *int            // the row to select when the requested order is ready; nil to keep the selection
}

// row returns the selected row of the outline. If the header of a group is selected, it is the
// first row of the group.
func (ws *workspace) row() int { return ws.rowAt(ws.rows.Cursor) }

// rowAt returns the row in a line of the list.
func (ws *workspace) rowAt(line int) int {
	l := &ws.listing
	switch {
	case l.lines == nil:
		return line
	case line < 0 || line >= len(l.lines):
		return 0
	case l.lines[line] < 0:
		return int(l.groups[^l.lines[line]].Rows[0])
	default:
		return int(l.lines[line])
	}
}

// groupAt returns the group whose header is in a line. It returns nil if the line is a row.
func (ws *workspace) groupAt(line int) *graph.Group {
	l := &ws.listing
	if l.lines == nil || line < 0 || line >= len(l.lines) || l.lines[line] >= 0 {
		return nil
	}
	return &l.groups[^l.lines[line]]
}

// lineOf returns the line of a row, the header line of its group if the group is closed, or -1 if
// the row is not shown.
func (ws *workspace) lineOf(row int) int {
	l := &ws.listing
	if l.lines == nil {
		return row
	}
	if i := slices.Index(l.lines, int32(row)); i >= 0 {
		return i
	}
	for i, g := range l.groups {
		if g.Name != "" && slices.Contains(g.Rows, int32(row)) {
			return slices.Index(l.lines, ^int32(i))
		}
	}
	return -1
}

// reorder shows the rows in another order.
func (ws *workspace) reorder(o graph.Order) tea.Cmd {
	ws.listing.order = o
	return ws.arrange()
}

// arrange sorts, filters and groups the rows as requested. The work is done in the background;
// until it is finished, the list stays as it is.
func (ws *workspace) arrange() tea.Cmd {
	l := &ws.listing
	ws.arranging.Stop()
	if l.order.IsGraph() {
		ws.lay(nil)
		return nil
	}
	if ws.wiring == nil || l.order.Only && !ws.found.known {
		return nil // arrange runs again when the wiring is known
	}
	q := graph.Arrangement{Wiring: ws.wiring, Order: l.order, Rows: nil}
	if l.order.Only {
		q.Rows = ws.found.rows
	}
	return ask(ws, &ws.arranging, "sorting", q.Answer, func(groups []graph.Group) tea.Cmd {
		ws.lay(groups)
		return nil
	})
}

// lay shows groups of rows, or all rows if groups is nil. The selected row stays selected if it is
// shown. If another row is waiting to be selected (goal), its group is opened.
func (ws *workspace) lay(groups []graph.Group) {
	l := &ws.listing
	row, goal := ws.row(), l.goal
	l.groups, l.goal = groups, nil
	if goal == nil {
		ws.unfold(row)
		return
	}
	ws.unfold(*goal)
	ws.openTo(*goal)
}

// unfold computes the lines of the list from the groups and from which of them are open. It selects
// a row.
func (ws *workspace) unfold(row int) {
	l := &ws.listing
	l.lines = nil
	n := ws.outline.Len()
	if l.groups != nil {
		l.lines = []int32{}
		for i, g := range l.groups {
			if g.Name != "" {
				l.lines = append(l.lines, ^int32(i))
			}
			if g.Name == "" || l.open[g.Name] {
				l.lines = append(l.lines, g.Rows...)
			}
		}
		n = len(l.lines)
	}
	ws.span = span{}
	offset := ws.rows.Cursor - ws.rows.Top
	ws.rows.Reset(n, max(ws.lineOf(row), 0))
	ws.rows.Top = ws.rows.Cursor - offset
	ws.rows.Resize(ws.rows.Height)
}

// toggleGroup opens or closes a group. It scrolls if the rows of an opened group would be below the
// screen.
func (ws *workspace) toggleGroup(g *graph.Group) {
	l := &ws.listing
	if l.open == nil {
		l.open = map[string]bool{}
	}
	l.open[g.Name] = !l.open[g.Name]
	line := ws.rows.Cursor
	ws.unfold(int(g.Rows[0]))
	ws.rows.GoTo(line)
	if l.open[g.Name] && line+len(g.Rows) >= ws.rows.Top+ws.rows.Height {
		ws.rows.Top = max(0, min(line, ws.rows.N-ws.rows.Height)) // brings the opened rows into view
	}
}

// goTo selects a row, and scrolls it to the middle if it is outside the view. If the row is hidden,
// its group is opened; if it is not listed, all rows are shown again as soon as they have been
// arranged.
func (ws *workspace) goTo(row int) tea.Cmd {
	if ws.openTo(row) {
		return nil
	}
	l := &ws.listing
	l.order.Only, l.goal = false, &row
	return ws.arrange()
}

// openTo selects a row, opening its group if needed. It returns false if the row is not listed.
func (ws *workspace) openTo(row int) bool {
	line := ws.lineOf(row)
	if line < 0 {
		return false
	}
	if g := ws.groupAt(line); g != nil && !ws.listing.open[g.Name] {
		ws.rows.Cursor = line
		ws.toggleGroup(g)
		line = ws.lineOf(row)
	}
	ws.rows.GoTo(line)
	return true
}
