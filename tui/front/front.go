package front

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/session/reporting"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// Place is the place of the models that a search found.
const Place actions.Place = "front"

// Actions are the actions of the models that a search found.
func Actions() []actions.Action {
	type it = *Dialog
	return shell.Closable("close", shell.Shut[it], func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.New(shell.ActionTake, "make this model", actions.Keys("enter", "a"), it.take, it.takeRefusal),
		actions.New(shell.ActionCopy, "copy the command that makes it", actions.Keys("y"), it.copy, it.takeRefusal),
	})
}

// Dialog shows the models that a search found, the smallest first.
type Dialog struct {
	workspace.Attached
	title  string
	points []reporting.FrontPoint
	lines  []string // of the titles and of each point
	Rows   list.Window
	w, h   int
}

// Read returns a command that shows the models of a report, or nil if the report is not that of a search.
func Read(r session.Report) tea.Cmd {
	f, ok := r.(reporting.Fronted)
	if !ok || len(f.FrontPoints()) < 2 {
		return nil
	}
	return func() tea.Msg { return foundMsg{f.FrontTitle(), f.FrontPoints()} }
}

// foundMsg says that a search has ended.
type foundMsg struct {
	title  string
	points []reporting.FrontPoint
}

// Take implements workspace.Answer. It shows the models in front of the report.
func (m foundMsg) Take(ws *workspace.Workspace) tea.Cmd {
	if _, ok := ws.Host.Top().(*forms.ResultsDialog); !ok {
		return nil
	}
	d := &Dialog{Attached: workspace.Attached{WS: ws}, title: m.title, points: m.points, lines: linesOf(m.points)}
	marked := 0
	for i, p := range m.points {
		if p.Mark != "" {
			marked = i
		}
	}
	d.Rows.Reset(len(m.points), marked)
	ws.Host.Open(d)
	return nil
}

// Place implements shell.Pane.
func (d *Dialog) Place() actions.Place { return Place }

// Title implements shell.Dialog.
func (d *Dialog) Title() string { return cells.Prose(d.title) }

// Box implements shell.Dialog.
func (d *Dialog) Box(s shell.Screen) cells.Rect { return s.Body }

// Wheeled implements shell.Pointed.
func (d *Dialog) Wheeled(by int) { d.Rows.Scroll(by) }

// Clicked implements shell.Pointed. It selects the model under the mouse.
func (d *Dialog) Clicked(_, y int) tea.Cmd {
	if row := d.Rows.Top + y - d.chart() - 1; y > d.chart() && row < d.Rows.N {
		d.Rows.MoveTo(row)
	}
	return nil
}

// at returns the selected model.
func (d *Dialog) at() *reporting.FrontPoint { return &d.points[d.Rows.Cursor] }

func (d *Dialog) takeRefusal() string {
	if len(d.at().Make.Options) == 0 {
		return "this is the model as it is"
	}
	return d.WS.StepRefusal(d.at().Make.Step)
}

// step returns the step that makes the selected model. It writes no file, so the result becomes the model
// in the workbench.
func (d *Dialog) step() (session.Step, error) {
	s := d.WS.NewStep(d.at().Make.Step)
	return s, d.at().Make.Apply(s, "")
}

// take makes the selected model and shows its report.
func (d *Dialog) take() tea.Cmd {
	s, err := d.step()
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	d.WS.Host.Close(d)
	if results, ok := d.WS.Host.Top().(*forms.ResultsDialog); ok {
		d.WS.Host.Close(results) // it shows the search
	}
	cmd := d.WS.Run(s)
	d.WS.Host.Open(forms.NewResultsDialog(d.WS))
	return cmd
}

func (d *Dialog) copy() tea.Cmd {
	s, err := d.step()
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	return d.WS.Copy(d.WS.CommandLines(s))
}

// Said describes the selected model, for a screen reader.
func (d *Dialog) Said() string {
	return strings.Join([]string{d.Title(), strings.Join(graph.Present(cellsOf(d.at())), ", ")}, "\n")
}
