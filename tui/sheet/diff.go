package sheet

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
	Place actions.Place = "diff"

	ActionDiff actions.Name = "side-by-side"
)

// Actions are the actions of the comparison.
func Actions() []actions.Action {
	type it = *Dialog
	return shell.Closable("close", shell.Shut[it], func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.Now("next-difference", "next difference", actions.Keys("n"), func(d it) { d.walk(1) }, it.walkRefusal),
		actions.Now("previous-difference", "previous difference", actions.Keys("N"), func(d it) { d.walk(-1) }, it.walkRefusal),
		actions.Now("only-differences", "only what is near one, or all", actions.Keys("F"), it.toggleOnly, it.onlyRefusal),
		actions.New(shell.ActionAccept, "go to the node", actions.Keys("enter"), it.leave, it.leaveRefusal),
		actions.New("validate", "compare what they compute", actions.Keys("V"), it.validate, func(d it) string { return d.WS.StepRefusal("validate") }),
		actions.New("compare-weights", "compare all weights", actions.Keys("w"), it.compareWeights, it.weightsRefusal),
		actions.New("another-model", "with another model", actions.Keys("o"), it.askOther, func(d it) string { return d.WS.Busy() }),
		actions.New(shell.ActionCopy, "copy the command", actions.Keys("y"), it.copy, it.CopyRefusal),
	})
}

// Dialog shows two models side by side. Both sides are aligned and scroll together.
type Dialog struct {
	workspace.Attached
	Sheet *diffSheet
	Only  bool // only lines near differences are shown
	Rows  list.Window
	w, h  int
}

// validate opens the form of the step that runs both models on the same inputs. The comparison stays
// open behind it. The values of all nodes are compared too, because somebody who compares two models
// looks for where they part.
func (d *Dialog) validate() tea.Cmd {
	if d.Sheet.other == "" { // the form suggests the model as it was opened and as it is
		return forms.OpenForm(d.WS, "validate")
	}
	return forms.OpenFormFilled(d.WS, "validate", map[string][]string{"a": {d.WS.Called()}, "b": {d.Sheet.other}, "layers": {"true"}})
}

// openSheet shows the last comparison, with the cursor on the first difference.
func openSheet(ws *workspace.Workspace) tea.Cmd {
	d := &Dialog{Attached: workspace.Attached{WS: ws}, Sheet: *LastSheet.In(ws)}
	d.Rows.Reset(len(d.Sheet.lines), 0)
	ws.Host.Open(d)
	return nil
}

// Place implements shell.Pane.
func (d *Dialog) Place() actions.Place { return Place }

// Box implements shell.Dialog.
func (d *Dialog) Box(s shell.Screen) cells.Rect { return s.Body }

// Wheeled implements shell.Pointed.
func (d *Dialog) Wheeled(by int) { d.Rows.Scroll(by) }

// Title implements shell.Dialog.
func (d *Dialog) Title() string {
	at := ""
	if i, exact := slices.BinarySearch(d.Sheet.Differ, int32(d.index(d.Rows.Cursor))); exact {
		at = fmt.Sprintf(", number %d", i+1)
	}
	return "side by side: " + d.Sheet.gist() + at
}

// index returns the line of the sheet that a row of the screen shows. The two differ if only lines
// near differences are shown.
func (d *Dialog) index(row int) int {
	if d.Only {
		if row >= len(d.Sheet.short) {
			return 0
		}
		return int(d.Sheet.short[row])
	}
	return row
}

// rowOf returns the row of the screen that shows a line of the sheet. If the line is hidden, it is
// the row of the next visible line.
func (d *Dialog) rowOf(line int) int {
	if !d.Only {
		return line
	}
	i, _ := slices.BinarySearch(d.Sheet.short, int32(line))
	return i
}

// Line returns the line at the cursor.
func (d *Dialog) Line() diffLine { return d.Sheet.lines[d.index(d.Rows.Cursor)] }

func (d *Dialog) onlyRefusal() string {
	return actions.Unless(len(d.Sheet.Differ) > 0, "the models differ only in names")
}

func (d *Dialog) walkRefusal() string {
	if len(d.Sheet.Differ) == 1 && d.Sheet.Differ[0] == int32(d.index(d.Rows.Cursor)) {
		return "this is the only difference"
	}
	return d.onlyRefusal()
}

func (d *Dialog) staleRefusal() string {
	return actions.Unless(d.Sheet.shown == d.WS.Model(), "the model has changed since the comparison")
}

func (d *Dialog) leaveRefusal() string {
	if why := d.staleRefusal(); why != "" {
		return why
	}
	_, ok := d.goal()
	return actions.Unless(ok, "the model in the workbench has no row for this line")
}

func (d *Dialog) weightsRefusal() string {
	return cmp.Or(actions.Unless(!d.Sheet.WithWeights, "all weights have already been compared"), d.staleRefusal(), d.WS.Busy())
}

// CopyRefusal says why no command does the same comparison, or "".
func (d *Dialog) CopyRefusal() string {
	return actions.Unless(d.Sheet.other != "" && d.WS.Session.CanUndo() == "", "no command does this: the model as it is now is in no file; export it first")
}

// goal returns the row in the list of nodes that the line at the cursor is about. It returns false
// if the visible model has no such row.
func (d *Dialog) goal() (graph.Spot, bool) {
	l := d.Line()
	right := d.Sheet.B == d.Sheet.shown
	pick := func(a, b int) int {
		if right {
			return b
		}
		return a
	}
	switch l.kind {
	case lineNode:
		r := d.Sheet.Places[l.place].Rows[l.at]
		return d.nodeAt(d.Sheet.Places[l.place].PlaceMatch, pick(r.A, r.B))
	case lineType:
		c := d.Sheet.Places[l.place].Types[l.at]
		return d.valueAt(d.Sheet.Places[l.place].PlaceMatch, pick(int(c.A), int(c.B)))
	case lineWeight:
		w := d.Sheet.Weights[l.at]
		if at, ok := d.nodeAt(w.Place, pick(w.NodeA, w.NodeB)); ok {
			return at, true
		}
		return d.valueAt(w.Place, pick(int(w.A), int(w.B)))
	case lineIO:
		c := d.Sheet.IO[l.at]
		main := d.Sheet.Places[0].PlaceMatch
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
func (d *Dialog) mine(p *diff.PlaceMatch) *graphops.Place {
	if d.Sheet.B == d.Sheet.shown {
		return p.B
	}
	return p.A
}

func (d *Dialog) nodeAt(p *diff.PlaceMatch, node int) (graph.Spot, bool) {
	place := d.mine(p)
	if place == nil || node < 0 {
		return graph.Spot{}, false
	}
	return graph.Spot{Place: place, Row: d.Sheet.outlines[place].NodeRow(node)}, true
}

// valueAt returns the row that computes a value, or else one that reads it. It returns false if
// there is none.
func (d *Dialog) valueAt(p *diff.PlaceMatch, v int) (graph.Spot, bool) {
	place := d.mine(p)
	if place == nil || v < 0 {
		return graph.Spot{}, false
	}
	row := d.Sheet.outlines[place].RowOfValue(graphops.ValueID(v))
	return graph.Spot{Place: place, Row: row}, row >= 0
}

// toggleOnly shows only lines near differences, or all lines again. The cursor stays on its line.
func (d *Dialog) toggleOnly() {
	line := d.index(d.Rows.Cursor)
	d.Only = !d.Only
	n := len(d.Sheet.lines)
	if d.Only {
		n = len(d.Sheet.short)
	}
	d.Rows.Reset(n, 0)
	d.Rows.GoTo(min(d.rowOf(line), n-1))
}

// leave goes to the row that the line at the cursor is about.
func (d *Dialog) leave() tea.Cmd {
	goal, _ := d.goal()
	d.WS.Host.Close(d)
	d.WS.Host.Look(workspace.PlaceNodes)
	return d.WS.Jump(goal)
}

func (d *Dialog) compareWeights() tea.Cmd {
	cmd := SideBySide(d.WS, d.Sheet.other, true)
	d.WS.Host.Open(forms.NewResultsDialog(d.WS))
	return cmd
}

func (d *Dialog) askOther() tea.Cmd {
	d.WS.Host.Close(d)
	return askOther(d.WS)
}

func (d *Dialog) copy() tea.Cmd {
	return d.WS.Copy(diffCommand(d.WS, d.Sheet.other, d.Sheet.WithWeights))
}

// walk moves to the next or previous difference, and wraps around at the ends.
func (d *Dialog) walk(by int) {
	all := d.Sheet.Differ
	here := int32(d.index(d.Rows.Cursor))
	i, exact := slices.BinarySearch(all, here)
	if by > 0 && !exact {
		i--
	}
	i = (i + by + len(all)) % len(all)
	d.Rows.Centre(d.rowOf(int(all[i])))
}

// Said implements shell.Pane.
func (d *Dialog) Said() string {
	left, right := d.Sheet.Sides(d.Line())
	return fmt.Sprintf("left %s, right %s, %s, line %d of %d", shownOr(left), shownOr(right),
		strings.Join(d.Sheet.tell(d.Line()), ", "), d.Rows.Cursor+1, d.Rows.N)
}

// Clicked implements shell.Pointed. A click selects the line, and on the selected line it goes to the
// node.
func (d *Dialog) Clicked(_, y int) tea.Cmd {
	from, to := d.Rows.Visible()
	y--
	switch {
	case y < 0 || from+y >= to:
	case d.Rows.Cursor == from+y:
		return d.WS.Host.Perform(d, shell.ActionAccept)
	default:
		d.Rows.MoveTo(from + y)
	}
	return nil
}

// Sync implements shell.Pane.
func (d *Dialog) Sync(w, h int) tea.Cmd {
	isFirst := d.h == 0
	d.w, d.h = w, h
	d.Rows.Resize(max(h-1-d.foot(), 1))
	if isFirst && len(d.Sheet.Differ) > 0 {
		d.Rows.Centre(int(d.Sheet.Differ[0]))
	}
	return nil
}

// foot is the number of lines about the line at the cursor, including the rule above them.
func (d *Dialog) foot() int { return min(graph.FindingFoot, d.h/3) }
