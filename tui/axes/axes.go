package axes

import (
	"cmp"
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
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// PlaceChange is the place of the preview of a change of axes.
const PlaceChange actions.Place = "axes-change"

// ActionToNode is the action that goes to the node of a pin.
const ActionToNode actions.Name = "go-to-node"

// ChangeActions are the actions of the preview of a change of axes.
func ChangeActions() []actions.Action {
	type it = *AxesDialog
	return shell.Closable("cancel", it.close, func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.New(shell.ActionAccept, "do it", actions.Keys("enter"), it.take, it.takeRefusal),
		actions.New("repair", "repair the pins, or leave them", actions.Keys("r"), it.toggleRepair),
		actions.New(ActionToNode, "go to the node", actions.Keys("o"), it.leave, it.leaveRefusal),
		actions.New(shell.ActionCopy, "copy the command", actions.Keys("y"), it.copyCommand, it.copyRefusal),
	})
}

// AxesDialog shows what a change of axes would do: the pins that it leaves, the pins that it
// repairs, and the inputs and outputs that change.
type AxesDialog struct {
	workspace.Attached
	option string // option of the step: "dynamic" or "fix"
	Values []string
	Repair bool
	base   *graphops.Model // the model of the preview

	question task.Task[axesPreview]
	err      error
	height   int    // of the dialog
	counts   string // how many pins are repaired and left
	graph.FindingList
}

// axesPreview is what a change of axes would do: the findings, and the numbers of pins in words.
type axesPreview struct {
	findings []graph.Finding
	counts   string
}

// openAxes opens the preview of the step "axes", with the given values for one of its options.
func openAxes(ws *workspace.Workspace, option string, values []string) tea.Cmd {
	d := &AxesDialog{Attached: workspace.Attached{WS: ws}, option: option, Values: values}
	ws.Host.Open(d)
	return d.ask()
}

// step returns the step with the present options.
func (d *AxesDialog) step() (session.Step, error) {
	s := d.WS.NewStep("axes")
	if err := workspace.SetOption(s, d.option, d.Values...); err != nil {
		return nil, err
	}
	if d.Repair {
		return s, workspace.SetOption(s, "repair", "true")
	}
	return s, nil
}

// ask starts a preview.
func (d *AxesDialog) ask() tea.Cmd {
	d.question.Stop()
	s, err := d.step()
	if err != nil {
		d.err = err
		return nil
	}
	ws := d.WS
	d.err, d.base = nil, ws.Model()
	env, base := ws.QuietEnv(), d.base
	return d.question.Ask(ws.Tasks, task.Question[axesPreview]{
		Doing: "previewing axes",
		Work: func(ctx context.Context, _ task.Report) (axesPreview, error) {
			return previewAxes(ctx, s, env, base)
		},
		Take: func(p axesPreview, err error) tea.Cmd {
			d.counts, d.err = p.counts, err
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
		out = axesPreview{graph.PinsIn(m, r.Findings()), cmp.Or(workspace.CountsOf(r.Findings()), "there are none")}
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
		return "the search for pins is still running"
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
	s, _ := d.step() // the preview had no error
	return d.WS.Run(s)
}

func (d *AxesDialog) copyRefusal() string {
	_, err := d.step()
	return actions.Unless(err == nil, "the change is not possible")
}

// copyCommand copies the command that does the same.
func (d *AxesDialog) copyCommand() tea.Cmd {
	s, _ := d.step() // it has no error, or the action is refused
	return d.WS.Copy(session.CommandOf(s, d.WS.Options.Path))
}

func (d *AxesDialog) toggleRepair() tea.Cmd {
	d.Repair = !d.Repair
	return d.ask()
}

func (d *AxesDialog) close() {
	d.question.Stop()
	workspace.Dismiss(d.WS, d)
}

// leave goes to the node of the pin at the cursor. The dialog is kept in ws.aside, so that a key
// can open it again.
func (d *AxesDialog) leave() tea.Cmd {
	ws := d.WS
	cmd := tea.Batch(ws.StandOut("pins", d.Spots()), workspace.GoToFinding(d.WS, d, d.At()))
	ws.Aside = d
	ws.Log.Say(fmt.Sprintf("%s goes back to the preview, %s to the next pin", ws.Keys.Key(shell.PlaceMain, workspace.ActionPins), ws.Keys.Key(shell.PlaceMain, search.ActionNextMatch)))
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

// head says whether pins are repaired, whether the preview is running, and why the change is not
// possible.
func (d *AxesDialog) head(w int) []string {
	out := []string{"with the pins as they are"}
	if d.Repair {
		out[0] = "with repair of the pins"
	}
	switch {
	case d.err != nil:
		out = append(out, cells.SafeLines(d.err.Error())...)
	case d.question.IsOpen():
		out[0] += " …"
	case d.counts != "":
		out[0] += ": " + d.counts
	}
	var folded []string
	for _, line := range out {
		folded = append(folded, cells.WrapWords(line, w)...)
	}
	return folded
}

// View implements shell.Pane.
func (d *AxesDialog) View(bool) []string {
	st := d.WS.Styles
	looks := theme.Paint("")
	if d.err != nil {
		looks = st.Bad
	}
	var lines []string
	for i, line := range d.head(d.W) {
		if i == 0 {
			lines = append(lines, st.Key.On(line))
			continue
		}
		lines = append(lines, looks.On(line))
	}
	return cells.Block(append(lines, d.FindingList.View(st)...), d.W, d.height)
}

// Said implements shell.Pane.
func (d *AxesDialog) Said() string {
	return d.Title() + "\n" + strings.Join(graph.Present(append(d.head(100), d.FindingList.Said())), "\n")
}
