package nodes

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// PlaceColumns is the place of the dialog of columns.
const PlaceColumns actions.Place = "columns"

// ColumnsActions are the actions of the dialog of columns.
func ColumnsActions() []actions.Action {
	type it = *ColumnsDialog
	return actions.Moving(func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.Now(shell.ActionToggle, "show", actions.Keys("space"), it.toggle, it.toggleRefusal),
		actions.New(shell.ActionSort, "sort", actions.Keys("s", "enter"), it.sort),
		actions.New("group", "group", actions.Keys("b"), it.group),
		actions.New(shell.ActionReset, "graph order", actions.Keys("r"), it.reset),
		actions.Now(shell.ActionClose, "close", actions.Keys("esc", "q", "c"), shell.Shut[it]),
	})
}

// ColumnsDialog selects the columns of the list, and the order of its rows.
type ColumnsDialog struct {
	workspace.Attached
	Rows list.Window
	w, h int
}

func newColumnsDialog(ws *workspace.Workspace) *ColumnsDialog {
	return &ColumnsDialog{Attached: workspace.Attached{WS: ws}, Rows: list.Window{N: len(graph.AllColumns)}}
}

// Place implements shell.Pane.
func (d *ColumnsDialog) Place() actions.Place { return PlaceColumns }

// Title implements shell.Dialog.
func (d *ColumnsDialog) Title() string         { return "columns" }
func (d *ColumnsDialog) toggleRefusal() string { return ColumnRefusal(d.Column().Name) }

// ColumnRefusal says why a column cannot be hidden, or "".
func ColumnRefusal(name string) string {
	return actions.Unless(name != "name", "names cannot be hidden")
}

// Box implements shell.Dialog.
func (d *ColumnsDialog) Box(s shell.Screen) cells.Rect {
	return s.Body.Centred(78, len(graph.AllColumns)+2+legendLines)
}

// Column returns the column at the cursor.
func (d *ColumnsDialog) Column() graph.Column { return graph.AllColumns[d.Rows.Cursor] }

// Said implements shell.Pane.
func (d *ColumnsDialog) Said() string { return d.line(d.Rows.Cursor) }

// Sync implements shell.Pane.
func (d *ColumnsDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.Rows.Resize(h - d.legendHeight())
	return nil
}

func (d *ColumnsDialog) toggle() { workspace.ToggleColumn(d.WS, d.Column().Name) }

// sort sorts by the column at the cursor, or reverses the order if rows are sorted by it. Where one
// looks for the largest numbers, they come first.
func (d *ColumnsDialog) sort() tea.Cmd {
	o, c := d.WS.Listing.Order, d.Column()
	if o.Column == c.Name {
		o.Descending = !o.Descending
	} else {
		o.Column, o.Descending = c.Name, c.LargestFirst()
	}
	return d.WS.Reorder(o)
}

func (d *ColumnsDialog) group() tea.Cmd {
	o, name := d.WS.Listing.Order, d.Column().Name
	if o.Group == name {
		name = ""
	}
	o.Group = name
	return d.WS.Reorder(o)
}

// reset shows rows in the order of the graph. It still hides those that do not match.
func (d *ColumnsDialog) reset() tea.Cmd {
	return d.WS.Reorder(graph.Order{Only: d.WS.Listing.Order.Only})
}

// View implements shell.Pane.
func (d *ColumnsDialog) View(bool) []string {
	var lines []string
	from, to := d.Rows.Visible()
	for i := from; i < to; i++ {
		line := cells.Fit(d.line(i), d.w)
		if i == d.Rows.Cursor {
			line = d.WS.Styles.Selected.On(line)
		}
		lines = append(lines, line)
	}
	lines = cells.Block(lines, d.w, d.h-d.legendHeight())
	if d.legendHeight() > 0 {
		lines = append(lines, d.WS.Styles.Frame.On(cells.Rule(d.w)), d.legend())
	}
	return lines
}

// legendLines are the lines about the colours of operators: a rule and the kinds.
const legendLines = 2

// legendHeight is 0 if the columns alone fill the dialog.
func (d *ColumnsDialog) legendHeight() int {
	if d.h < len(graph.AllColumns)/2 {
		return 0
	}
	return legendLines
}

// legend names the kinds of operators in their styles.
func (d *ColumnsDialog) legend() string {
	line := "operators: "
	for i, kind := range graph.OpLegend() {
		line += d.WS.Styles.Kinds[i].On(kind.Name) + " "
	}
	return cells.Fit(line, d.w)
}

// line describes a column: whether it is visible, and whether rows are sorted or grouped by it.
func (d *ColumnsDialog) line(i int) string {
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
	help := c.Help
	if lacks := c.Lacks(ws.Wiring, *widthsFound.In(ws)); lacks != "" {
		help = lacks + ": " + help
	}
	return shown + cells.Fit(c.Name, 10) + help + role
}

// Clicked implements shell.Pointed. It shows or hides the column under the mouse.
func (d *ColumnsDialog) Clicked(_, y int) tea.Cmd {
	if from, to := d.Rows.Visible(); from+y < to {
		d.Rows.MoveTo(from + y)
		return d.WS.Host.Perform(d, shell.ActionToggle)
	}
	return nil
}

// Wheeled implements shell.Pointed.
func (d *ColumnsDialog) Wheeled(by int) { d.Rows.Scroll(by) }

// OpenColumns shows the columns of the list, its order and its groups.
func OpenColumns(ws *workspace.Workspace) tea.Cmd { ws.Host.Open(newColumnsDialog(ws)); return nil }
