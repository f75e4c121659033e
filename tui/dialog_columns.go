package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/cells"
	"lathe/tui/list"
)

const (
	placeColumns place = "columns"

	actionToggle action = "toggle"
	actionSort   action = "sort"
	actionGroup  action = "group"
	actionReset  action = "reset"
)

var columnsKeys = movable(
	binding{actionToggle, "show", keys("space")},
	binding{actionSort, "sort", keys("s", "enter")},
	binding{actionGroup, "group", keys("b")},
	binding{actionReset, "graph order", keys("r")},
	binding{actionClose, "close", keys("esc", "q", "c")},
)

// columnsDialog selects the columns of the list, and the order of its rows.
type columnsDialog struct {
	app  *App
	rows list.Window
	w, h int
}

func newColumnsDialog(a *App) *columnsDialog {
	return &columnsDialog{app: a, rows: list.Window{N: len(allColumns)}}
}

func (d *columnsDialog) place() place  { return placeColumns }
func (d *columnsDialog) title() string { return "columns" }
func (d *columnsDialog) refusal(a action) string {
	if a == actionToggle {
		return columnRefusal(d.column().name)
	}
	return ""
}

func columnRefusal(name string) string { return unless(name != "name", "names cannot be hidden") }

func (d *columnsDialog) box(s screen) cells.Rect { return s.body.Centred(78, len(allColumns)+2) }
func (d *columnsDialog) column() column          { return allColumns[d.rows.Cursor] }
func (d *columnsDialog) said() string            { return d.line(d.rows.Cursor) }

func (d *columnsDialog) sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.rows.Resize(h)
	return nil
}

func (d *columnsDialog) do(a action) tea.Cmd {
	ws, c := d.app.ws, d.column()
	o := ws.listing.order
	switch a {
	case actionToggle:
		ws.toggleColumn(c.name)
		return nil
	case actionSort:
		// Numbers are sorted in descending order first.
		switch {
		case o.column != c.name:
			o.column, o.descending = c.name, c.number != nil
		default:
			o.descending = !o.descending
		}
		return ws.reorder(o)
	case actionGroup:
		if o.group == c.name {
			o.group = ""
		} else {
			o.group = c.name
		}
		return ws.reorder(o)
	case actionReset:
		return ws.reorder(order{only: o.only})
	case actionClose:
		d.app.dialogs.close(d)
	default:
		d.rows.Act(list.Motion(a))
	}
	return nil
}

// toggleColumn adds a column after the visible ones, or hides it.
func (ws *workspace) toggleColumn(name string) {
	if i := slices.Index(ws.columns, name); i >= 0 {
		ws.columns = slices.Delete(slices.Clone(ws.columns), i, i+1)
		return
	}
	ws.columns = append(slices.Clone(ws.columns), name)
}

// columnSaid says whether a column is visible.
func (ws *workspace) columnSaid(name string) string {
	if ws.showsColumn(name) {
		return "the list shows the column " + name
	}
	return "the list no longer shows the column " + name
}

func (d *columnsDialog) view(bool) []string {
	var lines []string
	from, to := d.rows.Visible()
	for i := from; i < to; i++ {
		line := cells.Fit(d.line(i), d.w)
		if i == d.rows.Cursor {
			line = d.app.ws.styles.Selected.On(line)
		}
		lines = append(lines, line)
	}
	return cells.Block(lines, d.w, d.h)
}

// line describes a column: whether it is visible, and whether rows are sorted or grouped by it.
func (d *columnsDialog) line(i int) string {
	ws, c := d.app.ws, allColumns[i]
	shown, role := "[ ] ", ""
	if ws.showsColumn(c.name) {
		shown = "[x] "
	}
	if o := ws.listing.order; o.column == c.name {
		role = "  sorted"
		if o.descending {
			role = "  sorted, largest first"
		}
	}
	if ws.listing.order.group == c.name {
		role += "  grouped"
	}
	return shown + cells.Fit(c.name, 10) + c.help + role
}

// clicked implements pointed. It shows or hides the column under the mouse.
func (d *columnsDialog) clicked(_, y int) tea.Cmd {
	if from, to := d.rows.Visible(); from+y < to {
		d.rows.MoveTo(from + y)
		return d.app.perform(d, actionToggle)
	}
	return nil
}

// wheeled implements pointed.
func (d *columnsDialog) wheeled(by int) { d.rows.Scroll(by) }
