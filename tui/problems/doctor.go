package problems

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/check"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

const (
	PlaceDoctor  actions.Place = "doctor"
	PlaceExplain actions.Place = "explain"

	ActionWeights actions.Name = "check-weights"
	ActionRuntime actions.Name = "ask-runtime"

	actionCause   actions.Name = "probable-cause"
	actionInstall actions.Name = "install-it"
)

// Actions are the actions of the list of problems.
func Actions() []actions.Action {
	type it = *Dialog
	return shell.Closable("close", shell.Shut[it], func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.New(shell.ActionAccept, "go there", actions.Keys("enter"), it.leave, it.leaveRefusal),
		actions.New(actionCause, "probable cause", actions.Keys("c"), it.goToCause, it.causeRefusal),
		actions.New("fix", "fix it", actions.Keys("f"), it.fix, it.fixRefusal),
		actions.Now("explain", "explain", actions.Keys("e"), it.explain, it.explainRefusal),
		actions.New(ActionRuntime, "runtime", actions.Keys("r"), func(d it) tea.Cmd { return examineBy(d.WS, "runtime-load") }, it.checkRefusal),
		actions.New(ActionWeights, "weights", actions.Keys("w"), func(d it) tea.Cmd { return examineBy(d.WS, "weights") }, it.checkRefusal),
		actions.New(actionInstall, "install an ONNX Runtime", actions.Keys("i"), it.install, it.installRefusal),
		actions.New(shell.ActionCopy, "copy the fix", actions.Keys("y"), it.copy, it.copyRefusal),
	})
}

// Dialog lists what is wrong with the visible model: first errors of the last jobs, then
// problems that checks and the runtime found, the worst first.
type Dialog struct {
	workspace.Attached
	made   doctorKey
	failed []*workspace.Job // the first lines are about these
	rows   []row            // one for each line
	graph.FindingList
}

// doctorKey identifies the state from which the lines were made. If it changes, they are made
// again.
type doctorKey struct {
	typing  *graph.Typing
	checkup *graph.Checkup
}

// Open lists what is wrong with the model.
func Open(ws *workspace.Workspace) tea.Cmd {
	ws.Host.Open(&Dialog{Attached: workspace.Attached{WS: ws}})
	return nil
}

// Place implements shell.Pane.
func (d *Dialog) Place() actions.Place { return PlaceDoctor }

// Box implements shell.Dialog.
func (d *Dialog) Box(s shell.Screen) cells.Rect { return s.Body }

// View implements shell.Pane.
func (d *Dialog) View(bool) []string { return d.FindingList.View(d.WS.Styles) }

// Wheeled implements shell.Pointed.
func (d *Dialog) Wheeled(by int) { d.Rows.Scroll(by) }

// Title implements shell.Dialog.
func (d *Dialog) Title() string {
	c := d.WS.Types.Checkup
	if c == nil {
		return "problems: the check is still running"
	}
	switch {
	case len(c.Problems) > 0:
		return "problems: " + c.Summary()
	case len(d.failed) > 0:
		return "problems: the last error"
	}
	return "no problems found"
}

// problem returns the problem at the cursor, or nil for an error of a job.
func (d *Dialog) problem() *check.Problem {
	if d.Rows.Cursor >= len(d.rows) {
		return nil
	}
	return d.rows[d.Rows.Cursor].problem
}

func (d *Dialog) leaveRefusal() string {
	if d.Rows.Cursor < len(d.rows) && d.problem() == nil {
		return actions.Unless(d.At().Leads(), "this line is about the whole model; Enter goes to the node of a problem")
	}
	return actions.Unless(d.At().Leads(), "this problem is about the whole model, not about a row of it")
}

func (d *Dialog) fixRefusal() string {
	p := d.problem()
	return actions.Unless(p != nil && p.Fix != nil, "no step can repair this automatically")
}

func (d *Dialog) copyRefusal() string {
	return cmp.Or(actions.Unless(d.WS.Session.CanUndo() == "", "no command repairs the file, because the model has been changed here"), d.fixRefusal())
}

func (d *Dialog) explainRefusal() string {
	return actions.Unless(d.problem() != nil, "there is no explanation for this line")
}

func (d *Dialog) checkRefusal() string { return d.WS.StepRefusal("check") }

// leave highlights the rows of all problems, and goes to the one at the cursor.
func (d *Dialog) leave() tea.Cmd {
	return d.goTo(d.At())
}

// goTo closes the list and goes to a row, with the rows of all problems highlighted.
func (d *Dialog) goTo(f *graph.Finding) tea.Cmd {
	spots := d.Spots()
	if c := d.WS.Types.Checkup; c != nil {
		spots = append(spots, graph.SpotsOf(c.Lines)...)
	}
	return tea.Batch(d.WS.StandOut("problems", spots), workspace.GoToFinding(d.WS, d, f))
}

func (d *Dialog) goToCause() tea.Cmd {
	return d.goTo(&graph.Finding{Spot: causeOf(d.WS.Model(), d.problem())})
}

func (d *Dialog) causeRefusal() string {
	p := d.problem()
	return actions.Unless(p != nil && (p.Suspect != nil || p.Cause != nil), "no node or attribute is known that causes this")
}

func (d *Dialog) explain() { openExplanation(d.WS, d.problem().Code) }

// examineBy runs the check step with an option that checks more than the structure.
func examineBy(ws *workspace.Workspace, option string) tea.Cmd {
	s := ws.NewStep("check")
	if err := workspace.SetOption(s, option, "true"); err != nil {
		ws.Log.Fail(err)
		return nil
	}
	return ws.Run(s)
}

// fix opens the form of the step that fixes the problem at the cursor, with its options filled in.
func (d *Dialog) fix() tea.Cmd {
	s, err := reporting.StepOf(d.problem().Fix, d.WS.NewStep)
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	f, cmd := forms.NewForm(d.WS, s, nil)
	f.LeadsBack = true
	return cmd
}

// copy copies the command that fixes the problem at the cursor in the file.
func (d *Dialog) copy() tea.Cmd {
	ws := d.WS
	s, err := reporting.StepOf(d.problem().Fix, ws.NewStep)
	if err != nil {
		ws.Log.Fail(err)
		return nil
	}
	if _, ok := session.WithRole(s, session.RoleModel); ok {
		err = workspace.SetOutput(s, workspace.OutputName(ws, "fixed"))
	}
	if err != nil {
		ws.Log.Fail(err)
		return nil
	}
	return ws.Copy(session.CommandOf(s, ws.Options.Path))
}

// Sync implements shell.Dialog. It updates the lines for the visible model.
func (d *Dialog) Sync(w, h int) tea.Cmd {
	ws := d.WS
	failed := ws.Jobs.Failures(ws.Model())
	if key := (doctorKey{ws.Types, ws.Types.Checkup}); key != d.made || d.List == nil || !slices.Equal(failed, d.failed) {
		d.made, d.failed = key, failed
		d.fill(failuresOf(ws, failed))
	}
	d.Resize(w, h)
	return nil
}

func (d *Dialog) fill(failures []graph.Finding) {
	ws := d.WS
	lines := failures
	d.rows = make([]row, len(failures))
	if c := ws.Types.Checkup; c != nil {
		if c.Verdict != "" {
			lines, d.rows = append(lines, graph.Finding{Text: c.Verdict, Note: d.proved(), Looks: theme.Strong}), append(d.rows, row{})
		}
		for _, r := range rowsOf(c) {
			lines, d.rows = append(lines, d.finding(c, r)), append(d.rows, r)
		}
	}
	if len(lines) == 0 {
		key := ws.Keys.Key
		lines = []graph.Finding{{Text: fmt.Sprintf("only structure, types and shapes were checked; %s checks the weights, %s loads the model into the runtime",
			key(PlaceDoctor, ActionWeights), key(PlaceDoctor, ActionRuntime))}}
	}
	d.Set(lines)
}

// proved says what it means that a runtime loads the model.
func (d *Dialog) proved() string {
	if !strings.Contains(d.WS.Types.Checkup.Verdict, "loads it") {
		return ""
	}
	return d.WS.Keys.Key(shell.PlaceMain, values.ActionValue) + " on a row runs the model up to there and shows the value"
}

// failuresOf returns failed jobs as findings.
func failuresOf(ws *workspace.Workspace, jobs []*workspace.Job) []graph.Finding {
	var out []graph.Finding
	for _, j := range jobs {
		wrong, remedy := j.Wrong()
		f := graph.Finding{Where: j.Name + " has failed:", Text: cells.Prose(wrong), Note: cells.Prose(remedy), Looks: theme.Failure}
		if key := ws.Keys.Key(PlaceDoctor, actionInstall); j.LacksRuntime && key != "" {
			f.Note = key + " installs one here"
		}
		if b := j.Blame; b != nil && workspace.RefusalOf(ws, b) == "" {
			f.Spot, f.Text, f.Note = b.Spots[0], cells.Prose(b.Explanation), cells.Prose(b.Hint)
		}
		out = append(out, f)
	}
	return out
}

// install installs an ONNX Runtime, which the job at the cursor lacked.
func (d *Dialog) install() tea.Cmd {
	d.WS.Host.Close(d)
	return d.WS.Host.PerformMain(workspace.ActionInstall)
}

func (d *Dialog) installRefusal() string {
	if d.Rows.Cursor >= len(d.failed) {
		return "this line is not about a job that lacked an ONNX Runtime"
	}
	return d.failed[d.Rows.Cursor].InstallRefusal()
}

// Clicked implements shell.Pointed. A click selects the line, and on the selected line it goes to the
// node.
func (d *Dialog) Clicked(_, y int) tea.Cmd {
	if d.PointAt(y) {
		return d.WS.Host.Perform(d, shell.ActionAccept)
	}
	return nil
}

// explanationWidth is the largest width of an explanation.
const explanationWidth = 90

// openExplanation explains a kind of problem.
func openExplanation(ws *workspace.Workspace, code string) {
	r, _ := check.Explain(code)
	width := min(explanationWidth, ws.Host.Width()-2*shell.FramePad-4)
	var lines []string
	for _, paragraph := range strings.Split(r.About, "\n\n") {
		if lines != nil {
			lines = append(lines, "")
		}
		lines = append(lines, cells.WrapWords(strings.Join(strings.Fields(paragraph), " "), width)...)
	}
	ws.Host.Open(shell.NewTextDialog(ws.Host, PlaceExplain, code+": "+r.Title, lines))
}
