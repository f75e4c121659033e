package comparison

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/tensor"
	"lathe/session/reporting"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/tensors"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// PlaceBeside is the place of the dialog of two values.
const PlaceBeside actions.Place = "two-values"

// BesideActions are the actions of the dialog of two values.
func BesideActions() []actions.Action {
	type it = *BesideDialog
	show := func(v BesideView) func(it) { return func(d it) { d.Shown = v } }
	move := func(rows, columns int) func(it) {
		return func(d it) { d.Cursor.Row, d.Cursor.Column = d.Cursor.Row+rows, d.Cursor.Column+columns }
	}
	turn := func(turn func(*tensors.Axes)) func(it) { return func(d it) { d.turn(turn) } }
	index := func(by int64) func(it) { return func(d it) { d.Axes.Step(by) } }
	return actions.Of([]actions.Row[it]{
		actions.Now("errors", "histogram of the errors", actions.Keys("H"), show(BesideErrors)),
		actions.Now("both-values", "histograms of both values", actions.Keys("V"), show(BesideValues)),
		actions.Now("scatter", "scatter of a against b", actions.Keys("S"), show(BesideScatter)),
		actions.Now(tensors.ActionHeatMap, "heat map: where the errors are", actions.Keys("T"), show(BesideHeat)),
		actions.Now("next-view", "next of these", actions.Keys("m", "tab"), it.nextView),
		actions.Now("cell-down", "heat map: down", actions.Keys("j", "down"), move(1, 0), it.mapRefusal, it.lastRowRefusal),
		actions.Now("cell-up", "heat map: up", actions.Keys("k", "up"), move(-1, 0), it.mapRefusal, it.firstRowRefusal),
		actions.Now("cell-left", "heat map: left", actions.Keys("h", "left"), move(0, -1), it.mapRefusal, it.firstColumnRefusal),
		actions.Now("cell-right", "heat map: right", actions.Keys("l", "right"), move(0, 1), it.mapRefusal, it.lastColumnRefusal),
		actions.Now("axis-down", "another axis down", actions.Keys("r"), turn((*tensors.Axes).TurnDown), it.mapRefusal, it.turnRefusal),
		actions.Now("axis-across", "another axis across", actions.Keys("c"), turn((*tensors.Axes).TurnAcross), it.mapRefusal, it.turnRefusal),
		actions.Now("transpose", "swap rows and columns", actions.Keys("x"), turn((*tensors.Axes).Transpose), it.mapRefusal, it.scalarRefusal),
		actions.Now("held-axis", "select another axis for the keys , and .", actions.Keys(";"), func(d it) { d.Axes.NextHeld() }, it.mapRefusal, it.heldRefusal),
		actions.Now("index-after", "next index of the selected axis", actions.Keys("."), index(1), it.mapRefusal, it.heldRefusal),
		actions.Now("index-before", "previous index of the selected axis", actions.Keys(","), index(-1), it.mapRefusal, it.heldRefusal),
		actions.Now("scale", "logarithmic or linear scale", actions.Keys("z"), func(d it) { d.Scaled[d.Shown] = !d.Scaled[d.Shown] }, it.scaleRefusal),
		actions.New("own-inputs", "layers: b computed from a's values, or from its own", actions.Keys("a"), it.toggleLocal, it.ownRefusal),
		actions.New(shell.ActionAccept, "go to the node", actions.Keys("enter"), it.leave, it.leaveRefusal),
		actions.New(tensors.ActionReadAgain, "run it again", actions.Keys("A"), it.ask, func(d it) string { return d.WS.Busy() }),
		actions.Now(shell.ActionClose, "close", actions.Keys("esc", "q"), it.close),
		shell.HelpRow[it](),
	})
}

// BesideView is a way to look at two values.
type BesideView uint8

// The views.
const (
	BesideErrors BesideView = iota
	BesideValues
	BesideScatter
	BesideHeat
	besideViews
)

var besideTitles = [besideViews]string{"errors", "values", "scatter", "heat map"}

// BesideDialog shows the values that two models compute at the same point: as histograms, scatter
// plot or heat map. When it opens, a job computes the values again, because the comparison kept
// only numbers about them.
type BesideDialog struct {
	workspace.Attached
	v    *validation
	row  validationRow
	Of   reporting.ComparedValue
	step *besideStep // the latest one
	job  *workspace.Job
	Pair *valuePair // nil until it is computed
	err  error

	Shown  BesideView
	Scaled [besideViews]bool
	Axes   *tensors.Axes
	passes tensors.Passes
	Cursor struct{ Row, Column int }
	made   besideKey
	body   []string
	W, h   int
}

// besideKey identifies what the lines of a view depend on.
type besideKey struct {
	shown       BesideView
	pair        *valuePair
	answer      *tensors.Answered
	scaled      bool
	row, column int
	w, h        int
	styles      theme.Styles
	isASCII     bool
}

// openBeside opens the dialog for a row of a comparison: an output, or a value inside the models.
func openBeside(ws *workspace.Workspace, v *validation, r *validationRow) tea.Cmd {
	d := &BesideDialog{Attached: workspace.Attached{WS: ws}, v: v, row: *r, Of: r.of}
	d.Scaled[BesideHeat] = true
	ws.Host.Open(d)
	return d.ask()
}

// ask starts to compute the values again.
func (d *BesideDialog) ask() tea.Cmd {
	ws := d.WS
	d.Pair, d.err, d.Axes = nil, nil, nil
	d.Cursor.Row, d.Cursor.Column = 0, 0
	d.passes.End()
	s := &besideStep{from: d.v.SideBySide, of: d.Of}
	d.step = s
	d.job = &workspace.Job{Name: BesideName, Command: d.v.command, Table: tableOf(d.v), Settle: func(err error) tea.Cmd {
		d.settle(s, err)
		return nil
	}}
	return ws.Start(s, d.job)
}

// settle takes the values that a job computed, unless a newer job has been started. If the job
// failed, it keeps the error.
func (d *BesideDialog) settle(s *besideStep, err error) {
	pair := s.pair
	s.pair = nil // the list of jobs keeps the job, but not the values
	if s != d.step {
		return
	}
	if d.err = err; err != nil {
		return
	}
	d.Pair = pair
	if pair.a != nil {
		d.Axes = tensors.HeatAxes(pair.a.Dims())
	}
}

// Place implements shell.Pane.
func (d *BesideDialog) Place() actions.Place { return PlaceBeside }

// Box implements shell.Dialog.
func (d *BesideDialog) Box(s shell.Screen) cells.Rect { return s.Body }

// Title implements shell.Dialog.
func (d *BesideDialog) Title() string {
	words := "a and b: " + d.row.called()
	switch {
	case d.Of.Output != "":
		words += " in case " + cells.Label(d.Of.Case)
	case d.Of.Local:
		words += ", b from a's values"
	default:
		words += ", each from its own inputs"
	}
	return words
}

// IsRunning reports whether the values are being computed.
func (d *BesideDialog) IsRunning() bool { return d.job != nil && d.job.State == workspace.JobRunning }

func (d *BesideDialog) leaveRefusal() string {
	_, why := (&ValidationDialog{Attached: d.Attached, validation: d.v}).Goal(&d.row)
	return why
}

func (d *BesideDialog) scaleRefusal() string {
	return actions.Unless(d.Shown != BesideScatter, "a scatter plot has no logarithmic scale")
}

// mapRefusal explains why there is no heat map on screen.
func (d *BesideDialog) mapRefusal() string {
	g := d.grid()
	switch {
	case d.Shown != BesideHeat:
		return "only the heat map has a cursor and axes; " + d.WS.Keys.Key(PlaceBeside, tensors.ActionHeatMap) + " shows it"
	case g == nil || d.Axes == nil || len(g.Cells) == 0:
		return "there is no heat map"
	}
	return ""
}

func (d *BesideDialog) firstRowRefusal() string {
	return actions.Unless(d.Cursor.Row > 0, "this is the first row")
}

func (d *BesideDialog) lastRowRefusal() string {
	return actions.Unless(d.Cursor.Row < d.grid().Rows-1, "this is the last row")
}

func (d *BesideDialog) firstColumnRefusal() string {
	return actions.Unless(d.Cursor.Column > 0, "this is the first column")
}

func (d *BesideDialog) lastColumnRefusal() string {
	return actions.Unless(d.Cursor.Column < d.grid().Columns-1, "this is the last column")
}

func (d *BesideDialog) scalarRefusal() string { return d.Axes.ScalarRefusal() }
func (d *BesideDialog) turnRefusal() string   { return d.Axes.TurnRefusal() }

func (d *BesideDialog) heldRefusal() string {
	return actions.Unless(d.Axes.Held != tensor.NoAxis, "both axes are on the screen; there is no other")
}

func (d *BesideDialog) ownRefusal() string {
	switch {
	case d.Of.Output != "":
		return "an output is always computed from each model's own inputs"
	case !d.Of.Local && !d.row.Figures[figMaxAbs].Has:
		return "the error of this node alone is not known: " + d.row.reason
	case d.Of.Local && !d.row.Figures[figAccumulatedAbs].Has:
		return "b was not run from its own inputs up to this value"
	}
	return d.WS.Busy()
}

func (d *BesideDialog) nextView() { d.Shown = (d.Shown + 1) % besideViews }

// turn changes the axes of the heat map. Its cursor then goes to the first cell.
func (d *BesideDialog) turn(turn func(*tensors.Axes)) {
	turn(d.Axes)
	d.Cursor.Row, d.Cursor.Column = 0, 0
}

// toggleLocal computes b from the values of a, or from its own inputs again.
func (d *BesideDialog) toggleLocal() tea.Cmd {
	d.Of.Local = !d.Of.Local
	return d.ask()
}

// close closes the dialog, and cancels its job and its background work.
func (d *BesideDialog) close() {
	d.passes.End()
	if d.IsRunning() && d.WS.Jobs.Running() == d.job {
		d.WS.Jobs.Cancel()
	}
	d.step, d.Pair = nil, nil
	d.WS.Host.Close(d)
}

// leave goes to the node that computes the value.
func (d *BesideDialog) leave() tea.Cmd {
	d.close()
	for _, other := range d.WS.Host.Opened() {
		if t, ok := other.(*ValidationDialog); ok {
			goal, _ := t.Goal(&d.row)
			d.WS.Host.Close(t)
			d.WS.Host.Look(workspace.PlaceNodes)
			return d.WS.Jump(goal)
		}
	}
	return nil
}

// Interrupted implements shell.Worker. It stops reading for the current view. The job that computes the
// values is cancelled in the same way as all jobs.
func (d *BesideDialog) Interrupted() bool { return d.passes.Stop() }

// Clicked implements shell.Pointed. It moves the cursor of the heat map, or selects another view.
func (d *BesideDialog) Clicked(x, y int) tea.Cmd {
	g := d.grid()
	if y == 0 {
		for i, title := range besideTitles {
			if x -= len(title) + 3; x < 0 {
				d.Shown = BesideView(i)
				break
			}
		}
		return nil
	}
	if g == nil || d.Shown != BesideHeat {
		return nil
	}
	wide, tall := tensors.CellSize(g.Rows, g.Columns, d.W, d.BodyHeight()-tensors.HeatHead)
	row, column := (y-BesideHead-tensors.HeatHead)/tall, x/wide
	if y >= BesideHead+tensors.HeatHead && row < g.Rows && column < g.Columns {
		d.Cursor.Row, d.Cursor.Column = row, column
	}
	return nil
}

// Wheeled implements shell.Pointed. Nothing scrolls.
func (d *BesideDialog) Wheeled(int) {}

// Sync implements shell.Dialog. It requests a heat map of the right size, and draws.
func (d *BesideDialog) Sync(w, h int) tea.Cmd {
	d.W, d.h = w, h
	var cmd tea.Cmd
	q, f := d.heatInquiry()
	var a *tensors.Answered
	if f == nil {
		d.passes.End()
	} else if a = d.passes.Answer(q); a == nil {
		cmd = d.passes.Begin(d.WS, q, f, func(*tensors.Answered) {})
	}
	if g := d.grid(); g != nil {
		d.Cursor.Row, d.Cursor.Column = min(d.Cursor.Row, max(g.Rows-1, 0)), min(d.Cursor.Column, max(g.Columns-1, 0))
	}
	key := besideKey{
		d.Shown, d.Pair, a, d.Scaled[d.Shown], d.Cursor.Row, d.Cursor.Column, w, h,
		d.WS.Styles, d.WS.Options.Settings.ASCII,
	}
	waits := d.Shown == BesideHeat && a == nil && d.made.shown == BesideHeat && d.made.pair == d.Pair && d.made.answer != nil
	if key != d.made && !waits { // keep the last map until the one for other axes is ready
		d.made, d.body = key, nil
		if d.Pair != nil && d.Pair.Why == "" {
			d.body = d.draw(a)
		}
	}
	return cmd
}

// Said implements shell.Pane.
func (d *BesideDialog) Said() string {
	words := []string{d.Title(), besideTitles[d.Shown]}
	switch {
	case d.Pair != nil:
		words = append(words, d.Pair.gist())
		if d.Shown == BesideHeat {
			words = append(words, d.atCursor())
		}
	default:
		words = append(words, d.waiting()...)
	}
	return strings.Join(words, "\n")
}

// waiting shows the progress of the values, or why they are missing.
func (d *BesideDialog) waiting() []string {
	again := d.WS.Keys.Key(PlaceBeside, tensors.ActionReadAgain) + " runs it again"
	switch {
	case d.IsRunning():
		return append(d.job.Status(max(d.W-2, 1)), d.WS.Keys.Key(shell.PlaceAlways, workspace.ActionInterrupt)+" stops it")
	case errors.Is(d.err, context.Canceled):
		return []string{"stopped; " + again}
	case d.err != nil:
		return append([]string{again, ""}, tensors.TroubleLines(d.err, max(d.W, 1))...)
	}
	return []string{again}
}
