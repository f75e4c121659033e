package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/search"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

const (
	placeQuantize actions.Place = "quantize"

	actionQuantize actions.Name = "quantize"
	actionData     actions.Name = "samples"
)

func quantizeActions() []actions.Action {
	type it = *quantizeDialog
	return shell.Closable("close", it.close, func(d it, m list.Motion) { d.rows.Act(m) }, []actions.Row[it]{
		actions.New(shell.ActionToggle, "tick", actions.Keys("space"), it.tick, it.tickRefusal),
		actions.New(shell.ActionTake, "quantize what is ticked", actions.Keys("enter", "a"), it.take, it.takeRefusal),
		actions.New("tick-all", "tick all, or none", actions.Keys("A"), it.tickAll, it.tickAllRefusal),
		actions.New(shell.ActionLookAt, "histogram of a weight or activation", actions.Keys("o"), func(d it) tea.Cmd { return openSpread(d.WS, d, d.at()) }, it.lookRefusal),
		actions.New(shell.ActionAside, "go to the node and highlight those that are ticked", actions.Keys("v"), it.leave, it.asideRefusal),
		actions.New("next-mode", "next mode: dynamic, static, float16 …", actions.Keys("m"), it.nextMode),
		actions.New("next-weight-type", "next type of weights", actions.Keys("t"), it.nextWeightType, it.weightTypeRefusal),
		actions.New("per-channel", "a scale for each channel, or one for all", actions.Keys("c"), it.togglePerChannel, it.perChannelRefusal),
		actions.Now(actionData, "a file of samples, to find ranges and to measure the error", actions.Keys("d"), it.askData),
		actions.New(shell.ActionSort, "sort: as in the graph, by bytes, by error", actions.Keys("s"), it.nextOrder),
		actions.New(shell.ActionCopy, "copy the command", actions.Keys("y"), it.copy, it.copyRefusal),
		actions.New(shell.ActionEdit, "all options", actions.Keys("e"), it.edit, it.editRefusal),
		actions.New(shell.ActionCancel, "stop measuring weights, or continue", actions.Keys("x"), it.stopOrGoOn, it.stopRefusal),
	})
}

// quantizeDialog lists the nodes that would be quantized. Each can be switched on or off. The
// dialog shows the size of the result and how much error each weight gets.
type quantizeDialog struct {
	workspace.Attached
	base     *graphops.Model // the model of the answers
	settings quantizeSettings

	question task.Task[quantizeAnswer]
	ticks    *quantizeTicks // nil until the nodes are known
	before   *quantizeTicks // those of the previous settings, until then
	err      error
	stopped  bool  // the person cancelled the last draft
	exact    int64 // the exact size in the last answer
	include  []string
	exclude  []string

	reading  task.Task[[]*fidelity]
	sorting  task.Task[[]int32]
	known    map[*quant.DraftWeight]*fidelity
	measured int // number of measured weights

	order int
	lines []int32 // positions of the candidates
	rows  list.Window
	w, h  int
}

// lastQuantize is the dialog when it was last closed, nil if it never was.
var lastQuantize workspace.Slot[*quantizeDialog]

// openQuantize shows the list again if the person left it to look at a node, or else a new one. For
// a step without a draft it opens the form.
func openQuantize(ws *workspace.Workspace) tea.Cmd {
	if d, ok := workspace.PutAside(ws).(*quantizeDialog); ok {
		ws.Host.Open(d)
		return nil
	}
	names := quantizeSteps(ws)
	if _, ok := ws.NewStep(names[0]).(drafting); !ok {
		return forms.OpenForm(ws, names[0])
	}
	d := &quantizeDialog{Attached: workspace.Attached{WS: ws}, known: map[*quant.DraftWeight]*fidelity{}}
	d.settings.step = names[0]
	if kept := *lastQuantize.In(ws); kept != nil && kept.base == ws.Model() {
		d.settings, d.before, d.order = kept.settings, kept.ticks, kept.order
	}
	ws.Host.Open(d)
	return d.ask(true)
}

// newStep returns a new step for the selected mode, such as dynamic or static.
func (d *quantizeDialog) newStep() session.Step { return d.WS.NewStep(d.settings.step) }

func (d *quantizeDialog) hasWeightTypes() bool {
	return workspace.HasOption(d.newStep(), "weight-type")
}

// step returns a step with the settings of the dialog and the selected nodes. It names no output
// file, so the result becomes the model in the workbench.
func (d *quantizeDialog) step() (session.Step, error) {
	s := d.newStep()
	return s, cmp.Or(d.settings.apply(s), workspace.SetOption(s, "include", d.include...), workspace.SetOption(s, "exclude", d.exclude...))
}

// writingStep returns the same step with an output file. The command and the form need one.
func (d *quantizeDialog) writingStep() (session.Step, error) {
	s, err := d.step()
	if d.ticks != nil {
		err = cmp.Or(err, workspace.SetOutput(s, d.ticks.found.out))
	}
	return s, err
}

func (d *quantizeDialog) Place() actions.Place          { return placeQuantize }
func (d *quantizeDialog) Title() string                 { return "quantize: which nodes" }
func (d *quantizeDialog) Box(s shell.Screen) cells.Rect { return s.Body }
func (d *quantizeDialog) Wheeled(by int)                { d.rows.Scroll(by) }
func (d *quantizeDialog) About() *graphops.Model        { return d.base }

// here returns the position of the candidate at the cursor, or -1.
func (d *quantizeDialog) here() int {
	if d.ticks == nil || d.rows.Cursor >= len(d.lines) {
		return -1
	}
	return int(d.lines[d.rows.Cursor])
}

// at returns the candidate at the cursor, or nil.
func (d *quantizeDialog) at() *quant.Candidate {
	if i := d.here(); i >= 0 {
		return &d.ticks.found.Candidates[i]
	}
	return nil
}

func (d *quantizeDialog) isBusy() bool { return d.question.IsOpen() || d.reading.IsOpen() }

// tick switches the node at the cursor on or off.
func (d *quantizeDialog) tick() tea.Cmd {
	d.ticks.toggle(int(d.ticks.found.called[d.here()]))
	return d.ask(false)
}

func (d *quantizeDialog) nextMode() tea.Cmd {
	d.settings.step = next(quantizeSteps(d.WS), d.settings.step)
	d.settings.weights = ""
	return d.ask(true)
}

func (d *quantizeDialog) nextWeightType() tea.Cmd {
	d.settings.weights = next(d.weightTypes(), cmp.Or(d.settings.weights, "int8"))
	return d.ask(true)
}

func (d *quantizeDialog) togglePerChannel() tea.Cmd {
	d.settings.perChannel = !d.settings.perChannel
	return d.ask(true)
}

func (d *quantizeDialog) nextOrder() tea.Cmd {
	d.order = (d.order + 1) % quantizeOrders
	return d.arrange()
}

// next returns the following element of a list, and the first after the last.
func next(all []string, now string) string {
	return all[(slices.Index(all, now)+1)%len(all)]
}

// weightTypes returns the weight types of the mode.
func (d *quantizeDialog) weightTypes() []string {
	o, _ := workspace.OptionNamed(d.newStep(), "weight-type")
	return o.Choices
}

// tickAll switches all nodes on, or off if all are on.
func (d *quantizeDialog) tickAll() tea.Cmd {
	all := d.ticks.out > 0
	for i, off := range d.ticks.off {
		if off == all {
			d.ticks.toggle(i)
		}
	}
	return d.ask(false)
}

// take runs the step and shows its progress.
func (d *quantizeDialog) take() tea.Cmd {
	s, err := d.step()
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	d.close()
	cmd := d.WS.Run(s)
	d.WS.Host.Open(forms.NewResultsDialog(d.WS))
	return cmd
}

func (d *quantizeDialog) copy() tea.Cmd {
	s, err := d.writingStep()
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	return d.WS.Copy(session.CommandOf(s, d.WS.Options.Path))
}

// edit opens the form of the step with the selected nodes filled in, for options that the dialog
// does not have. The person can return to the dialog.
func (d *quantizeDialog) edit() tea.Cmd {
	s, err := d.writingStep()
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	d.reading.Stop()
	d.WS.Host.Close(d)
	d.WS.Aside = d
	f, cmd := forms.NewForm(d.WS, s, nil)
	return tea.Batch(cmd, f.AvoidExisting())
}

// askData asks for the file of samples.
func (d *quantizeDialog) askData() {
	d.WS.Host.Open(shell.NewPathPrompt(d.WS.Host, "samples: an .npz file, a folder of .npy files or test data; leave empty for none", d.settings.data, func(path string) tea.Cmd {
		d.settings.data = path
		return d.ask(true)
	}))
}

// stopOrGoOn stops the work that is running. If none is, it continues: it makes the draft again, or
// else measures the weights that have not been measured.
func (d *quantizeDialog) stopOrGoOn() tea.Cmd {
	switch {
	case d.Interrupted():
		return nil
	case d.ticks == nil, d.stopped:
		return d.ask(d.ticks == nil)
	}
	return d.measure()
}

// Interrupted implements worker.
func (d *quantizeDialog) Interrupted() bool {
	if d.reading.Stop() {
		return true
	}
	if !d.question.Stop() {
		return false
	}
	d.stopped = true
	return true
}

// close keeps the selection for this model.
func (d *quantizeDialog) close() {
	d.question.Stop()
	d.reading.Stop()
	*lastQuantize.In(d.WS) = d
	workspace.Dismiss(d.WS, d)
}

// leave goes to the node at the cursor and highlights all selected nodes.
func (d *quantizeDialog) leave() tea.Cmd {
	ws, f := d.WS, d.ticks.found
	ws.Aside = d
	ticked, goal, ticks := "ticked nodes", d.spotOf(d.at()), d.ticks.copy()
	d.WS.Host.Close(d)
	d.WS.Host.Look(workspace.PlaceNodes)
	ws.Log.Say(fmt.Sprintf("%s leads back, %s to the next", ws.Keys.Key(shell.PlaceMain, actionQuantize), ws.Keys.Key(shell.PlaceMain, search.ActionNextMatch)))
	m := d.base
	find := func(context.Context) []graph.Spot { return f.spots(m, ticks) }
	return tea.Batch(ws.Jump(goal), workspace.Once(ws, "finding the ticked nodes", find, func(spots []graph.Spot) tea.Cmd {
		if m != ws.Model() {
			return nil
		}
		return ws.StandOut(ticked, spots)
	}))
}

// setLines shows another order of nodes. The cursor keeps its position if the number of nodes is
// the same, otherwise it goes to the first.
func (d *quantizeDialog) setLines(lines []int32) {
	row := d.rows.Cursor
	if len(d.lines) != len(lines) {
		row = 0
	}
	d.lines = lines
	d.rows.Reset(len(lines), row)
}

// Clicked implements pointed. A click on the box switches the node on or off. A click on the line
// selects it, and on the selected line it goes to the node.
func (d *quantizeDialog) Clicked(x, y int) tea.Cmd {
	from, to := d.rows.Visible()
	row := from + y - len(d.head(d.w))
	if row < from || row >= to {
		return nil
	}
	again := d.rows.Cursor == row
	d.rows.MoveTo(row)
	switch {
	case x < len("[x]"):
		return d.WS.Host.Perform(d, shell.ActionToggle)
	case again:
		return d.WS.Host.Perform(d, shell.ActionLookAt)
	}
	return nil
}

// Sync implements dialog. It makes a new draft if the visible model has changed.
func (d *quantizeDialog) Sync(w, h int) tea.Cmd {
	var cmd tea.Cmd
	if d.base != d.WS.Model() {
		cmd = d.ask(true)
	}
	d.w, d.h = w, h
	d.rows.Resize(max(d.h-len(d.head(w))-d.foot(), 1))
	return cmd
}
