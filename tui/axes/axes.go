package axes

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/search"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

// PlaceChange is the place of the preview of a change of axes.
const PlaceChange actions.Place = "axes-change"

// ActionToNode is the action that goes to the node of a pin.
const ActionToNode actions.Name = "go-to-node"

const actionRepair actions.Name = "repair"

// The options of the step that a change of axes sets.
const (
	optionDynamic = "dynamic"
	optionFix     = "fix"
)

// ChangeActions are the actions of the preview of a change of axes.
func ChangeActions() []actions.Action {
	type it = *AxesDialog
	return shell.Closable("cancel", it.close, func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.New(shell.ActionAccept, "do it", actions.Keys("enter"), it.take, it.takeRefusal),
		actions.New(actionRepair, "repair the fixed sizes, or leave them", actions.Keys("r"), it.toggleRepair, it.repairRefusal),
		actions.New(ActionToNode, "go to the node", actions.Keys("o"), it.leave, it.leaveRefusal),
		actions.New(shell.ActionCopy, "copy the command", actions.Keys("y"), it.copyCommand, it.copyRefusal),
	})
}

// AxesDialog shows what a change of axes would do: the pins that it leaves, the pins that it
// repairs, and the inputs and outputs that change.
type AxesDialog struct {
	workspace.Attached
	option string // option of the step: optionDynamic or optionFix
	Values []string
	Repair bool            // repair pins, which a person can turn off
	base   *graphops.Model // the model of the preview

	question task.Task[axesPreview]
	err      error
	height   int // of the dialog
	pins     pinCounts
	graph.FindingList
}

// axesPreview is what a change of axes would do: the findings, and the numbers of pins.
type axesPreview struct {
	findings []graph.Finding
	pins     pinCounts
}

// pinCounts are the numbers of pins that a change of axes repairs and leaves.
type pinCounts struct {
	repaired, left int
}

// openAxes opens the preview of the step "axes", with the given values for one of its options.
func openAxes(ws *workspace.Workspace, option string, values []string) tea.Cmd {
	d := &AxesDialog{Attached: workspace.Attached{WS: ws}, option: option, Values: values, Repair: true}
	ws.Host.Open(d)
	return d.ask()
}

// step returns the step of the change, with or without repair of pins.
func (d *AxesDialog) step(repair bool) (session.Step, error) {
	s := d.WS.NewStep("axes")
	if err := workspace.SetOption(s, d.option, d.Values...); err != nil {
		return nil, err
	}
	if repair {
		return s, workspace.SetOption(s, "repair", "true")
	}
	return s, nil
}

// change returns the step that makes the previewed change. It asks for a repair only if there is
// something to repair, because a repair is proved by runs of the model.
func (d *AxesDialog) change() (session.Step, error) { return d.step(d.Repair && d.pins.repaired > 0) }

// ask starts a preview.
func (d *AxesDialog) ask() tea.Cmd {
	d.question.Stop()
	s, err := d.step(d.Repair)
	if err != nil {
		d.err = err
		return nil
	}
	ws := d.WS
	d.err, d.base, d.pins = nil, ws.Model(), pinCounts{}
	env, base := ws.QuietEnv(), d.base
	return d.question.Ask(ws.Tasks, task.Question[axesPreview]{
		Doing: "previewing axes",
		Work: func(ctx context.Context, _ task.Report) (axesPreview, error) {
			return previewAxes(ctx, s, env, base)
		},
		Take: func(p axesPreview, err error) tea.Cmd {
			d.pins, d.err = p.pins, err
			d.Set(p.findings)
			return nil
		},
	})
}

// previewAxes previews a change of axes. It returns the pins as findings, followed by the other lines
// of the report.
func previewAxes(ctx context.Context, s session.Step, env session.Env, m *graphops.Model) (axesPreview, error) {
	p, lines, err := workspace.PreviewOf(ctx, s, env, m)
	if err != nil {
		return axesPreview{}, err
	}
	var out axesPreview
	if r, ok := p.Report.(session.Finder); ok {
		out.findings = graph.PinsIn(m, r.Findings())
		out.pins.repaired, out.pins.left = workspace.CountPins(r.Findings())
		if lines, err = workspace.RestLines(r); err != nil {
			return axesPreview{}, err
		}
	}
	for _, line := range lines {
		out.findings = append(out.findings, graph.Finding{Text: line})
	}
	return out, nil
}

// Place implements shell.Pane.
func (d *AxesDialog) Place() actions.Place { return PlaceChange }

// Box implements shell.Dialog.
func (d *AxesDialog) Box(s shell.Screen) cells.Rect { return s.Body }

// Wheeled implements shell.Pointed.
func (d *AxesDialog) Wheeled(by int) { d.Rows.Scroll(by) }

// About implements workspace.Leavable.
func (d *AxesDialog) About() *graphops.Model { return d.base }

// Title implements shell.Dialog.
func (d *AxesDialog) Title() string {
	return cells.Prose(fmt.Sprintf("axes: %s %s", d.option, strings.Join(d.Values, ", ")))
}

func (d *AxesDialog) leaveRefusal() string {
	if d.question.IsOpen() {
		return "the search for fixed sizes is still running"
	}
	return actions.Unless(d.At().Leads(), graph.NoNode)
}

func (d *AxesDialog) takeRefusal() string {
	switch {
	case d.question.IsOpen():
		return "the preview is still running"
	case d.err != nil:
		return "the change is not possible: " + d.err.Error()
	}
	return d.WS.StepRefusal("axes")
}

// take changes the axes.
func (d *AxesDialog) take() tea.Cmd {
	d.close()
	s, _ := d.change() // the preview had no error
	return d.WS.Run(s)
}

func (d *AxesDialog) copyRefusal() string {
	_, err := d.change()
	return actions.Unless(err == nil, "the change is not possible")
}

// copyCommand copies the command that does the same.
func (d *AxesDialog) copyCommand() tea.Cmd {
	s, _ := d.change() // it has no error, or the action is refused
	return d.WS.Copy(session.CommandOf(s, d.WS.Options.Path))
}

func (d *AxesDialog) toggleRepair() tea.Cmd {
	d.Repair = !d.Repair
	return d.ask()
}

func (d *AxesDialog) repairRefusal() string {
	return actions.Unless(d.option == optionDynamic, "a symbol that becomes a number leaves no fixed size to repair")
}

func (d *AxesDialog) close() {
	d.question.Stop()
	workspace.Dismiss(d.WS, d)
}

// leave goes to the node of the pin at the cursor. The dialog is kept in ws.aside, so that a key
// can open it again.
func (d *AxesDialog) leave() tea.Cmd {
	ws := d.WS
	cmd := tea.Batch(ws.StandOut("fixed sizes", d.Spots()), workspace.GoToFinding(d.WS, d, d.At()))
	ws.Aside = d
	ws.Log.Say(fmt.Sprintf("%s goes back to the preview, %s to the next fixed size", ws.Keys.Key(shell.PlaceMain, workspace.ActionPins), ws.Keys.Key(shell.PlaceMain, search.ActionNextMatch)))
	return cmd
}

// Clicked implements shell.Pointed. A click selects the line, and on the selected line it goes to the
// node.
func (d *AxesDialog) Clicked(_, y int) tea.Cmd {
	if d.PointAt(y - len(d.head(d.W))) {
		return d.WS.Host.Perform(d, ActionToNode)
	}
	return nil
}

// Sync implements shell.Pane.
func (d *AxesDialog) Sync(w, h int) tea.Cmd {
	d.height = h
	d.Resize(w, h-len(d.head(w)))
	if d.base != d.WS.Model() && d.err == nil {
		return d.ask()
	}
	return nil
}

// head says which nodes still need the old size, whether the preview is running, and why the change
// is not possible.
func (d *AxesDialog) head(w int) []string {
	var out []string
	switch {
	case d.err != nil:
		out = cells.SafeLines(d.err.Error())
	case d.question.IsOpen():
		out = []string{"previewing …"}
	default:
		out = []string{d.pinsText()}
	}
	var folded []string
	for _, line := range out {
		folded = append(folded, cells.WrapWords(line, w)...)
	}
	return folded
}

// pinsText says in a sentence what becomes of the sizes that the graph fixes.
func (d *AxesDialog) pinsText() string {
	n, key := d.pins, d.WS.Keys.Key(PlaceChange, actionRepair)
	var said []string
	if n.repaired > 0 {
		said = append(said, fmt.Sprintf("%s repaired, and runs prove the result (%s: leave them)", fixedSizes(n.repaired), key))
	}
	switch {
	case n.left > 0 && d.Repair:
		said = append(said, fixedSizes(n.left)+" left without repair: the model runs at the old size only")
	case n.left > 0:
		said = append(said, fmt.Sprintf("%s left: the model runs at the old size only (%s: repair)", fixedSizes(n.left), key))
	case n.repaired == 0:
		said = []string{"no node needs the old size"}
	}
	return strings.Join(said, "; ")
}

// fixedSizes names a number of fixed sizes, as in "2 fixed sizes are".
func fixedSizes(n int) string {
	if n == 1 {
		return "1 fixed size is"
	}
	return fmt.Sprintf("%d fixed sizes are", n)
}

// View implements shell.Pane.
func (d *AxesDialog) View(bool) []string {
	st := d.WS.Styles
	looks := st.Key
	if d.err != nil {
		looks = st.Bad
	}
	var lines []string
	for _, line := range d.head(d.W) {
		lines = append(lines, looks.On(line))
	}
	return cells.Block(append(lines, d.FindingList.View(st)...), d.W, d.height)
}

// Said implements shell.Pane.
func (d *AxesDialog) Said() string {
	return d.Title() + "\n" + strings.Join(graph.Present(append(d.head(100), d.FindingList.Said())), "\n")
}
