package comparison

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/reporting"
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
	PlaceValidation actions.Place = "validation"

	ActionValidation actions.Name = "validation"
	ActionFailing    actions.Name = "only-failing"
	ActionWords      actions.Name = "only-with-words"
)

// ValidationActions are the actions of the tables of a comparison.
func ValidationActions() []actions.Action {
	type it = *ValidationDialog
	return shell.Closable("close", shell.Shut[it], func(d it, m list.Motion) { d.Looked().Rows.Act(m) }, []actions.Row[it]{
		actions.New(shell.ActionAccept, "go to the node", actions.Keys("enter"), it.leave, it.leaveRefusal),
		actions.New(shell.ActionLookAt, "the values: histograms, scatter, heat map", actions.Keys("o", "space"), func(d it) tea.Cmd { return openBeside(d.WS, d.validation, d.Row()) }, it.lookRefusal),
		actions.Now("column-right", "next column", actions.Keys("right", "l"), func(d it) { d.Looked().Column++ }, it.rightRefusal),
		actions.Now("column-left", "column before", actions.Keys("left", "h"), func(d it) { d.Looked().Column-- }, it.leftRefusal),
		actions.New(shell.ActionSort, "sort by the column, or turn it around", actions.Keys("s"), it.sort, it.tableRefusal),
		actions.New(shell.ActionReset, "default order, the worst on top", actions.Keys("r"), it.reset, it.resetRefusal),
		actions.New(ActionFailing, "only what fails, or all", actions.Keys("F"), it.toggleFailing, it.failingRefusal),
		actions.Now(ActionWords, "only rows that contain some words", actions.Keys("/"), it.askWords, it.tableRefusal),
		actions.Now("other-table", "outputs, or layers", actions.Keys("tab", "t"), func(d it) { d.At = 1 - d.At }, it.otherRefusal),
		actions.New("first-divergence", "the first divergence", actions.Keys("d"), it.toFirst, it.firstRefusal),
		actions.Now("errors-in-list", "show errors in the list of nodes, or hide them", actions.Keys("e"), it.toggleErrors, it.errorsRefusal),
		actions.New(shell.ActionCopy, "copy the command", actions.Keys("y"), func(d it) tea.Cmd { return d.WS.Copy(d.command) }),
	})
}

// ValidationDialog shows the comparison of two models as tables.
type ValidationDialog struct {
	workspace.Attached
	*validation
	At        int // index of the visible table
	views     [2]validationView
	arranging task.Task[[]int32]
	w, h      int
	// verdictLines are the verdict, broken into lines for the width.
	verdictLines []string
}

// validationView is what the person has selected in one of the tables: the order, the cursor, and
// the part in view.
type validationView struct {
	Order  ValidationOrder
	Lines  []int32     // positions of the visible rows
	Rows   list.Window // over the lines
	Column int         // at the cursor
	left   int         // the first visible column after the names
}

// NewValidationDialog shows the tables of a comparison.
func NewValidationDialog(ws *workspace.Workspace, v *validation) *ValidationDialog {
	d := &ValidationDialog{Attached: workspace.Attached{WS: ws}, validation: v}
	for i := range d.views {
		view := &d.views[i]
		view.Order.Column, view.left = -1, 1
		view.Lines = v.Tables[i].Arrange(view.Order)
		view.Rows.Reset(len(view.Lines), 0)
	}
	if len(v.Tables[TableLayers].Rows) > 0 {
		d.At = TableLayers
	}
	return d
}

// lastValidation is the dialog of the last validation, or nil before the first one.
var lastValidation workspace.Slot[*ValidationDialog]

// OpenValidation shows the last comparison in its last state.
func OpenValidation(ws *workspace.Workspace) tea.Cmd {
	if *lastValidation.In(ws) == nil {
		return forms.FillWith(ws, compares, "nothing has been validated yet")
	}
	ws.Host.Open(*lastValidation.In(ws))
	return nil
}

// compares is the step that fills the table.
const compares = "validate"

// ValidationRefusal says why there is no table and none can be made now, or "".
func ValidationRefusal(ws *workspace.Workspace) string {
	if *lastValidation.In(ws) != nil {
		return ""
	}
	return ws.StepRefusal(compares)
}

// validatedMsg says that a comparison is finished.
type validatedMsg struct{ *validation }

// tableOf returns a command that shows the tables of a comparison.
func tableOf(v *validation) tea.Cmd { return func() tea.Msg { return validatedMsg{v} } }

// ReadTables returns a command that shows the tables of a report, or nil if the report does not
// compare two models.
func ReadTables(r session.Report, shown *graphops.Model, path, command string) tea.Cmd {
	s, ok := r.(reporting.SideBySide)
	if !ok {
		return nil
	}
	v := NewValidation(s, shown, path, command)
	if t, ok := r.(interface{ ReadAsText() bool }); ok {
		v.asText = t.ReadAsText()
	}
	return tableOf(v)
}

// Take implements workspace.Answer. It shows the table instead of the progress.
func (m validatedMsg) Take(ws *workspace.Workspace) tea.Cmd {
	d := NewValidationDialog(ws, m.validation)
	*lastValidation.In(ws) = d
	cmd := takeErrors(ws, m.validation)
	switch top := ws.Host.Top().(type) {
	case nil:
	case *forms.ResultsDialog:
		if !m.asText {
			ws.Host.Close(top)
			break
		}
		ws.Log.Say(ws.Keys.Key(shell.PlaceMain, ActionValidation) + " shows the table")
		return cmd
	default:
		ws.Log.Say("validated; " + ws.Keys.Key(shell.PlaceMain, ActionValidation) + " shows the table")
		return cmd
	}
	ws.Host.Open(d)
	return cmd
}

// Place implements shell.Pane.
func (d *ValidationDialog) Place() actions.Place { return PlaceValidation }

// Box implements shell.Dialog.
func (d *ValidationDialog) Box(s shell.Screen) cells.Rect { return s.Body }
func (d *ValidationDialog) table() *validationTable       { return &d.Tables[d.At] }

// Wheeled implements shell.Pointed.
func (d *ValidationDialog) Wheeled(by int) { d.Looked().Rows.Scroll(by) }

// Looked returns the cursor and order of the visible table.
func (d *ValidationDialog) Looked() *validationView { return &d.views[d.At] }

// Row returns the row at the cursor, or nil.
func (d *ValidationDialog) Row() *validationRow {
	v := d.Looked()
	if v.Rows.Cursor >= len(v.Lines) {
		return nil
	}
	return &d.table().Rows[v.Lines[v.Rows.Cursor]]
}

// what returns the word for a row of the visible table: "output" or "layer".
// what names a row of the visible table. An output has a result in each case.
func (d *ValidationDialog) what() string {
	rows := d.table().Rows
	switch {
	case d.At == TableLayers:
		return "layer"
	case slices.ContainsFunc(rows, func(r validationRow) bool { return r.where != rows[0].where }):
		return "result"
	}
	return "output"
}

// Title implements shell.Dialog.
func (d *ValidationDialog) Title() string {
	if len(d.printed) > 0 {
		return "validation: what was compared"
	}
	v := d.Looked()
	words := []string{"validation: " + d.table().gist(d.what())}
	if n := len(v.Lines); n < len(d.table().Rows) {
		words = append(words, text.Count(int64(n))+" shown")
	}
	words = append(words, d.sorting(), d.sides())
	if v.Order.failing {
		words = append(words, "only what fails")
	}
	if v.Order.words != "" {
		words = append(words, "only with "+cells.Label(v.Order.words))
	}
	if d.At == TableLayers { // so a layer behind the fault can be equal although the outputs are wrong
		words = append(words, "each on the same inputs")
	}
	return strings.Join(words, ", ")
}

// maxSide limits the cells of the name of a model in the title.
const maxSide = 24

// sides names the two models, a first.
func (d *ValidationDialog) sides() string {
	side := func(i int) string { return cells.CutMiddle(cells.Label(filepath.Base(d.names[i])), maxSide) }
	return "a " + side(0) + ", b " + side(1)
}

// sorting says by what the rows are sorted.
func (d *ValidationDialog) sorting() string {
	o := d.Looked().Order
	if o.Column < 0 {
		return "the worst on top"
	}
	c := &d.table().Columns[o.Column]
	how := map[[2]bool]string{
		{true, false}: "the worst on top", {true, true}: "the best on top", {false, false}: "A to Z", {false, true}: "Z to A",
	}[[2]bool{c.Figure >= 0, o.Backward}]
	return "by " + c.Name + ", " + how
}

func (d *ValidationDialog) leaveRefusal() string {
	_, why := d.Goal(d.Row())
	return why
}

func (d *ValidationDialog) tableRefusal() string {
	return actions.Unless(len(d.printed) == 0, "there is no table: no values of two models were compared")
}

func (d *ValidationDialog) leftRefusal() string {
	return actions.Unless(d.Looked().Column > 0, "this is the first column")
}

func (d *ValidationDialog) rightRefusal() string {
	return actions.Unless(d.Looked().Column < len(d.table().Columns)-1, "this is the last column")
}

func (d *ValidationDialog) resetRefusal() string {
	return actions.Unless(d.Looked().Order.Column >= 0, "the rows are already in the default order, the worst on top")
}

func (d *ValidationDialog) failingRefusal() string {
	return actions.Unless(d.Looked().Order.failing || d.table().failed > 0, "nothing fails")
}

func (d *ValidationDialog) otherRefusal() string {
	return actions.Unless(len(d.Tables[TableLayers].Rows) > 0, "the layers were not compared; run validate with --layers")
}

func (d *ValidationDialog) firstRefusal() string {
	if why := d.otherRefusal(); why != "" {
		return why
	}
	return actions.Unless(d.first >= 0, "no layer was found that causes the error")
}

func (d *ValidationDialog) errorsRefusal() string {
	return actions.Unless(d.Side != sheet.SideNeither, "the model in the workbench was neither of the two that were compared")
}

func (d *ValidationDialog) lookRefusal() string {
	switch r := d.Row(); {
	case r == nil:
		return "there is no row"
	case !r.compared:
		return "there are not two values to compare: " + r.state
	}
	return d.WS.Busy()
}

// leave goes to the node of the row at the cursor. It also closes what the table was opened from, such
// as side by side, because that would hide the node.
func (d *ValidationDialog) leave() tea.Cmd {
	goal, _ := d.Goal(d.Row())
	for _, open := range slices.Clone(d.WS.Host.Opened()) {
		d.WS.Host.Close(open)
	}
	d.WS.Host.Look(workspace.PlaceNodes)
	d.WS.Log.Say(d.WS.Keys.Key(shell.PlaceMain, ActionValidation) + " goes back to the table")
	return d.WS.Jump(goal)
}

// reset sorts the rows in the default order.
func (d *ValidationDialog) reset() tea.Cmd {
	o := &d.Looked().Order
	o.Column, o.Backward = -1, false
	return d.arrange()
}

func (d *ValidationDialog) toggleFailing() tea.Cmd {
	o := &d.Looked().Order
	o.failing = !o.failing
	return d.arrange()
}

// toggleErrors shows or hides the errors in the list of nodes.
func (d *ValidationDialog) toggleErrors() {
	workspace.ToggleColumn(d.WS, graph.ErrorColumn)
	d.WS.Log.Say(workspace.ColumnSaid(d.WS, graph.ErrorColumn))
}

// sort sorts by the column at the cursor, the worst first, and in reverse the second time.
func (d *ValidationDialog) sort() tea.Cmd {
	v := d.Looked()
	v.Order.Column, v.Order.Backward = v.Column, v.Order.Column == v.Column && !v.Order.Backward
	return d.arrange()
}

func (d *ValidationDialog) askWords() {
	v := d.Looked()
	d.WS.Host.Open(shell.NewLinePrompt(d.WS.Host, "show only rows with which words? leave empty for all", v.Order.words, func(words string) tea.Cmd {
		v.Order.words = words
		return d.arrange()
	}))
}

// toFirst shows the table of layers and goes to the first layer whose error is too large. If a
// filter hides that row, it removes the filter.
func (d *ValidationDialog) toFirst() tea.Cmd {
	d.At = TableLayers
	v := d.Looked()
	if v.Order.failing || v.Order.words != "" {
		v.Order.failing, v.Order.words = false, ""
		v.Lines = d.table().Arrange(v.Order)
		v.Rows.Reset(len(v.Lines), 0)
		d.arranging.Stop()
	}
	i := slices.IndexFunc(v.Lines, func(at int32) bool { return d.isFirst(&d.table().Rows[at]) })
	v.Rows.GoTo(max(i, 0))
	return nil
}

// Arrange sorts the rows in the background. Until it is done, the old order stays on screen.
func (d *ValidationDialog) arrange() tea.Cmd {
	t, v := d.table(), d.Looked()
	o := v.Order
	return workspace.Ask(d.WS, &d.arranging, "sorting", func(context.Context) []int32 { return t.Arrange(o) }, func(lines []int32) tea.Cmd {
		v.Lines = lines
		v.Rows.Reset(len(lines), 0)
		return nil
	})
}

// Clicked implements shell.Pointed. A click on a title sorts by that column. A click on a row selects it,
// and on the selected row it goes to its node.
func (d *ValidationDialog) Clicked(x, y int) tea.Cmd {
	v := d.Looked()
	from, to := v.Rows.Visible()
	y -= d.headLines()
	switch {
	case y == -1:
		if c := d.columnAt(x); c >= 0 {
			v.Column = c
			return d.WS.Host.Perform(d, shell.ActionSort)
		}
	case y < 0 || from+y >= to:
	case v.Rows.Cursor == from+y:
		return d.WS.Host.Perform(d, shell.ActionAccept)
	default:
		v.Rows.MoveTo(from + y)
	}
	return nil
}

// Sync implements shell.Pane.
func (d *ValidationDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.wrapVerdict()
	for i := range d.views {
		d.views[i].Rows.Resize(max(h-d.headLines()-d.foot(), 1))
	}
	d.reveal()
	return nil
}
