package tui

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/check"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

const (
	placeDoctor  actions.Place = "doctor"
	placeExplain actions.Place = "explain"

	actionWeights actions.Name = "check-weights"
	actionRuntime actions.Name = "ask-runtime"
)

func doctorActions() []actions.Action {
	type it = *doctorDialog
	return shell.Closable("close", shell.Shut[it], func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.New(shell.ActionAccept, "go there", actions.Keys("enter"), it.leave, it.leaveRefusal),
		actions.New("mend", "mend", actions.Keys("f"), it.mend, it.mendRefusal),
		actions.Now("explain", "explain", actions.Keys("e"), it.explain, it.explainRefusal),
		actions.New(actionRuntime, "runtime", actions.Keys("r"), func(d it) tea.Cmd { return examineBy(d.ws, "runtime-load") }, it.checkRefusal),
		actions.New(actionWeights, "weights", actions.Keys("w"), func(d it) tea.Cmd { return examineBy(d.ws, "weights") }, it.checkRefusal),
		actions.New(shell.ActionCopy, "copy the mend", actions.Keys("y"), it.copy, it.copyRefusal),
	})
}

// doctorDialog lists what is wrong with the visible model: first errors of the last jobs, then
// problems that checks and the runtime found, the worst first.
type doctorDialog struct {
	attached
	made     doctorKey
	problems []*check.Problem // one for each line; nil for errors of jobs
	graph.FindingList
}

// doctorKey identifies the state from which the lines were made. If it changes, they are made
// again.
type doctorKey struct {
	typing   *graph.Typing
	checkup  *graph.Checkup
	failures int
}

func openDoctor(ws *workspace) tea.Cmd {
	ws.host.Open(&doctorDialog{attached: attached{ws: ws}})
	return nil
}

func (d *doctorDialog) Place() actions.Place          { return placeDoctor }
func (d *doctorDialog) Box(s shell.Screen) cells.Rect { return s.Body }
func (d *doctorDialog) View(bool) []string            { return d.FindingList.View(d.ws.styles) }
func (d *doctorDialog) Wheeled(by int)                { d.Rows.Scroll(by) }

func (d *doctorDialog) Title() string {
	c := d.ws.types.Checkup
	if c == nil {
		return "problems: the check is still running"
	}
	switch {
	case len(c.Problems) > 0:
		return "problems: " + c.Summary()
	case d.made.failures > 0:
		return "problems: the last error"
	}
	return "no problems found"
}

// problem returns the problem at the cursor, or nil for an error of a job.
func (d *doctorDialog) problem() *check.Problem {
	if d.Rows.Cursor >= len(d.problems) {
		return nil
	}
	return d.problems[d.Rows.Cursor]
}

func (d *doctorDialog) leaveRefusal() string {
	return actions.Unless(d.At().Leads(), "this problem is not about a row of the model")
}

func (d *doctorDialog) mendRefusal() string {
	p := d.problem()
	return actions.Unless(p != nil && p.Fix != nil, "no step can repair this automatically")
}

func (d *doctorDialog) copyRefusal() string {
	return cmp.Or(actions.Unless(d.ws.session.CanUndo() == "", "no command repairs the file, because the model has been changed here"), d.mendRefusal())
}

func (d *doctorDialog) explainRefusal() string {
	return actions.Unless(d.problem() != nil, "there is no explanation for this line")
}

func (d *doctorDialog) checkRefusal() string { return d.ws.stepRefusal("check") }

// leave highlights the rows of all problems, and goes to the one at the cursor.
func (d *doctorDialog) leave() tea.Cmd {
	return tea.Batch(d.ws.standOut("problems", d.Spots()), goToFinding(d.ws, d, d.At()))
}

func (d *doctorDialog) explain() { openExplanation(d.ws, d.problem().Code) }

// examineBy runs the check step with an option that checks more than the structure.
func examineBy(ws *workspace, option string) tea.Cmd {
	s := ws.newStep("check")
	if err := setOption(s, option, "true"); err != nil {
		ws.log.Fail(err)
		return nil
	}
	return ws.run(s)
}

// mend opens the form of the step that fixes the problem at the cursor, with its options filled in.
func (d *doctorDialog) mend() tea.Cmd {
	s, err := session.StepOf(d.problem().Fix, d.ws.newStep)
	if err != nil {
		d.ws.log.Fail(err)
		return nil
	}
	f, cmd := newForm(d.ws, s, nil)
	f.leadsBack = true
	return cmd
}

// copy copies the command that fixes the problem at the cursor in the file.
func (d *doctorDialog) copy() tea.Cmd {
	ws := d.ws
	s, err := session.StepOf(d.problem().Fix, ws.newStep)
	if err != nil {
		ws.log.Fail(err)
		return nil
	}
	if _, ok := session.WithRole(s, session.RoleModel); ok {
		err = setOutput(s, outputName(ws, "fixed"))
	}
	if err != nil {
		ws.log.Fail(err)
		return nil
	}
	return ws.copy(session.CommandOf(s, ws.o.Path))
}

// Sync implements dialog. It updates the lines for the visible model.
func (d *doctorDialog) Sync(w, h int) tea.Cmd {
	ws := d.ws
	failures := failures(ws)
	if key := (doctorKey{ws.types, ws.types.Checkup, len(failures)}); key != d.made || d.List == nil {
		d.made = key
		d.fill(failures)
	}
	d.Resize(w, h)
	return nil
}

func (d *doctorDialog) fill(failures []graph.Finding) {
	ws := d.ws
	lines := failures
	d.problems = make([]*check.Problem, len(failures))
	if c := ws.types.Checkup; c != nil {
		if c.Verdict != "" {
			lines, d.problems = append(lines, graph.Finding{Text: c.Verdict, Looks: theme.Strong}), append(d.problems, nil)
		}
		lines = append(lines, c.Lines...)
		for i := range c.Problems {
			d.problems = append(d.problems, &c.Problems[i])
		}
	}
	if len(lines) == 0 {
		key := ws.keys.Key
		lines = []graph.Finding{{Text: fmt.Sprintf("only structure, types and shapes were checked; %s checks the weights, %s loads the model into the runtime",
			key(placeDoctor, actionWeights), key(placeDoctor, actionRuntime))}}
	}
	d.Set(lines)
}

// wrong returns the error of a failed job and a hint that may help. Both are "" for other jobs.
func (j *job) wrong() (text, remedy string) {
	switch {
	case j.state == jobFailed:
		return strings.Join(j.lines, " "), ""
	case j.suggests != nil:
		return j.suggests.Wrong()
	}
	return "", ""
}

// failures returns the failed jobs on the visible model as findings, the latest first.
func failures(ws *workspace) []graph.Finding {
	var out []graph.Finding
	for i := len(ws.jobs.list) - 1; i >= 0; i-- {
		j := ws.jobs.list[i]
		wrong, remedy := j.wrong()
		if wrong == "" || j.base != ws.model() {
			continue
		}
		f := graph.Finding{Where: j.name + " has failed:", Text: cells.Prose(wrong), Note: cells.Prose(remedy), Looks: theme.Failure}
		if b := j.blame; b != nil && refusalOf(ws, b) == "" {
			f.Spot, f.Text, f.Note = b.Spots[0], cells.Prose(b.Explanation), cells.Prose(b.Hint)
		}
		out = append(out, f)
	}
	return out
}

// Clicked implements pointed. A click selects the line, and on the selected line it goes to the
// node.
func (d *doctorDialog) Clicked(_, y int) tea.Cmd {
	if d.PointAt(y) {
		return d.ws.host.Perform(d, shell.ActionAccept)
	}
	return nil
}

// explanationWidth is the largest width of an explanation.
const explanationWidth = 90

// openExplanation explains a kind of problem.
func openExplanation(ws *workspace, code string) {
	r, _ := check.Explain(code)
	width := min(explanationWidth, ws.host.Width()-2*shell.FramePad-4)
	var lines []string
	for _, paragraph := range strings.Split(r.About, "\n\n") {
		if lines != nil {
			lines = append(lines, "")
		}
		lines = append(lines, cells.WrapWords(strings.Join(strings.Fields(paragraph), " "), width)...)
	}
	ws.host.Open(shell.NewTextDialog(ws.host, placeExplain, code+": "+r.Title, lines))
}
