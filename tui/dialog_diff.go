package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

const (
	placeDiff actions.Place = "diff"

	actionDiff actions.Name = "side-by-side"
)

func diffActions() []actions.Action {
	type it = *diffDialog
	return shell.Closable("close", shell.Shut[it], func(d it, m list.Motion) { d.rows.Act(m) }, []actions.Row[it]{
		actions.Now("next-difference", "next difference", actions.Keys("n"), func(d it) { d.walk(1) }, it.walkRefusal),
		actions.Now("previous-difference", "previous difference", actions.Keys("N"), func(d it) { d.walk(-1) }, it.walkRefusal),
		actions.Now("only-differences", "only what is near one, or all", actions.Keys("F"), it.toggleOnly, it.onlyRefusal),
		actions.New(shell.ActionAccept, "go to the node", actions.Keys("enter"), it.leave, it.leaveRefusal),
		actions.New("compare-weights", "compare all weights", actions.Keys("w"), it.compareWeights, it.weightsRefusal),
		actions.New("another-model", "with another model", actions.Keys("o"), it.askOther, func(d it) string { return d.WS.Busy() }),
		actions.New(shell.ActionCopy, "copy the command", actions.Keys("y"), it.copy, it.copyRefusal),
	})
}

// diffDialog shows two models side by side. Both sides are aligned and scroll together.
type diffDialog struct {
	workspace.Attached
	sheet *diffSheet
	only  bool // only lines near differences are shown
	rows  list.Window
	w, h  int
}

// openSheet shows the last comparison, with the cursor on the first difference.
func openSheet(ws *workspace.Workspace) tea.Cmd {
	d := &diffDialog{Attached: workspace.Attached{WS: ws}, sheet: *lastSheet.In(ws)}
	d.rows.Reset(len(d.sheet.lines), 0)
	ws.Host.Open(d)
	return nil
}

func (d *diffDialog) Place() actions.Place          { return placeDiff }
func (d *diffDialog) Box(s shell.Screen) cells.Rect { return s.Body }
func (d *diffDialog) Wheeled(by int)                { d.rows.Scroll(by) }

func (d *diffDialog) Title() string {
	at := ""
	if i, exact := slices.BinarySearch(d.sheet.differ, int32(d.index(d.rows.Cursor))); exact {
		at = fmt.Sprintf(", number %d", i+1)
	}
	return "side by side: " + d.sheet.gist() + at
}

// index returns the line of the sheet that a row of the screen shows. The two differ if only lines
// near differences are shown.
func (d *diffDialog) index(row int) int {
	if d.only {
		if row >= len(d.sheet.short) {
			return 0
		}
		return int(d.sheet.short[row])
	}
	return row
}

// rowOf returns the row of the screen that shows a line of the sheet. If the line is hidden, it is
// the row of the next visible line.
func (d *diffDialog) rowOf(line int) int {
	if !d.only {
		return line
	}
	i, _ := slices.BinarySearch(d.sheet.short, int32(line))
	return i
}

// line returns the line at the cursor.
func (d *diffDialog) line() diffLine { return d.sheet.lines[d.index(d.rows.Cursor)] }

func (d *diffDialog) onlyRefusal() string {
	return actions.Unless(len(d.sheet.differ) > 0, "the models differ only in names")
}

func (d *diffDialog) walkRefusal() string {
	if len(d.sheet.differ) == 1 && d.sheet.differ[0] == int32(d.index(d.rows.Cursor)) {
		return "this is the only difference"
	}
	return d.onlyRefusal()
}

func (d *diffDialog) staleRefusal() string {
	return actions.Unless(d.sheet.shown == d.WS.Model(), "the model has changed since the comparison")
}

func (d *diffDialog) leaveRefusal() string {
	if why := d.staleRefusal(); why != "" {
		return why
	}
	_, ok := d.goal()
	return actions.Unless(ok, "the model in the workbench has no row for this line")
}

func (d *diffDialog) weightsRefusal() string {
	return cmp.Or(actions.Unless(!d.sheet.weights, "all weights have already been compared"), d.staleRefusal(), d.WS.Busy())
}

func (d *diffDialog) copyRefusal() string {
	return actions.Unless(d.sheet.other != "" && d.WS.Session.CanUndo() == "", "no command does this: the model as it is now is in no file; export it first")
}

// goal returns the row in the list of nodes that the line at the cursor is about. It returns false
// if the visible model has no such row.
func (d *diffDialog) goal() (graph.Spot, bool) {
	l := d.line()
	right := d.sheet.B == d.sheet.shown
	pick := func(a, b int) int {
		if right {
			return b
		}
		return a
	}
	switch l.kind {
	case lineNode:
		r := d.sheet.Places[l.place].Rows[l.at]
		return d.nodeAt(d.sheet.Places[l.place].PlaceMatch, pick(r.A, r.B))
	case lineType:
		c := d.sheet.Places[l.place].Types[l.at]
		return d.valueAt(d.sheet.Places[l.place].PlaceMatch, pick(int(c.A), int(c.B)))
	case lineWeight:
		w := d.sheet.Weights[l.at]
		if at, ok := d.nodeAt(w.Place, pick(w.NodeA, w.NodeB)); ok {
			return at, true
		}
		return d.valueAt(w.Place, pick(int(w.A), int(w.B)))
	case lineIO:
		c := d.sheet.IO[l.at]
		main := d.sheet.Places[0].PlaceMatch
		name := c.NameA
		if right {
			name = c.NameB
		}
		if id, ok := d.mine(main).Graph.Index().Value(name); ok {
			return d.valueAt(main, int(id))
		}
	}
	return graph.Spot{}, false
}

// mine returns a compared place as it is in the visible model, which may be on either side. It is
// nil if that model does not have the place.
func (d *diffDialog) mine(p *diff.PlaceMatch) *graphops.Place {
	if d.sheet.B == d.sheet.shown {
		return p.B
	}
	return p.A
}

func (d *diffDialog) nodeAt(p *diff.PlaceMatch, node int) (graph.Spot, bool) {
	place := d.mine(p)
	if place == nil || node < 0 {
		return graph.Spot{}, false
	}
	return graph.Spot{Place: place, Row: d.sheet.outlines[place].NodeRow(node)}, true
}

// valueAt returns the row that computes a value, or else one that reads it. It returns false if
// there is none.
func (d *diffDialog) valueAt(p *diff.PlaceMatch, v int) (graph.Spot, bool) {
	place := d.mine(p)
	if place == nil || v < 0 {
		return graph.Spot{}, false
	}
	row := d.sheet.outlines[place].RowOfValue(graphops.ValueID(v))
	return graph.Spot{Place: place, Row: row}, row >= 0
}

// toggleOnly shows only lines near differences, or all lines again. The cursor stays on its line.
func (d *diffDialog) toggleOnly() {
	line := d.index(d.rows.Cursor)
	d.only = !d.only
	n := len(d.sheet.lines)
	if d.only {
		n = len(d.sheet.short)
	}
	d.rows.Reset(n, 0)
	d.rows.GoTo(min(d.rowOf(line), n-1))
}

// leave goes to the row that the line at the cursor is about.
func (d *diffDialog) leave() tea.Cmd {
	goal, _ := d.goal()
	d.WS.Host.Close(d)
	d.WS.Host.Look(workspace.PlaceNodes)
	return d.WS.Jump(goal)
}

func (d *diffDialog) compareWeights() tea.Cmd {
	cmd := sideBySide(d.WS, d.sheet.other, true)
	d.WS.Host.Open(forms.NewResultsDialog(d.WS))
	return cmd
}

func (d *diffDialog) askOther() tea.Cmd {
	d.WS.Host.Close(d)
	return askOther(d.WS)
}

func (d *diffDialog) copy() tea.Cmd {
	return d.WS.Copy(diffCommand(d.WS, d.sheet.other, d.sheet.weights))
}

// walk moves to the next or previous difference, and wraps around at the ends.
func (d *diffDialog) walk(by int) {
	all := d.sheet.differ
	here := int32(d.index(d.rows.Cursor))
	i, exact := slices.BinarySearch(all, here)
	if by > 0 && !exact {
		i--
	}
	i = (i + by + len(all)) % len(all)
	d.rows.GoTo(d.rowOf(int(all[i])))
}

func (d *diffDialog) Said() string {
	left, right := d.sheet.sides(d.line())
	return fmt.Sprintf("left %s, right %s, %s, line %d of %d", shownOr(left), shownOr(right),
		strings.Join(d.sheet.tell(d.line()), ", "), d.rows.Cursor+1, d.rows.N)
}

// Clicked implements pointed. A click selects the line, and on the selected line it goes to the
// node.
func (d *diffDialog) Clicked(_, y int) tea.Cmd {
	from, to := d.rows.Visible()
	y--
	switch {
	case y < 0 || from+y >= to:
	case d.rows.Cursor == from+y:
		return d.WS.Host.Perform(d, shell.ActionAccept)
	default:
		d.rows.MoveTo(from + y)
	}
	return nil
}

func (d *diffDialog) Sync(w, h int) tea.Cmd {
	isFirst := d.h == 0
	d.w, d.h = w, h
	d.rows.Resize(max(h-1-d.foot(), 1))
	if isFirst && len(d.sheet.differ) > 0 {
		d.rows.MoveTo(int(d.sheet.differ[0]))
	}
	return nil
}

// foot is the number of lines about the line at the cursor, including the rule above them.
func (d *diffDialog) foot() int { return min(graph.FindingFoot, d.h/3) }
