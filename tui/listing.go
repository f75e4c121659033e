package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"
)

// order says which rows show, and in which order.
type order struct {
	column     string // sorted by; "" for the order of the graph
	descending bool
	group      string // the column that groups, "" for none
	only       bool   // what was found, and nothing else
}

// isLate reports whether the order changes when types are inferred.
func (o order) isLate() bool {
	column, group := columnNamed(o.column), columnNamed(o.group)
	return column != nil && column.late || group != nil && group.late
}

// isGraph reports whether rows show as the graph has them.
func (o order) isGraph() bool { return o == order{} }

// listing is the rows that show. The cursor of the list counts its lines.
type listing struct {
	order order
	// lines are rows, or ^i for the line of group i; nil for every row in the
	// order of the graph.
	lines  []int32
	groups []group
	open   map[string]bool // the groups that show their rows
	goal   *int            // the row to select when the rows asked for show; nil for the one selected then

	ticket int
	cancel context.CancelFunc
}

// row is the selected row of the outline: on the line of a group the first one
// of it.
func (ws *workspace) row() int { return ws.rowAt(ws.rows.Cursor) }

// rowAt is the row in a line of the list.
func (ws *workspace) rowAt(line int) int {
	l := &ws.listing
	switch {
	case l.lines == nil:
		return line
	case line < 0 || line >= len(l.lines):
		return 0
	case l.lines[line] < 0:
		return int(l.groups[^l.lines[line]].rows[0])
	default:
		return int(l.lines[line])
	}
}

// groupAt is the group that a line heads, nil for the line of a row.
func (ws *workspace) groupAt(line int) *group {
	l := &ws.listing
	if l.lines == nil || line < 0 || line >= len(l.lines) || l.lines[line] >= 0 {
		return nil
	}
	return &l.groups[^l.lines[line]]
}

// lineOf is the line of a row; that of its group where the group is closed; -1
// where the row does not show.
func (ws *workspace) lineOf(row int) int {
	l := &ws.listing
	if l.lines == nil {
		return row
	}
	if i := slices.Index(l.lines, int32(row)); i >= 0 {
		return i
	}
	for i, g := range l.groups {
		if g.name != "" && slices.Contains(g.rows, int32(row)) {
			return slices.Index(l.lines, ^int32(i))
		}
	}
	return -1
}

// reorder shows the rows in another order.
func (ws *workspace) reorder(o order) tea.Cmd {
	ws.listing.order = o
	return ws.arrange()
}

// arrange puts the rows in the order that was asked for. What takes a moment is
// done beside the screen, which shows the rows as they were until then.
func (ws *workspace) arrange() tea.Cmd {
	l := &ws.listing
	if l.cancel != nil {
		l.cancel()
	}
	l.ticket++
	if l.order.isGraph() {
		ws.lay(nil)
		return nil
	}
	if ws.wiring == nil || l.order.only && !ws.found.known {
		return nil // asked again when it is there
	}
	ctx, cancel := context.WithCancel(ws.ctx)
	l.cancel = cancel
	q := arrangement{ws.wiring, l.order, nil, l.ticket}
	if l.order.only {
		q.rows = ws.found.rows
	}
	return guarded("sorting", func() tea.Msg { return q.answer(ctx) })
}

// lay shows groups of rows, without any every row. The selection stays on its
// row where that shows; a row that was asked for shows whatever its group is.
func (ws *workspace) lay(groups []group) {
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

// unfold makes the lines of the groups, and selects a row.
func (ws *workspace) unfold(row int) {
	l := &ws.listing
	l.lines = nil
	n := ws.outline.len()
	if l.groups != nil {
		l.lines = []int32{}
		for i, g := range l.groups {
			if g.name != "" {
				l.lines = append(l.lines, ^int32(i))
			}
			if g.name == "" || l.open[g.name] {
				l.lines = append(l.lines, g.rows...)
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

// toggleGroup opens or closes the group at the cursor.
func (ws *workspace) toggleGroup(g *group) {
	l := &ws.listing
	if l.open == nil {
		l.open = map[string]bool{}
	}
	l.open[g.name] = !l.open[g.name]
	line := ws.rows.Cursor
	ws.unfold(int(g.rows[0]))
	ws.rows.GoTo(line)
	if l.open[g.name] && line+len(g.rows) >= ws.rows.Top+ws.rows.Height {
		ws.rows.Top = max(0, min(line, ws.rows.N-ws.rows.Height)) // what opened comes into sight
	}
}

// goTo selects a row; one that does not show is brought to the middle. What
// hides the row gives way: its group opens, or every row shows again, as soon as
// they are arranged.
func (ws *workspace) goTo(row int) tea.Cmd {
	if ws.openTo(row) {
		return nil
	}
	l := &ws.listing
	l.order.only, l.goal = false, &row
	return ws.arrange()
}

// openTo selects a row, in a group that it opens; it reports false for a row that
// is not among those listed.
func (ws *workspace) openTo(row int) bool {
	line := ws.lineOf(row)
	if line < 0 {
		return false
	}
	if g := ws.groupAt(line); g != nil && !ws.listing.open[g.name] {
		ws.rows.Cursor = line
		ws.toggleGroup(g)
		line = ws.lineOf(row)
	}
	ws.rows.GoTo(line)
	return true
}
