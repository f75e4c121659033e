package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// order says which rows show, and in which order.
type order struct {
	column     string // sorted by; "" for the order of the graph
	descending bool
	group      string // the column that groups, "" for none
	only       bool   // what was found, and nothing else
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

// group is rows that a column says the same of.
type group struct {
	name          string // safe to print
	rows          []int32
	params, bytes int64
}

// arrangedMsg brings the rows in another order.
type arrangedMsg struct {
	ticket int
	groups []group // one without a name where nothing groups
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

// arrangement is a question for an order.
type arrangement struct {
	wiring *wiring
	order  order
	rows   []int32 // nil for all
	ticket int
}

func (q arrangement) answer(ctx context.Context) tea.Msg {
	rows := slices.Clone(q.rows)
	if !q.order.only {
		rows = make([]int32, q.wiring.outline.len())
		for i := range rows {
			rows[i] = int32(i)
		}
	}
	for _, name := range []string{q.order.column, q.order.group} {
		if c := columnNamed(name); c != nil && c.prepare != nil {
			c.prepare(q.wiring)
		}
	}
	if c := columnNamed(q.order.column); c != nil {
		c.sort(q.wiring, rows, q.order.descending)
	}
	if ctx.Err() != nil {
		return nil
	}
	groups := []group{{rows: rows}}
	if c := columnNamed(q.order.group); c != nil {
		groups = q.group(c, rows)
	}
	return arrangedMsg{q.ticket, groups}
}

// group puts rows together that a column says the same of, the largest group
// first.
func (q arrangement) group(c *column, rows []int32) []group {
	at := map[string]int{}
	var out []group
	for _, row := range rows {
		name := c.text(q.wiring, int(row))
		if name == "" {
			name = "(none)"
		}
		i, ok := at[name]
		if !ok {
			i = len(out)
			at[name] = i
			out = append(out, group{name: name})
		}
		cost := q.wiring.cost(int(row))
		out[i].rows = append(out[i].rows, row)
		out[i].params += cost.params
		out[i].bytes += cost.bytes
	}
	slices.SortStableFunc(out, func(a, b group) int {
		return cmp.Or(len(b.rows)-len(a.rows), strings.Compare(a.name, b.name))
	})
	return out
}

// take implements answer.
func (m arrangedMsg) take(a *App) tea.Cmd {
	if m.ticket == a.ws.listing.ticket {
		a.ws.lay(m.groups)
	}
	return nil
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
