package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/sheet"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

const (
	placeValidation actions.Place = "validation"

	actionValidation actions.Name = "validation"
	actionFailing    actions.Name = "only-failing"
	actionWords      actions.Name = "only-with-words"
)

func validationActions() []actions.Action {
	type it = *validationDialog
	return shell.Closable("close", shell.Shut[it], func(d it, m list.Motion) { d.looked().rows.Act(m) }, []actions.Row[it]{
		actions.New(shell.ActionAccept, "go to the node", actions.Keys("enter"), it.leave, it.leaveRefusal),
		actions.New(shell.ActionLookAt, "the values: histograms, scatter, heat map", actions.Keys("o", "space"), func(d it) tea.Cmd { return openBeside(d.WS, d.validation, d.row()) }, it.lookRefusal),
		actions.Now("column-right", "next column", actions.Keys("right", "l"), func(d it) { d.looked().column++ }, it.rightRefusal),
		actions.Now("column-left", "column before", actions.Keys("left", "h"), func(d it) { d.looked().column-- }, it.leftRefusal),
		actions.New(shell.ActionSort, "sort by the column, or turn it around", actions.Keys("s"), it.sort),
		actions.New(shell.ActionReset, "default order, the worst on top", actions.Keys("r"), it.reset, it.resetRefusal),
		actions.New(actionFailing, "only what fails, or all", actions.Keys("F"), it.toggleFailing, it.failingRefusal),
		actions.Now(actionWords, "only rows that contain some words", actions.Keys("/"), it.askWords),
		actions.Now("other-table", "outputs, or layers", actions.Keys("tab", "t"), func(d it) { d.at = 1 - d.at }, it.otherRefusal),
		actions.New("first-divergence", "the first divergence", actions.Keys("d"), it.toFirst, it.firstRefusal),
		actions.Now("errors-in-list", "show errors in the list of nodes, or hide them", actions.Keys("e"), it.toggleErrors, it.errorsRefusal),
		actions.New(shell.ActionCopy, "copy the command", actions.Keys("y"), func(d it) tea.Cmd { return d.WS.Copy(d.command) }),
	})
}

// validationDialog shows the comparison of two models as tables.
type validationDialog struct {
	workspace.Attached
	*validation
	at        int // index of the visible table
	views     [2]validationView
	arranging task.Task[[]int32]
	w, h      int
}

// validationView is what the person has selected in one of the tables: the order, the cursor, and
// the part in view.
type validationView struct {
	order  validationOrder
	lines  []int32     // positions of the visible rows
	rows   list.Window // over the lines
	column int         // at the cursor
	left   int         // the first visible column after the names
}

func newValidationDialog(ws *workspace.Workspace, v *validation) *validationDialog {
	d := &validationDialog{Attached: workspace.Attached{WS: ws}, validation: v}
	for i := range d.views {
		view := &d.views[i]
		view.order.column, view.left = -1, 1
		view.lines = v.tables[i].arrange(view.order)
		view.rows.Reset(len(view.lines), 0)
	}
	if len(v.tables[tableLayers].rows) > 0 {
		d.at = tableLayers
	}
	return d
}

// lastValidation is the dialog of the last validation, nil if there is none.
var lastValidation workspace.Slot[*validationDialog]

// openValidation shows the last comparison in its last state.
func openValidation(ws *workspace.Workspace) tea.Cmd {
	ws.Host.Open(*lastValidation.In(ws))
	return nil
}

func validationRefusal(ws *workspace.Workspace) string {
	return actions.Unless(*lastValidation.In(ws) != nil, fmt.Sprintf("nothing has been validated yet; %s does it", ws.Keys.Key(shell.PlaceMain, workspace.StepAction("validate"))))
}

// validatedMsg says that a comparison is finished.
type validatedMsg struct{ *validation }

// tableOf returns a command that shows the tables of a comparison.
func tableOf(v *validation) tea.Cmd { return func() tea.Msg { return validatedMsg{v} } }

// readTables returns a command that shows the tables of a report, or nil if the report does not
// compare two models.
func readTables(r session.Report, shown *graphops.Model, path, command string) tea.Cmd {
	s, ok := r.(session.SideBySide)
	if !ok {
		return nil
	}
	return tableOf(newValidation(s, shown, path, command))
}

// Take implements answer. It shows the table instead of the progress.
func (m validatedMsg) Take(ws *workspace.Workspace) tea.Cmd {
	d := newValidationDialog(ws, m.validation)
	*lastValidation.In(ws) = d
	cmd := takeErrors(ws, m.validation)
	switch top := ws.Host.Top().(type) {
	case nil:
	case *forms.ResultsDialog:
		ws.Host.Close(top)
	default:
		ws.Log.Say("validated; " + ws.Keys.Key(shell.PlaceMain, actionValidation) + " shows the table")
		return cmd
	}
	ws.Host.Open(d)
	return cmd
}

func (d *validationDialog) Place() actions.Place          { return placeValidation }
func (d *validationDialog) Box(s shell.Screen) cells.Rect { return s.Body }
func (d *validationDialog) table() *validationTable       { return &d.tables[d.at] }
func (d *validationDialog) Wheeled(by int)                { d.looked().rows.Scroll(by) }

// looked returns the cursor and order of the visible table.
func (d *validationDialog) looked() *validationView { return &d.views[d.at] }

// row returns the row at the cursor, or nil.
func (d *validationDialog) row() *validationRow {
	v := d.looked()
	if v.rows.Cursor >= len(v.lines) {
		return nil
	}
	return &d.table().rows[v.lines[v.rows.Cursor]]
}

// what returns the word for a row of the visible table: "output" or "layer".
func (d *validationDialog) what() string { return [...]string{"output", "layer"}[d.at] }

func (d *validationDialog) Title() string {
	v := d.looked()
	words := []string{"validation: " + d.table().gist(d.what())}
	if n := len(v.lines); n < len(d.table().rows) {
		words = append(words, text.Count(int64(n))+" shown")
	}
	words = append(words, d.sorting())
	if v.order.failing {
		words = append(words, "only what fails")
	}
	if v.order.words != "" {
		words = append(words, "only with "+cells.Label(v.order.words))
	}
	return strings.Join(words, ", ")
}

// sorting says by what the rows are sorted.
func (d *validationDialog) sorting() string {
	o := d.looked().order
	if o.column < 0 {
		return "the worst on top"
	}
	c := &d.table().columns[o.column]
	how := map[[2]bool]string{
		{true, false}: "the worst on top", {true, true}: "the best on top", {false, false}: "A to Z", {false, true}: "Z to A",
	}[[2]bool{c.figure >= 0, o.backward}]
	return "by " + c.name + ", " + how
}

func (d *validationDialog) leaveRefusal() string {
	_, why := d.goal(d.row())
	return why
}

func (d *validationDialog) leftRefusal() string {
	return actions.Unless(d.looked().column > 0, "this is the first column")
}

func (d *validationDialog) rightRefusal() string {
	return actions.Unless(d.looked().column < len(d.table().columns)-1, "this is the last column")
}

func (d *validationDialog) resetRefusal() string {
	return actions.Unless(d.looked().order.column >= 0, "the rows are already in the default order, the worst on top")
}

func (d *validationDialog) failingRefusal() string {
	return actions.Unless(d.looked().order.failing || d.table().failed > 0, "nothing fails")
}

func (d *validationDialog) otherRefusal() string {
	return actions.Unless(len(d.tables[tableLayers].rows) > 0, "the layers were not compared; run validate with --layers")
}

func (d *validationDialog) firstRefusal() string {
	return actions.Unless(d.first >= 0, "no layer was found that causes the error")
}

func (d *validationDialog) errorsRefusal() string {
	return actions.Unless(d.side != sheet.SideNeither, "the model in the workbench was neither of the two that were compared")
}

func (d *validationDialog) lookRefusal() string {
	switch r := d.row(); {
	case r == nil:
		return "there is no row"
	case !r.compared:
		return "there are not two values to compare: " + r.state
	}
	return d.WS.Busy()
}

// leave goes to the node of the row at the cursor.
func (d *validationDialog) leave() tea.Cmd {
	goal, _ := d.goal(d.row())
	d.WS.Host.Close(d)
	d.WS.Host.Look(workspace.PlaceNodes)
	d.WS.Log.Say(d.WS.Keys.Key(shell.PlaceMain, actionValidation) + " goes back to the table")
	return d.WS.Jump(goal)
}

// reset sorts the rows in the default order.
func (d *validationDialog) reset() tea.Cmd {
	o := &d.looked().order
	o.column, o.backward = -1, false
	return d.arrange()
}

func (d *validationDialog) toggleFailing() tea.Cmd {
	o := &d.looked().order
	o.failing = !o.failing
	return d.arrange()
}

// toggleErrors shows or hides the errors in the list of nodes.
func (d *validationDialog) toggleErrors() {
	workspace.ToggleColumn(d.WS, graph.ErrorColumn)
	d.WS.Log.Say(workspace.ColumnSaid(d.WS, graph.ErrorColumn))
}

// sort sorts by the column at the cursor, the worst first, and in reverse the second time.
func (d *validationDialog) sort() tea.Cmd {
	v := d.looked()
	v.order.column, v.order.backward = v.column, v.order.column == v.column && !v.order.backward
	return d.arrange()
}

func (d *validationDialog) askWords() {
	v := d.looked()
	d.WS.Host.Open(shell.NewPathPrompt(d.WS.Host, "show only rows with which words? leave empty for all", v.order.words, func(words string) tea.Cmd {
		v.order.words = words
		return d.arrange()
	}))
}

// toFirst shows the table of layers and goes to the first layer whose error is too large. If a
// filter hides that row, it removes the filter.
func (d *validationDialog) toFirst() tea.Cmd {
	d.at = tableLayers
	v := d.looked()
	if v.order.failing || v.order.words != "" {
		v.order.failing, v.order.words = false, ""
		v.lines = d.table().arrange(v.order)
		v.rows.Reset(len(v.lines), 0)
		d.arranging.Stop()
	}
	i := slices.IndexFunc(v.lines, func(at int32) bool { return d.isFirst(&d.table().rows[at]) })
	v.rows.GoTo(max(i, 0))
	return nil
}

// arrange sorts the rows in the background. Until it is done, the old order stays on screen.
func (d *validationDialog) arrange() tea.Cmd {
	t, v := d.table(), d.looked()
	o := v.order
	return workspace.Ask(d.WS, &d.arranging, "sorting", func(context.Context) []int32 { return t.arrange(o) }, func(lines []int32) tea.Cmd {
		v.lines = lines
		v.rows.Reset(len(lines), 0)
		return nil
	})
}

// Clicked implements pointed. A click on a title sorts by that column. A click on a row selects it,
// and on the selected row it goes to its node.
func (d *validationDialog) Clicked(x, y int) tea.Cmd {
	v := d.looked()
	from, to := v.rows.Visible()
	y -= d.headLines()
	switch {
	case y == -1:
		if c := d.columnAt(x); c >= 0 {
			v.column = c
			return d.WS.Host.Perform(d, shell.ActionSort)
		}
	case y < 0 || from+y >= to:
	case v.rows.Cursor == from+y:
		return d.WS.Host.Perform(d, shell.ActionAccept)
	default:
		v.rows.MoveTo(from + y)
	}
	return nil
}

func (d *validationDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	for i := range d.views {
		d.views[i].rows.Resize(max(h-d.headLines()-d.foot(), 1))
	}
	d.reveal()
	return nil
}
