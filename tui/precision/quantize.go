package precision

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/session"
	"lathe/session/inputs"
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
	PlaceQuantize actions.Place = "quantize"

	ActionQuantize actions.Name = "quantize"
	ActionData     actions.Name = "samples"
	actionOutputs  actions.Name = "measure-outputs"
	actionCompare  actions.Name = "compare-modes"
	actionMode     actions.Name = "next-mode"
)

// QuantizeActions are the actions of the dialog of what to quantize.
func QuantizeActions() []actions.Action {
	type it = *QuantizeDialog
	return actions.Moving(func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.New(shell.ActionToggle, "tick", actions.Keys("space"), it.tick, it.tickRefusal),
		actions.New(shell.ActionTake, "quantize what is ticked", actions.Keys("enter", "a"), it.take, it.takeRefusal),
		actions.New("tick-all", "tick all, or none", actions.Keys("A"), it.tickAll, it.tickAllRefusal),
		actions.New(shell.ActionLookAt, "histogram of a weight or activation", actions.Keys("o"), func(d it) tea.Cmd { return openSpread(d.WS, d, d.At()) }, it.lookRefusal),
		actions.New(shell.ActionAside, "go to the node and highlight those that are ticked", actions.Keys("v"), it.leave, it.asideRefusal),
		actions.New(actionMode, "next mode: dynamic, static, float16 …", actions.Keys("m"), it.nextMode),
		actions.New("next-weight-type", "next type of weights", actions.Keys("t"), it.nextWeightType, it.weightTypeRefusal),
		actions.New("per-channel", "a scale for each channel, or one for all", actions.Keys("c"), it.togglePerChannel, it.perChannelRefusal),
		actions.Now(ActionData, "a file of samples, to find ranges and to measure the error", actions.Keys("d"), it.askData),
		actions.New(actionOutputs, "measure what each node costs at the outputs of the model", actions.Keys("S"), it.measureOutputs, it.outputsRefusal),
		actions.New(actionCompare, "compare all modes: size, latency, error, accuracy", actions.Keys("C"), it.compareModes, it.compareRefusal),
		actions.New(shell.ActionSort, "sort: as in the graph, by bytes, by error, by cost at the outputs", actions.Keys("s"), it.nextOrder),
		actions.New(shell.ActionCopy, "copy the command", actions.Keys("y"), it.copy, it.copyRefusal),
		actions.New(shell.ActionEdit, "all options", actions.Keys("e"), it.edit, it.editRefusal),
		actions.New(shell.ActionCancel, "stop measuring weights, or continue", actions.Keys("x"), it.stopOrGoOn, it.stopRefusal),
		actions.New(shell.ActionClose, "close", actions.Keys("esc", "q"), it.close),
		shell.HelpRow[it](),
	})
}

// QuantizeDialog lists the nodes that would be quantized. Each can be switched on or off. The
// dialog shows the size of the result and how much error each weight gets.
type QuantizeDialog struct {
	workspace.Attached
	Base     *graphops.Model // the model of the answers
	Settings quantizeSettings

	Question task.Task[quantizeAnswer]
	Ticks    *QuantizeTicks // nil until the nodes are known
	before   *QuantizeTicks // those of the previous settings, until then
	Err      error
	Stopped  bool  // the person cancelled the last draft
	Exact    int64 // the exact size in the last answer
	include  []string
	Exclude  []string
	warnings []string // about what is ticked

	Reading  task.Task[[]*Fidelity]
	sorting  task.Task[[]int32]
	Known    map[*quant.DraftWeight]*Fidelity
	Measured int // number of measured weights
	shared   int // and of those that the list of nodes shows

	order int
	lines []int32 // positions of the candidates
	Rows  list.Window
	W, h  int
}

// lastQuantize is the dialog when it was last closed, nil if it never was.
var lastQuantize workspace.Slot[*QuantizeDialog]

// OpenQuantize shows the list again if the person left it to look at a node, or else a new one. For
// a step without a draft it opens the form.
func OpenQuantize(ws *workspace.Workspace) tea.Cmd {
	if d, ok := workspace.PutAside(ws).(*QuantizeDialog); ok {
		ws.Host.Open(d)
		return nil
	}
	names := quantizeSteps(ws)
	if _, ok := ws.NewStep(names[0]).(drafting); !ok {
		return forms.OpenForm(ws, names[0])
	}
	d := &QuantizeDialog{Attached: workspace.Attached{WS: ws}, Known: map[*quant.DraftWeight]*Fidelity{}}
	d.Settings.Step = names[0]
	if kept := *lastQuantize.In(ws); kept != nil && kept.Base == ws.Model() {
		d.Settings, d.before, d.order = kept.Settings, kept.Ticks, kept.order
	}
	ws.Host.Open(d)
	return d.ask(true)
}

// newStep returns a new step for the selected mode, such as dynamic or static.
func (d *QuantizeDialog) newStep() session.Step { return d.WS.NewStep(d.Settings.Step) }

func (d *QuantizeDialog) hasWeightTypes() bool {
	return workspace.HasOption(d.newStep(), "weight-type")
}

// Step returns a step with the settings of the dialog and the selected nodes. It names no output
// file, so the result becomes the model in the workbench.
func (d *QuantizeDialog) step() (session.Step, error) {
	s := d.newStep()
	return s, cmp.Or(d.Settings.apply(s), workspace.SetOption(s, "include", d.include...), workspace.SetOption(s, "exclude", d.Exclude...))
}

// writingStep returns the same step with an output file. The command and the form need one.
func (d *QuantizeDialog) writingStep() (session.Step, error) {
	s, err := d.step()
	if d.Ticks != nil {
		err = cmp.Or(err, workspace.SetOutput(s, d.Ticks.Found.out))
	}
	return s, err
}

// Place implements shell.Pane.
func (d *QuantizeDialog) Place() actions.Place { return PlaceQuantize }

// Title implements shell.Dialog.
func (d *QuantizeDialog) Title() string { return "quantize: which nodes" }

// Box implements shell.Dialog.
func (d *QuantizeDialog) Box(s shell.Screen) cells.Rect { return s.Body }

// Wheeled implements shell.Pointed.
func (d *QuantizeDialog) Wheeled(by int) { d.Rows.Scroll(by) }

// About implements workspace.Leavable.
func (d *QuantizeDialog) About() *graphops.Model { return d.Base }

// Here returns the position of the candidate at the cursor, or -1.
func (d *QuantizeDialog) Here() int {
	if d.Ticks == nil || d.Rows.Cursor >= len(d.lines) {
		return -1
	}
	return int(d.lines[d.Rows.Cursor])
}

// At returns the candidate at the cursor, or nil.
func (d *QuantizeDialog) At() *quant.Candidate {
	if i := d.Here(); i >= 0 {
		return &d.Ticks.Found.Candidates[i]
	}
	return nil
}

func (d *QuantizeDialog) isBusy() bool { return d.Question.IsOpen() || d.Reading.IsOpen() }

// tick switches the node at the cursor on or off.
func (d *QuantizeDialog) tick() tea.Cmd {
	d.Ticks.Toggle(int(d.Ticks.Found.Called[d.Here()]))
	return d.ask(false)
}

func (d *QuantizeDialog) nextMode() tea.Cmd {
	d.Settings.Step = next(quantizeSteps(d.WS), d.Settings.Step)
	d.Settings.Weights = ""
	return d.ask(true)
}

func (d *QuantizeDialog) nextWeightType() tea.Cmd {
	d.Settings.Weights = next(d.WeightTypes(), cmp.Or(d.Settings.Weights, "int8"))
	return d.ask(true)
}

func (d *QuantizeDialog) togglePerChannel() tea.Cmd {
	d.Settings.PerChannel = !d.Settings.PerChannel
	return d.ask(true)
}

func (d *QuantizeDialog) nextOrder() tea.Cmd {
	d.order = (d.order + 1) % quantizeOrders
	if d.order == quantizeByCost && d.costs() == nil {
		d.order = quantizeByGraph
	}
	return d.arrange()
}

// next returns the following element of a list, and the first after the last.
func next(all []string, now string) string {
	return all[(slices.Index(all, now)+1)%len(all)]
}

// WeightTypes returns the weight types of the mode.
func (d *QuantizeDialog) WeightTypes() []string {
	o, _ := workspace.OptionNamed(d.newStep(), "weight-type")
	return o.Choices
}

// tickAll switches all nodes on, or off if all are on.
func (d *QuantizeDialog) tickAll() tea.Cmd {
	all := d.Ticks.Out > 0
	for i, off := range d.Ticks.off {
		if off == all {
			d.Ticks.Toggle(i)
		}
	}
	return d.ask(false)
}

// take runs the step and shows its progress.
func (d *QuantizeDialog) take() tea.Cmd {
	s, err := d.step()
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	cmd := d.close()
	cmd = tea.Batch(cmd, d.WS.Run(s))
	d.WS.Host.Open(forms.NewResultsDialog(d.WS))
	return cmd
}

func (d *QuantizeDialog) copy() tea.Cmd {
	s, err := d.writingStep()
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	return d.WS.Copy(session.CommandOf(s, d.WS.Options.Path))
}

// edit opens the form of the step with the selected nodes filled in, for options that the dialog
// does not have. The person can return to the dialog.
func (d *QuantizeDialog) edit() tea.Cmd {
	s, err := d.writingStep()
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	d.Reading.Stop()
	d.WS.Host.Close(d)
	d.WS.Aside = d
	f, cmd := forms.NewForm(d.WS, s, nil)
	return tea.Batch(cmd, f.AvoidExisting(), d.share())
}

// askData asks for the file of samples.
func (d *QuantizeDialog) askData() {
	d.WS.Host.Open(shell.NewPathPrompt(d.WS.Host, "samples: an .npz file, a folder of .npy files or test data; leave empty for none", d.Settings.Data, inputs.FileKinds, func(path string) tea.Cmd {
		d.Settings.Data = path
		return d.ask(true)
	}))
}

// stopOrGoOn stops the work that is running. If none is, it continues: it makes the draft again, or
// else measures the weights that have not been measured.
func (d *QuantizeDialog) stopOrGoOn() tea.Cmd {
	switch {
	case d.Interrupted():
		return nil
	case d.Ticks == nil, d.Stopped:
		return d.ask(d.Ticks == nil)
	}
	return d.measure()
}

// Interrupted implements shell.Worker.
func (d *QuantizeDialog) Interrupted() bool {
	if d.Reading.Stop() {
		return true
	}
	if !d.Question.Stop() {
		return false
	}
	d.Stopped = true
	return true
}

// close keeps the selection for this model.
func (d *QuantizeDialog) close() tea.Cmd {
	d.Question.Stop()
	d.Reading.Stop()
	*lastQuantize.In(d.WS) = d
	workspace.Dismiss(d.WS, d)
	return d.share()
}

// leave goes to the node at the cursor and highlights all selected nodes.
func (d *QuantizeDialog) leave() tea.Cmd {
	ws, f := d.WS, d.Ticks.Found
	ws.Aside = d
	ticked, goal, ticks := "ticked nodes", d.spotOf(d.At()), d.Ticks.copy()
	d.WS.Host.Close(d)
	d.WS.Host.Look(workspace.PlaceNodes)
	ws.Log.Say(fmt.Sprintf("%s leads back, %s to the next", ws.Keys.Key(shell.PlaceMain, ActionQuantize), ws.Keys.Key(shell.PlaceMain, search.ActionNextMatch)))
	m := d.Base
	find := func(context.Context) []graph.Spot { return f.spots(m, ticks) }
	return tea.Batch(ws.Jump(goal), d.share(), workspace.Once(ws, "finding the ticked nodes", find, func(spots []graph.Spot) tea.Cmd {
		if m != ws.Model() {
			return nil
		}
		return ws.StandOut(ticked, spots)
	}))
}

// SetLines shows another order of nodes. The cursor keeps its position if the number of nodes is
// the same, otherwise it goes to the first.
func (d *QuantizeDialog) SetLines(lines []int32) {
	row := d.Rows.Cursor
	if len(d.lines) != len(lines) {
		row = 0
	}
	d.lines = lines
	d.Rows.Reset(len(lines), row)
}

// Clicked implements shell.Pointed. A click on the box switches the node on or off. A click on the line
// selects it, and on the selected line it goes to the node.
func (d *QuantizeDialog) Clicked(x, y int) tea.Cmd {
	from, to := d.Rows.Visible()
	row := from + y - len(d.Head(d.W))
	if row < from || row >= to {
		return nil
	}
	again := d.Rows.Cursor == row
	d.Rows.MoveTo(row)
	switch {
	case x < len("[x]"):
		return d.WS.Host.Perform(d, shell.ActionToggle)
	case again:
		return d.WS.Host.Perform(d, shell.ActionLookAt)
	}
	return nil
}

// Sync implements shell.Dialog. It makes a new draft if the visible model has changed.
func (d *QuantizeDialog) Sync(w, h int) tea.Cmd {
	var cmd tea.Cmd
	if d.Base != d.WS.Model() {
		cmd = d.ask(true)
	}
	d.W, d.h = w, h
	d.Rows.Resize(max(d.h-len(d.Head(w))-d.foot(), 1))
	return cmd
}
