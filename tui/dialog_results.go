package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

const placeResults actions.Place = "results"

func resultsActions() []actions.Action {
	type it = *resultsDialog
	return actions.Moving(func(d it, m list.Motion) { d.scroll.Act(m) }, []actions.Row[it]{
		actions.Now(shell.ActionClose, "close", actions.Keys("esc", "q"), shell.Shut[it]),
		actions.Now(shell.ActionCancel, "cancel the job", actions.Keys("x"), func(d it) { d.WS.Jobs.Cancel() }, it.cancelRefusal),
		actions.New(workspace.ActionBlame, "go to the node that caused the error", actions.Keys("!", "enter"), it.goToBlame, func(d it) string { return workspace.RefusalOf(d.WS, d.job().Blame) }),
		actions.New(shell.ActionEdit, "change it", actions.Keys("e"), func(d it) tea.Cmd { return d.edit(nil) }, it.editRefusal),
		actions.New("retry", "run it again as suggested", actions.Keys("n"), func(d it) tea.Cmd { return d.edit(d.job().Retry()) }, it.retryRefusal),
		actions.Now("unabridged", "the full report, or the short one again", actions.Keys("w"), it.toggleWhole, it.wholeRefusal),
		actions.New("table", "the table of what was compared", actions.Keys("t"), func(d it) tea.Cmd { return d.job().Table }, it.tableRefusal),
		actions.Now("older", "earlier", actions.Keys("[", "left"), func(d it) { d.show(d.at - 1) }, it.olderRefusal),
		actions.Now("newer", "later", actions.Keys("]", "right"), func(d it) { d.show(d.at + 1) }, it.newerRefusal),
		actions.New(shell.ActionCopy, "copy the command", actions.Keys("y"), func(d it) tea.Cmd { return d.WS.Copy(d.job().Command) }),
		shell.HelpRow[it](),
	})
}

// resultsDialog lists the jobs of the session. Below the list it shows the selected one: its
// progress, or its report.
type resultsDialog struct {
	workspace.Attached
	at      int  // index of the visible job
	whole   bool // shows the unabridged report
	content list.Folded
	scroll  list.Scroll
	w, h    int
}

func newResultsDialog(ws *workspace.Workspace) *resultsDialog {
	return &resultsDialog{Attached: workspace.Attached{WS: ws}, at: len(ws.Jobs.List) - 1}
}

func (d *resultsDialog) Place() actions.Place          { return placeResults }
func (d *resultsDialog) Box(s shell.Screen) cells.Rect { return s.Body }
func (d *resultsDialog) job() *workspace.Job           { return d.WS.Jobs.List[d.at] }

func (d *resultsDialog) Title() string {
	j := d.job()
	return fmt.Sprintf("%s: %s", j.Name, j.State)
}

func (d *resultsDialog) olderRefusal() string {
	return actions.Unless(d.at > 0, "there is no earlier result")
}

func (d *resultsDialog) newerRefusal() string {
	return actions.Unless(d.at < len(d.WS.Jobs.List)-1, "there is no later result")
}

func (d *resultsDialog) retryRefusal() string {
	return actions.Unless(len(d.job().Retry()) > 0 && d.WS.NewStep(d.job().Name) != nil, "the report suggests no other options to try")
}

func (d *resultsDialog) wholeRefusal() string {
	return actions.Unless(len(d.job().Whole) > 0, "the report is already complete")
}

func (d *resultsDialog) tableRefusal() string {
	return actions.Unless(d.job().Table != nil, d.job().Name+" is not a comparison, so it has no table")
}

func (d *resultsDialog) cancelRefusal() string {
	return actions.Unless(d.job().State == workspace.JobRunning && !d.job().Asked, "this job is not running")
}

// show shows another job.
func (d *resultsDialog) show(at int) { d.at, d.scroll.Top = at, 0 }

func (d *resultsDialog) toggleWhole() { d.whole, d.scroll.Top = !d.whole, 0 }

func (d *resultsDialog) goToBlame() tea.Cmd {
	d.WS.Host.Close(d)
	return workspace.GoToFault(d.WS, d.job().Blame)
}

// editRefusal says why the step of the job cannot be changed, or "".
func (d *resultsDialog) editRefusal() string {
	switch j := d.job(); {
	case j.State == workspace.JobNo && j.Suggests != nil: // the model is unchanged
	case j.State != workspace.JobFailed && j.State != workspace.JobCancelled:
		return "only a failed or cancelled job can be changed and run again"
	case d.WS.NewStep(j.Name) == nil:
		return j.Name + " has no form, so it cannot be changed"
	}
	return ""
}

// edit opens the form of the job's step with its values, some of them replaced.
func (d *resultsDialog) edit(other []session.Setting) tea.Cmd {
	step := d.WS.NewStep(d.job().Name)
	// Values that cannot be set are left empty, and the form then asks for them.
	_ = session.CallOf(d.job().Step).Apply(step, "")
	for _, o := range other {
		if err := workspace.SetOption(step, o.Name, o.Values...); err != nil {
			d.WS.Log.Fail(err)
		}
	}
	d.WS.Host.Close(d)
	return openFormOf(d.WS, step, nil)
}

// resultRows is how many jobs are listed above the report. The list scrolls with the selected job.
const resultRows = 4

func (d *resultsDialog) listed() (from, to int) {
	n := len(d.WS.Jobs.List)
	from = max(0, min(d.at-resultRows/2, n-resultRows))
	return from, min(n, from+resultRows)
}

func (d *resultsDialog) Said() string {
	return d.Title() + "\n" + strings.Join(d.report(), "\n")
}

// Clicked implements pointed. It shows the job under the mouse.
func (d *resultsDialog) Clicked(_, y int) tea.Cmd {
	if from, to := d.listed(); from+y < to {
		d.at, d.scroll.Top = from+y, 0
	}
	return nil
}

// Wheeled implements pointed.
func (d *resultsDialog) Wheeled(by int) { d.scroll.By(by) }

func (d *resultsDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	from, to := d.listed()
	d.content.Fold(d.drawn(), w)
	d.scroll.Resize(len(d.content.Lines), max(h-(to-from)-1, 0))
	return nil
}

// report returns the report of the job, or its progress.
func (d *resultsDialog) report() []string {
	j := d.job()
	if d.whole && len(j.Whole) > 0 && j.State == workspace.JobNo {
		return j.Whole
	}
	if j.State != workspace.JobRunning {
		return slices.Concat(j.Lines, workspace.BlameLines(d.WS, j.Blame, placeResults))
	}
	lines := j.Status(d.w)
	for _, s := range j.Progress.Sights {
		lines = append(lines, sightText(s))
	}
	return lines
}

// drawn returns the report of the selected job. For a measurement of latency it adds bar charts.
func (d *resultsDialog) drawn() []string {
	switch j := d.job(); {
	case j.State == workspace.JobRunning && len(j.Progress.Sights) > 0:
		return slices.Concat(j.Status(d.w), []string{""}, spreadLines(liveRows(j.Progress.Sights), d.w))
	case j.State != workspace.JobRunning && j.Measured != nil:
		return drawnReport(d.report(), j.Measured, d.w)
	}
	return d.report()
}

func (d *resultsDialog) View(bool) []string {
	st := d.WS.Styles
	var lines []string
	from, to := d.listed()
	for i := from; i < to; i++ {
		lines = append(lines, d.line(i))
	}
	lines = append(lines, st.Frame.On(cells.Rule(d.w)))
	from, to = d.scroll.Visible()
	looks := theme.Paint("")
	if d.job().State == workspace.JobFailed {
		looks = st.Bad
	}
	for _, l := range d.content.Lines[from:to] {
		lines = append(lines, looks.On(cells.Cut(l, d.w)))
	}
	return cells.Block(lines, d.w, d.h)
}

// line draws a job in the list.
func (d *resultsDialog) line(i int) string {
	st, j := d.WS.Styles, d.WS.Jobs.List[i]
	looks := map[workspace.JobState]theme.Paint{workspace.JobDone: st.Good, workspace.JobNo: st.Warn, workspace.JobFailed: st.Bad}[j.State]
	lead := "  "
	if i == d.at {
		lead = "› "
	}
	state := cells.Fit(j.State.String(), 10)
	rest := cells.FitRight(text.Elapsed(j.Elapsed), 8) + "  " + cells.Prose(j.Command)
	return st.Key.On(lead) + looks.On(state) + cells.Cut(rest, d.w-12)
}

func openResults(ws *workspace.Workspace) tea.Cmd { ws.Host.Open(newResultsDialog(ws)); return nil }
