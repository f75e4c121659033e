package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

const placeColumns actions.Place = "columns"

func columnsActions() []actions.Action {
	type it = *columnsDialog
	return actions.Moving(func(d it, m list.Motion) { d.rows.Act(m) }, []actions.Row[it]{
		actions.Now(shell.ActionToggle, "show", actions.Keys("space"), it.toggle, it.toggleRefusal),
		actions.New(shell.ActionSort, "sort", actions.Keys("s", "enter"), it.sort),
		actions.New("group", "group", actions.Keys("b"), it.group),
		actions.New(shell.ActionReset, "graph order", actions.Keys("r"), it.reset),
		actions.Now(shell.ActionClose, "close", actions.Keys("esc", "q", "c"), shell.Shut[it]),
	})
}

// columnsDialog selects the columns of the list, and the order of its rows.
type columnsDialog struct {
	workspace.Attached
	rows list.Window
	w, h int
}

func newColumnsDialog(ws *workspace.Workspace) *columnsDialog {
	return &columnsDialog{Attached: workspace.Attached{WS: ws}, rows: list.Window{N: len(graph.AllColumns)}}
}

func (d *columnsDialog) Place() actions.Place  { return placeColumns }
func (d *columnsDialog) Title() string         { return "columns" }
func (d *columnsDialog) toggleRefusal() string { return columnRefusal(d.column().Name) }

func columnRefusal(name string) string {
	return actions.Unless(name != "name", "names cannot be hidden")
}

func (d *columnsDialog) Box(s shell.Screen) cells.Rect {
	return s.Body.Centred(78, len(graph.AllColumns)+2)
}
func (d *columnsDialog) column() graph.Column { return graph.AllColumns[d.rows.Cursor] }
func (d *columnsDialog) Said() string         { return d.line(d.rows.Cursor) }

func (d *columnsDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.rows.Resize(h)
	return nil
}

func (d *columnsDialog) toggle() { workspace.ToggleColumn(d.WS, d.column().Name) }

// sort sorts by the column at the cursor, or reverses the order if rows are sorted by it. Numbers
// are sorted in descending order first.
func (d *columnsDialog) sort() tea.Cmd {
	o, c := d.WS.Listing.Order, d.column()
	if o.Column == c.Name {
		o.Descending = !o.Descending
	} else {
		o.Column, o.Descending = c.Name, c.Number != nil
	}
	return d.WS.Reorder(o)
}

func (d *columnsDialog) group() tea.Cmd {
	o, name := d.WS.Listing.Order, d.column().Name
	if o.Group == name {
		name = ""
	}
	o.Group = name
	return d.WS.Reorder(o)
}

// reset shows rows in the order of the graph. It still hides those that do not match.
func (d *columnsDialog) reset() tea.Cmd {
	return d.WS.Reorder(graph.Order{Only: d.WS.Listing.Order.Only})
}

func (d *columnsDialog) View(bool) []string {
	var lines []string
	from, to := d.rows.Visible()
	for i := from; i < to; i++ {
		line := cells.Fit(d.line(i), d.w)
		if i == d.rows.Cursor {
			line = d.WS.Styles.Selected.On(line)
		}
		lines = append(lines, line)
	}
	return cells.Block(lines, d.w, d.h)
}

// line describes a column: whether it is visible, and whether rows are sorted or grouped by it.
func (d *columnsDialog) line(i int) string {
	ws, c := d.WS, graph.AllColumns[i]
	shown, role := "[ ] ", ""
	if workspace.ShowsColumn(ws, c.Name) {
		shown = "[x] "
	}
	if o := ws.Listing.Order; o.Column == c.Name {
		role = "  sorted"
		if o.Descending {
			role = "  sorted, largest first"
		}
	}
	if ws.Listing.Order.Group == c.Name {
		role += "  grouped"
	}
	return shown + cells.Fit(c.Name, 10) + c.Help + role
}

// Clicked implements pointed. It shows or hides the column under the mouse.
func (d *columnsDialog) Clicked(_, y int) tea.Cmd {
	if from, to := d.rows.Visible(); from+y < to {
		d.rows.MoveTo(from + y)
		return d.WS.Host.Perform(d, shell.ActionToggle)
	}
	return nil
}

// Wheeled implements pointed.
func (d *columnsDialog) Wheeled(by int) { d.rows.Scroll(by) }

func openColumns(ws *workspace.Workspace) tea.Cmd { ws.Host.Open(newColumnsDialog(ws)); return nil }
