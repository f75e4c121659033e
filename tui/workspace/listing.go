package workspace

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/graph"
	"lathe/tui/shell"
)

// Listing says which row is in which line of the list.
type listing struct {
	Order graph.Order
	// Lines says what each line of the list shows: a row, or ^i for the header of group i. It is
	// nil if the list shows all rows in the order of the graph.
	lines  []int32
	Groups []graph.Group
	Open   map[string]bool // the groups whose rows are shown
	goal   *int            // the row to select when the requested order is ready; nil to keep the selection
}

// Row returns the selected row of the outline. If the header of a group is selected, it is the
// first row of the group.
func (ws *Workspace) Row() int { return ws.RowAt(ws.Rows.Cursor) }

// RowAt returns the row in a line of the list.
func (ws *Workspace) RowAt(line int) int {
	l := &ws.Listing
	switch {
	case l.lines == nil:
		return line
	case line < 0 || line >= len(l.lines):
		return 0
	case l.lines[line] < 0:
		return int(l.Groups[^l.lines[line]].Rows[0])
	default:
		return int(l.lines[line])
	}
}

// GroupAt returns the group whose header is in a line. It returns nil if the line is a row.
func (ws *Workspace) GroupAt(line int) *graph.Group {
	l := &ws.Listing
	if l.lines == nil || line < 0 || line >= len(l.lines) || l.lines[line] >= 0 {
		return nil
	}
	return &l.Groups[^l.lines[line]]
}

// lineOf returns the line of a row, the header line of its group if the group is closed, or -1 if
// the row is not shown.
func (ws *Workspace) lineOf(row int) int {
	l := &ws.Listing
	if l.lines == nil {
		return row
	}
	if l.Groups == nil { // constants are folded
		if i, ok := slices.BinarySearch(l.lines, int32(row)); ok {
			return i
		}
		return -1
	}
	if i := slices.Index(l.lines, int32(row)); i >= 0 {
		return i
	}
	for i, g := range l.Groups {
		if g.Name != "" && slices.Contains(g.Rows, int32(row)) {
			return slices.Index(l.lines, ^int32(i))
		}
	}
	return -1
}

// Reorder shows the rows in another order.
func (ws *Workspace) Reorder(o graph.Order) tea.Cmd {
	ws.Listing.Order = o
	return ws.Arrange()
}

// Arrange sorts, filters and groups the rows as requested. The work is done in the background;
// until it is finished, the list stays as it is.
func (ws *Workspace) Arrange() tea.Cmd {
	l := &ws.Listing
	ws.arranging.Stop()
	if l.Order.IsGraph() {
		ws.lay(nil)
		return nil
	}
	if ws.Wiring == nil || l.Order.Only && !ws.Found.Known {
		return nil // arrange runs again when the wiring is known
	}
	q := graph.Arrangement{Wiring: ws.Wiring, Order: l.Order, Rows: nil}
	if l.Order.Only {
		q.Rows = ws.Found.Rows
	}
	return Ask(ws, &ws.arranging, "sorting", q.Answer, func(groups []graph.Group) tea.Cmd {
		ws.lay(groups)
		return nil
	})
}

// lay shows groups of rows, or all rows if groups is nil. The selected row stays selected if it is
// shown. If another row is waiting to be selected (goal), its group is opened.
func (ws *Workspace) lay(groups []graph.Group) {
	l := &ws.Listing
	row, goal := ws.Row(), l.goal
	l.Groups, l.goal = groups, nil
	if goal == nil {
		ws.unfold(row)
		return
	}
	ws.unfold(*goal)
	ws.openTo(*goal)
}

// unfold computes the lines of the list from the groups and from which of them are open. It selects
// a row.
func (ws *Workspace) unfold(row int) {
	l := &ws.Listing
	l.lines = nil
	n := ws.Outline.Len()
	if l.Groups != nil {
		l.lines = []int32{}
		for i, g := range l.Groups {
			if g.Name != "" {
				l.lines = append(l.lines, ^int32(i))
			}
			if g.Name == "" || l.Open[g.Name] {
				l.lines = append(l.lines, g.Rows...)
			}
		}
		n = len(l.lines)
	} else if ws.FoldsConstants() {
		l.lines = ws.Outline.Unfolded()
		n, row = len(l.lines), ws.Outline.Standing(row)
	}
	ws.Span = Span{}
	offset := ws.Rows.Cursor - ws.Rows.Top
	ws.Rows.Reset(n, max(ws.lineOf(row), 0))
	ws.Rows.Top = ws.Rows.Cursor - offset
	ws.Rows.Resize(ws.Rows.Height)
}

// ToggleGroup opens or closes a group. It scrolls if the rows of an opened group would be below the
// screen.
func (ws *Workspace) ToggleGroup(g *graph.Group) {
	l := &ws.Listing
	if l.Open == nil {
		l.Open = map[string]bool{}
	}
	l.Open[g.Name] = !l.Open[g.Name]
	line := ws.Rows.Cursor
	ws.unfold(int(g.Rows[0]))
	ws.Rows.GoTo(line)
	if l.Open[g.Name] && line+len(g.Rows) >= ws.Rows.Top+ws.Rows.Height {
		ws.Rows.Top = max(0, min(line, ws.Rows.N-ws.Rows.Height)) // brings the opened rows into view
	}
}

// GoTo selects a row, and scrolls it to the middle if it is outside the view. If the row is hidden,
// its group is opened; if it is not listed, all rows are shown again as soon as they have been
// arranged.
func (ws *Workspace) GoTo(row int) tea.Cmd {
	if ws.openTo(row) {
		return nil
	}
	if ws.FoldsConstants() {
		ws.reveal(row)
		ws.Log.Say("constants have rows again, to show this one; " + ws.Keys.Key(shell.PlaceMain, ActionConstants) + " folds them")
		return nil
	}
	l := &ws.Listing
	l.Order.Only, l.goal = false, &row
	return ws.Arrange()
}

// openTo selects a row, opening its group if needed. It returns false if the row is not listed.
func (ws *Workspace) openTo(row int) bool {
	line := ws.lineOf(row)
	if line < 0 {
		return false
	}
	if g := ws.GroupAt(line); g != nil && !ws.Listing.Open[g.Name] {
		ws.Rows.Cursor = line
		ws.ToggleGroup(g)
		line = ws.lineOf(row)
	}
	ws.Rows.GoTo(line)
	return true
}
