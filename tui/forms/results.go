package forms

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

// PlaceResults is the place of the list of jobs and their results.
const PlaceResults actions.Place = "results"

// ResultsActions are the actions of the list of jobs.
func ResultsActions() []actions.Action {
	type it = *ResultsDialog
	return actions.Moving(func(d it, m list.Motion) { d.Scroll.Act(m) }, []actions.Row[it]{
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

// ResultsDialog lists the jobs of the session. Below the list it shows the selected one: its
// progress, or its report.
type ResultsDialog struct {
	workspace.Attached
	at      int  // index of the visible job
	whole   bool // shows the unabridged report
	content list.Folded
	Scroll  list.Scroll
	w, h    int
}

// NewResultsDialog shows the jobs of the session, with the last one selected.
func NewResultsDialog(ws *workspace.Workspace) *ResultsDialog {
	return &ResultsDialog{Attached: workspace.Attached{WS: ws}, at: len(ws.Jobs.List) - 1}
}

// Place implements shell.Pane.
func (d *ResultsDialog) Place() actions.Place { return PlaceResults }

// Box implements shell.Dialog.
func (d *ResultsDialog) Box(s shell.Screen) cells.Rect { return s.Body }
func (d *ResultsDialog) job() *workspace.Job           { return d.WS.Jobs.List[d.at] }

// Title implements shell.Dialog.
func (d *ResultsDialog) Title() string {
	j := d.job()
	return fmt.Sprintf("%s: %s", j.Name, j.State)
}

func (d *ResultsDialog) olderRefusal() string {
	return actions.Unless(d.at > 0, "there is no earlier result")
}

func (d *ResultsDialog) newerRefusal() string {
	return actions.Unless(d.at < len(d.WS.Jobs.List)-1, "there is no later result")
}

func (d *ResultsDialog) retryRefusal() string {
	return actions.Unless(len(d.job().Retry()) > 0 && d.WS.NewStep(d.job().Name) != nil, "the report suggests no other options to try")
}

func (d *ResultsDialog) wholeRefusal() string {
	return actions.Unless(len(d.job().Whole) > 0, "the report is already complete")
}

func (d *ResultsDialog) tableRefusal() string {
	return actions.Unless(d.job().Table != nil, d.job().Name+" is not a comparison, so it has no table")
}

func (d *ResultsDialog) cancelRefusal() string {
	return actions.Unless(d.job().State == workspace.JobRunning && !d.job().Asked, "this job is not running")
}

// show shows another job.
func (d *ResultsDialog) show(at int) { d.at, d.Scroll.Top = at, 0 }

func (d *ResultsDialog) toggleWhole() { d.whole, d.Scroll.Top = !d.whole, 0 }

func (d *ResultsDialog) goToBlame() tea.Cmd {
	d.WS.Host.Close(d)
	return workspace.GoToFault(d.WS, d.job().Blame)
}

// editRefusal says why the step of the job cannot be changed, or "".
func (d *ResultsDialog) editRefusal() string {
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
func (d *ResultsDialog) edit(other []session.Setting) tea.Cmd {
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

func (d *ResultsDialog) listed() (from, to int) {
	n := len(d.WS.Jobs.List)
	from = max(0, min(d.at-resultRows/2, n-resultRows))
	return from, min(n, from+resultRows)
}

// Said implements shell.Pane.
func (d *ResultsDialog) Said() string {
	return d.Title() + "\n" + strings.Join(d.report(), "\n")
}

// Clicked implements shell.Pointed. It shows the job under the mouse.
func (d *ResultsDialog) Clicked(_, y int) tea.Cmd {
	if from, to := d.listed(); from+y < to {
		d.at, d.Scroll.Top = from+y, 0
	}
	return nil
}

// Wheeled implements shell.Pointed.
func (d *ResultsDialog) Wheeled(by int) { d.Scroll.By(by) }

// Sync implements shell.Pane.
func (d *ResultsDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	from, to := d.listed()
	d.content.Fold(d.drawn(), w)
	d.Scroll.Resize(len(d.content.Lines), max(h-(to-from)-1, 0))
	return nil
}

// report returns the report of the job, or its progress.
func (d *ResultsDialog) report() []string {
	j := d.job()
	if d.whole && len(j.Whole) > 0 && j.State == workspace.JobNo {
		return j.Whole
	}
	if j.State != workspace.JobRunning {
		return slices.Concat(j.Lines, workspace.BlameLines(d.WS, j.Blame, PlaceResults))
	}
	lines := j.Status(d.w)
	for _, s := range j.Progress.Sights {
		lines = append(lines, sightText(s))
	}
	return lines
}

// drawn returns the report of the selected job. For a measurement of latency it adds bar charts.
func (d *ResultsDialog) drawn() []string {
	switch j := d.job(); {
	case j.State == workspace.JobRunning && len(j.Progress.Sights) > 0:
		return slices.Concat(j.Status(d.w), []string{""}, SpreadLines(LiveRows(j.Progress.Sights), d.w))
	case j.State != workspace.JobRunning && j.Measured != nil:
		return drawnReport(d.report(), j.Measured, d.w)
	}
	return d.report()
}

// View implements shell.Pane.
func (d *ResultsDialog) View(bool) []string {
	st := d.WS.Styles
	var lines []string
	from, to := d.listed()
	for i := from; i < to; i++ {
		lines = append(lines, d.line(i))
	}
	lines = append(lines, st.Frame.On(cells.Rule(d.w)))
	from, to = d.Scroll.Visible()
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
func (d *ResultsDialog) line(i int) string {
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

// OpenResults shows the jobs of the session.
func OpenResults(ws *workspace.Workspace) tea.Cmd { ws.Host.Open(NewResultsDialog(ws)); return nil }
