package tui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/tensors"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

const placeBeside actions.Place = "two-values"

func besideActions() []actions.Action {
	type it = *besideDialog
	show := func(v besideView) func(it) { return func(d it) { d.shown = v } }
	move := func(rows, columns int) func(it) {
		return func(d it) { d.cursor.row, d.cursor.column = d.cursor.row+rows, d.cursor.column+columns }
	}
	turn := func(turn func(*tensors.Axes)) func(it) { return func(d it) { d.turn(turn) } }
	index := func(by int64) func(it) { return func(d it) { d.axes.Step(by) } }
	return actions.Of([]actions.Row[it]{
		actions.Now("errors", "histogram of the errors", actions.Keys("H"), show(besideErrors)),
		actions.Now("both-values", "histograms of both values", actions.Keys("V"), show(besideValues)),
		actions.Now("scatter", "scatter of a against b", actions.Keys("S"), show(besideScatter)),
		actions.Now(tensors.ActionHeatMap, "heat map: where the errors are", actions.Keys("T"), show(besideHeat)),
		actions.Now("next-view", "next of these", actions.Keys("m", "tab"), it.nextView),
		actions.Now("cell-down", "heat map: down", actions.Keys("j", "down"), move(1, 0), it.mapRefusal, it.lastRowRefusal),
		actions.Now("cell-up", "heat map: up", actions.Keys("k", "up"), move(-1, 0), it.mapRefusal, it.firstRowRefusal),
		actions.Now("cell-left", "heat map: left", actions.Keys("h", "left"), move(0, -1), it.mapRefusal, it.firstColumnRefusal),
		actions.Now("cell-right", "heat map: right", actions.Keys("l", "right"), move(0, 1), it.mapRefusal, it.lastColumnRefusal),
		actions.Now("axis-down", "another axis down", actions.Keys("r"), turn((*tensors.Axes).TurnDown), it.mapRefusal, it.turnRefusal),
		actions.Now("axis-across", "another axis across", actions.Keys("c"), turn((*tensors.Axes).TurnAcross), it.mapRefusal, it.turnRefusal),
		actions.Now("transpose", "swap rows and columns", actions.Keys("x"), turn((*tensors.Axes).Transpose), it.mapRefusal, it.scalarRefusal),
		actions.Now("held-axis", "select another axis for the keys , and .", actions.Keys(";"), func(d it) { d.axes.NextHeld() }, it.mapRefusal, it.heldRefusal),
		actions.Now("index-after", "next index of the selected axis", actions.Keys("."), index(1), it.mapRefusal, it.heldRefusal),
		actions.Now("index-before", "previous index of the selected axis", actions.Keys(","), index(-1), it.mapRefusal, it.heldRefusal),
		actions.Now("scale", "logarithmic or linear scale", actions.Keys("z"), func(d it) { d.scaled[d.shown] = !d.scaled[d.shown] }, it.scaleRefusal),
		actions.New("own-inputs", "layers: b computed from a's values, or from its own", actions.Keys("a"), it.toggleLocal, it.ownRefusal),
		actions.New(shell.ActionAccept, "go to the node", actions.Keys("enter"), it.leave, it.leaveRefusal),
		actions.New(tensors.ActionReadAgain, "run it again", actions.Keys("A"), it.ask, func(d it) string { return d.WS.Busy() }),
		actions.Now(shell.ActionClose, "close", actions.Keys("esc", "q"), it.close),
		shell.HelpRow[it](),
	})
}

// besideView is a way to look at two values.
type besideView uint8

// The views.
const (
	besideErrors besideView = iota
	besideValues
	besideScatter
	besideHeat
	besideViews
)

var besideTitles = [besideViews]string{"errors", "values", "scatter", "heat map"}

// besideDialog shows the values that two models compute at the same point: as histograms, scatter
// plot or heat map. When it opens, a job computes the values again, because the comparison kept
// only numbers about them.
type besideDialog struct {
	workspace.Attached
	v    *validation
	row  validationRow
	of   session.ComparedValue
	step *besideStep // the latest one
	job  *workspace.Job
	pair *valuePair // nil until it is computed
	err  error

	shown  besideView
	scaled [besideViews]bool
	axes   *tensors.Axes
	passes tensors.Passes
	cursor struct{ row, column int }
	made   besideKey
	body   []string
	w, h   int
}

// besideKey identifies what the lines of a view depend on.
type besideKey struct {
	shown       besideView
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
	d := &besideDialog{Attached: workspace.Attached{WS: ws}, v: v, row: *r, of: r.of}
	d.scaled[besideHeat] = true
	ws.Host.Open(d)
	return d.ask()
}

// ask starts to compute the values again.
func (d *besideDialog) ask() tea.Cmd {
	ws := d.WS
	d.pair, d.err, d.axes = nil, nil, nil
	d.cursor.row, d.cursor.column = 0, 0
	d.passes.End()
	s := &besideStep{from: d.v.SideBySide, of: d.of}
	d.step = s
	d.job = &workspace.Job{Name: besideName, Command: d.v.command, Table: tableOf(d.v), Settle: func(err error) tea.Cmd {
		d.settle(s, err)
		return nil
	}}
	return ws.Start(s, d.job)
}

// settle takes the values that a job computed, unless a newer job has been started. If the job
// failed, it keeps the error.
func (d *besideDialog) settle(s *besideStep, err error) {
	pair := s.pair
	s.pair = nil // the list of jobs keeps the job, but not the values
	if s != d.step {
		return
	}
	if d.err = err; err != nil {
		return
	}
	d.pair = pair
	if pair.a != nil {
		d.axes = tensors.HeatAxes(pair.a.Dims())
	}
}

func (d *besideDialog) Place() actions.Place          { return placeBeside }
func (d *besideDialog) Box(s shell.Screen) cells.Rect { return s.Body }

func (d *besideDialog) Title() string {
	words := "a and b: " + d.row.called()
	switch {
	case d.of.Output != "":
		words += " in case " + cells.Label(d.of.Case)
	case d.of.Local:
		words += ", b from a's values"
	default:
		words += ", each from its own inputs"
	}
	return words
}

// isRunning reports whether the values are being computed.
func (d *besideDialog) isRunning() bool { return d.job != nil && d.job.State == workspace.JobRunning }

func (d *besideDialog) leaveRefusal() string {
	_, why := (&validationDialog{Attached: d.Attached, validation: d.v}).goal(&d.row)
	return why
}

func (d *besideDialog) scaleRefusal() string {
	return actions.Unless(d.shown != besideScatter, "a scatter plot has no logarithmic scale")
}

// mapRefusal explains why there is no heat map on screen.
func (d *besideDialog) mapRefusal() string {
	g := d.grid()
	switch {
	case d.shown != besideHeat:
		return "only the heat map has a cursor and axes; " + d.WS.Keys.Key(placeBeside, tensors.ActionHeatMap) + " shows it"
	case g == nil || d.axes == nil || len(g.Cells) == 0:
		return "there is no heat map"
	}
	return ""
}

func (d *besideDialog) firstRowRefusal() string {
	return actions.Unless(d.cursor.row > 0, "this is the first row")
}

func (d *besideDialog) lastRowRefusal() string {
	return actions.Unless(d.cursor.row < d.grid().Rows-1, "this is the last row")
}

func (d *besideDialog) firstColumnRefusal() string {
	return actions.Unless(d.cursor.column > 0, "this is the first column")
}

func (d *besideDialog) lastColumnRefusal() string {
	return actions.Unless(d.cursor.column < d.grid().Columns-1, "this is the last column")
}

func (d *besideDialog) scalarRefusal() string { return d.axes.ScalarRefusal() }
func (d *besideDialog) turnRefusal() string   { return d.axes.TurnRefusal() }

func (d *besideDialog) heldRefusal() string {
	return actions.Unless(d.axes.Held != tensor.NoAxis, "both axes are on the screen; there is no other")
}

func (d *besideDialog) ownRefusal() string {
	switch {
	case d.of.Output != "":
		return "an output is always computed from each model's own inputs"
	case !d.of.Local && !d.row.figures[figMaxAbs].has:
		return "the error of this node alone is not known: " + d.row.reason
	case d.of.Local && !d.row.figures[figAccumulatedAbs].has:
		return "b was not run from its own inputs up to this value"
	}
	return d.WS.Busy()
}

func (d *besideDialog) nextView() { d.shown = (d.shown + 1) % besideViews }

// turn changes the axes of the heat map. Its cursor then goes to the first cell.
func (d *besideDialog) turn(turn func(*tensors.Axes)) {
	turn(d.axes)
	d.cursor.row, d.cursor.column = 0, 0
}

// toggleLocal computes b from the values of a, or from its own inputs again.
func (d *besideDialog) toggleLocal() tea.Cmd {
	d.of.Local = !d.of.Local
	return d.ask()
}

// close closes the dialog, and cancels its job and its background work.
func (d *besideDialog) close() {
	d.passes.End()
	if d.isRunning() && d.WS.Jobs.Running() == d.job {
		d.WS.Jobs.Cancel()
	}
	d.step, d.pair = nil, nil
	d.WS.Host.Close(d)
}

// leave goes to the node that computes the value.
func (d *besideDialog) leave() tea.Cmd {
	d.close()
	for _, other := range d.WS.Host.Opened() {
		if t, ok := other.(*validationDialog); ok {
			goal, _ := t.goal(&d.row)
			d.WS.Host.Close(t)
			d.WS.Host.Look(workspace.PlaceNodes)
			return d.WS.Jump(goal)
		}
	}
	return nil
}

// Interrupted implements worker. It stops reading for the current view. The job that computes the
// values is cancelled in the same way as all jobs.
func (d *besideDialog) Interrupted() bool { return d.passes.Stop() }

// Clicked implements pointed. It moves the cursor of the heat map, or selects another view.
func (d *besideDialog) Clicked(x, y int) tea.Cmd {
	g := d.grid()
	if y == 0 {
		for i, title := range besideTitles {
			if x -= len(title) + 3; x < 0 {
				d.shown = besideView(i)
				break
			}
		}
		return nil
	}
	if g == nil || d.shown != besideHeat {
		return nil
	}
	wide, tall := tensors.CellSize(g.Rows, g.Columns, d.w, d.bodyHeight()-tensors.HeatHead)
	row, column := (y-besideHead-tensors.HeatHead)/tall, x/wide
	if y >= besideHead+tensors.HeatHead && row < g.Rows && column < g.Columns {
		d.cursor.row, d.cursor.column = row, column
	}
	return nil
}

// Wheeled implements pointed. Nothing scrolls.
func (d *besideDialog) Wheeled(int) {}

// Sync implements dialog. It requests a heat map of the right size, and draws.
func (d *besideDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	var cmd tea.Cmd
	q, f := d.heatInquiry()
	var a *tensors.Answered
	if f == nil {
		d.passes.End()
	} else if a = d.passes.Answer(q); a == nil {
		cmd = d.passes.Begin(d.WS, q, f, func(*tensors.Answered) {})
	}
	if g := d.grid(); g != nil {
		d.cursor.row, d.cursor.column = min(d.cursor.row, max(g.Rows-1, 0)), min(d.cursor.column, max(g.Columns-1, 0))
	}
	key := besideKey{
		d.shown, d.pair, a, d.scaled[d.shown], d.cursor.row, d.cursor.column, w, h,
		d.WS.Styles, d.WS.Options.Settings.ASCII,
	}
	waits := d.shown == besideHeat && a == nil && d.made.shown == besideHeat && d.made.pair == d.pair && d.made.answer != nil
	if key != d.made && !waits { // keep the last map until the one for other axes is ready
		d.made, d.body = key, nil
		if d.pair != nil && d.pair.why == "" {
			d.body = d.draw(a)
		}
	}
	return cmd
}

func (d *besideDialog) Said() string {
	words := []string{d.Title(), besideTitles[d.shown]}
	switch {
	case d.pair != nil:
		words = append(words, d.pair.gist())
		if d.shown == besideHeat {
			words = append(words, d.atCursor())
		}
	default:
		words = append(words, d.waiting()...)
	}
	return strings.Join(words, "\n")
}

// waiting shows the progress of the values, or why they are missing.
func (d *besideDialog) waiting() []string {
	again := d.WS.Keys.Key(placeBeside, tensors.ActionReadAgain) + " runs it again"
	switch {
	case d.isRunning():
		return append(d.job.Status(max(d.w-2, 1)), d.WS.Keys.Key(shell.PlaceAlways, workspace.ActionInterrupt)+" stops it")
	case errors.Is(d.err, context.Canceled):
		return []string{"stopped; " + again}
	case d.err != nil:
		return append([]string{again, ""}, tensors.TroubleLines(d.err, max(d.w, 1))...)
	}
	return []string{again}
}
