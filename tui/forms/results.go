package forms

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
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
	return actions.Moving(func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.New("go-to-line", "go to the node that the line names", actions.Keys("enter"), it.goTo, it.goToRefusal),
		actions.Now("next-link", "next line that names a node", actions.Keys("tab"), it.nextLink, it.linkRefusal),
		actions.Now(shell.ActionClose, "close", actions.Keys("esc", "q"), shell.Shut[it]),
		actions.Now(shell.ActionCancel, "cancel the job", actions.Keys("x"), func(d it) { d.WS.Jobs.Cancel() }, it.cancelRefusal),
		actions.New(workspace.ActionBlame, "go to the node that caused the error", actions.Keys("!"), it.goToBlame, func(d it) string { return workspace.RefusalOf(d.WS, d.job().Blame) }),
		actions.New(shell.ActionEdit, "change it", actions.Keys("e"), func(d it) tea.Cmd { return d.edit(nil) }, it.editRefusal),
		actions.New("retry", "run it again as suggested", actions.Keys("n"), it.retry, it.retryRefusal),
		actions.New("install-it", "install an ONNX Runtime", actions.Keys("i"), it.install, func(d it) string { return d.job().InstallRefusal() }),
		actions.New(workspace.ActionStored, "stored results of this model", actions.Keys("r"), it.stored, it.storedRefusal),
		actions.New("bench-it", "measure its latency", actions.Keys("b"), func(d it) tea.Cmd { return d.follow("bench") }, it.benchRefusal),
		actions.New("validate-it", "compare it with the original", actions.Keys("V"), func(d it) tea.Cmd { return d.follow("validate") }, func(d it) string { return d.followRefusal("validate") }),
		actions.Now("unabridged", "the full report, or the short one again", actions.Keys("w"), it.toggleWhole, it.wholeRefusal),
		actions.New("table", "the table of what was compared", actions.Keys("t"), func(d it) tea.Cmd { return d.job().Table }, it.tableRefusal),
		actions.Now("older", "earlier", actions.Keys("[", "left"), func(d it) { d.show(d.at - 1) }, it.olderRefusal),
		actions.Now("newer", "later", actions.Keys("]", "right"), func(d it) { d.show(d.at + 1) }, it.newerRefusal),
		actions.New(shell.ActionCopy, "copy the command", actions.Keys("y"), func(d it) tea.Cmd { return d.WS.Copy(cmp.Or(d.job().Script, d.job().Command)) }),
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
	Rows    list.Window // over the lines of content
	// settled is the job whose first line with a node was selected when its report arrived.
	settled *workspace.Job
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
	title := fmt.Sprintf("%s: %s", j.Name, j.State)
	if j.Label != "" {
		title = j.Name + ": stored"
	}
	if _, to := d.Rows.Visible(); to < d.Rows.N {
		title += fmt.Sprintf(", %s below", text.Plural(d.Rows.N-to, "line"))
	}
	return title
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
func (d *ResultsDialog) show(at int) { d.at, d.settled = at, nil }

func (d *ResultsDialog) toggleWhole() { d.whole, d.settled = !d.whole, nil }

// linksAt returns the rows that a line of the report names, or why the line leads nowhere.
func (d *ResultsDialog) linksAt(line int) (spots []graph.Spot, why string) {
	if line >= len(d.content.Lines) {
		return nil, "there is no report yet"
	}
	return d.job().LinksAt(d.WS, d.content.Whole(line))
}

func (d *ResultsDialog) goToRefusal() string {
	_, why := d.linksAt(d.Rows.Cursor)
	switch {
	case why != "" && d.job().Blame != nil:
		return workspace.RefusalOf(d.WS, d.job().Blame)
	case d.link(-1) >= 0:
		return ""
	}
	return why
}

// goTo goes to the row that the selected line names. If it names none, the next line that names one is
// selected. In the report of a job that has failed, every other line leads to the row that caused the
// error.
func (d *ResultsDialog) goTo() tea.Cmd {
	spots, why := d.linksAt(d.Rows.Cursor)
	switch {
	case why != "" && d.job().Blame != nil:
		return d.goToBlame()
	case why != "":
		d.nextLink()
		return nil
	}
	d.WS.Host.Close(d)
	return workspace.GoToOne(d.WS, d.WS.Model(), spots)
}

// link returns the first line after another one that names a row, or -1.
func (d *ResultsDialog) link(after int) int {
	for i := after + 1; i < len(d.content.Lines); i++ {
		if _, why := d.linksAt(i); why == "" {
			return i
		}
	}
	return -1
}

func (d *ResultsDialog) linkRefusal() string {
	return actions.Unless(len(d.job().Links) > 0, "no line of this report names a node or value of the model")
}

// nextLink selects the next line that names a row, after the last one the first.
func (d *ResultsDialog) nextLink() {
	to := d.link(d.Rows.Cursor)
	if to < 0 {
		to = max(d.link(-1), 0)
	}
	d.Rows.MoveTo(to)
}

// settle selects the first line of a new report that names a row, if that is on the first page.
func (d *ResultsDialog) settle() {
	if j := d.job(); j.State != workspace.JobRunning && d.settled != j {
		d.settled = j
		d.Rows.Top, d.Rows.Cursor = 0, 0
		if at := d.link(-1); at >= 0 && at < d.Rows.Height {
			d.Rows.MoveTo(at)
		}
	}
}

func (d *ResultsDialog) goToBlame() tea.Cmd {
	d.WS.Host.Close(d)
	return workspace.GoToFault(d.WS, d.job().Blame)
}

// install installs what the job lacked.
func (d *ResultsDialog) install() tea.Cmd {
	d.WS.Host.Close(d)
	return d.WS.Host.PerformMain(workspace.ActionInstall)
}

// stored lists the results of earlier sessions.
func (d *ResultsDialog) stored() tea.Cmd {
	d.WS.Host.Close(d)
	return d.WS.Host.PerformMain(workspace.ActionStored)
}

func (d *ResultsDialog) storedRefusal() string { return StoredRefusal(d.WS) }

// StoredRefusal says why no stored results can be listed, or "".
func StoredRefusal(ws *workspace.Workspace) string {
	return actions.Unless(ws.KeepsResults(), "there is no folder for results, because $HOME is not set")
}

// followRefusal says why a step cannot measure the model or compare it with the original, or "".
func (d *ResultsDialog) followRefusal(step string) string {
	if why := d.WS.StepRefusal(step); why != "" {
		return why
	}
	return actions.Unless(d.WS.Model() != d.WS.Session.Original(), "the model is still the one that was opened")
}

// benchRefusal says why there is nothing to measure, or "". After a profile, its model is measured.
func (d *ResultsDialog) benchRefusal() string {
	if d.job().Name == "profile" {
		return d.WS.StepRefusal("bench")
	}
	return d.followRefusal("bench")
}

// follow opens the form of a step that measures or compares the model.
func (d *ResultsDialog) follow(step string) tea.Cmd {
	d.WS.Host.Close(d)
	return OpenForm(d.WS, step)
}

// editRefusal says why the step of the job cannot be changed, or "".
func (d *ResultsDialog) editRefusal() string {
	switch j := d.job(); {
	case j.Label != "":
		return "this result is of an earlier session; its options are not known"
	case j.State == workspace.JobRunning:
		return "the job is still running"
	case j.State == workspace.JobDone && j.Base != d.WS.Model():
		return "the model has changed since then; the list of steps changes what was done"
	case d.WS.NewStep(j.Name) == nil:
		return j.Name + " has no form, so it cannot be changed"
	}
	return ""
}

// retry runs the job's step again with the options that the report suggests. If the step made the
// current model, that is taken back first, because the step would not run on its own result.
func (d *ResultsDialog) retry() tea.Cmd {
	ws, j := d.WS, d.job()
	if j.Base == ws.Model() || ws.Session.CanUndo() != j.Name || ws.StepRefusal(j.Name) != "" {
		return d.edit(j.Retry())
	}
	step := d.again(j.Retry())
	undone := workspace.UndoStep(ws)
	if file, ok := session.WithRole(step, session.RoleModel); ok && len(file.Values()) > 0 {
		return tea.Batch(undone, d.edit(j.Retry())) // the form finds a free name
	}
	d.WS.Host.Close(d)
	run := ws.Run(step)
	ws.Host.Open(NewResultsDialog(ws))
	return tea.Batch(undone, run)
}

// again returns a new step of the job with the job's values, some of them replaced. Values that cannot
// be set are left empty.
func (d *ResultsDialog) again(other []session.Setting) session.Step {
	step := d.WS.NewStep(d.job().Name)
	_ = session.CallOf(d.job().Step).Apply(step, "")
	for _, o := range other {
		if err := workspace.SetOption(step, o.Name, o.Values...); err != nil {
			d.WS.Log.Fail(err)
		}
	}
	return step
}

// edit opens the form of the job's step with its values, some of them replaced. The form asks for values
// that cannot be set.
func (d *ResultsDialog) edit(other []session.Setting) tea.Cmd {
	step := d.again(other)
	d.WS.Host.Close(d)
	f, cmd := NewForm(d.WS, step, nil)
	f.takeFocus()
	return tea.Batch(cmd, f.AvoidExisting())
}

// reopen opens the form again if the step has refused its options, with the focus on the one that the error
// names. It does nothing if something else is open by then.
func (d *ResultsDialog) reopen(err error) tea.Cmd {
	var usage session.UsageError
	if !errors.As(err, &usage) || d.WS.Host.Top() != shell.Dialog(d) || d.editRefusal() != "" {
		return nil
	}
	cmd := d.edit(nil)
	if f, ok := d.WS.Host.Top().(*Form); ok {
		name, _, _ := strings.Cut(strings.TrimPrefix(usage.Error(), "--"), ":")
		if fl := f.Field(name); fl != nil {
			f.unfolded = f.unfolded || fl.Rare
			f.Focus(fl)
		}
	}
	return cmd
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

// Clicked implements shell.Pointed. It shows the job under the mouse, or goes to the node that the line
// under the mouse names.
func (d *ResultsDialog) Clicked(_, y int) tea.Cmd {
	from, to := d.listed()
	if from+y < to {
		d.show(from + y)
		return nil
	}
	if line := y - (to - from) - 1 + d.Rows.Top; line >= 0 && line < len(d.content.Lines) {
		d.Rows.MoveTo(line)
		if _, why := d.linksAt(line); why == "" {
			return d.goTo()
		}
	}
	return nil
}

// Wheeled implements shell.Pointed.
func (d *ResultsDialog) Wheeled(by int) { d.Rows.Scroll(by) }

// Sync implements shell.Pane.
func (d *ResultsDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	from, to := d.listed()
	d.content.Fold(d.drawn(), w)
	d.Rows.N = len(d.content.Lines)
	d.Rows.Resize(max(h-(to-from)-1, 0))
	d.settle()
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
	from, to = d.Rows.Visible()
	looks := theme.Paint("")
	if d.job().State == workspace.JobFailed {
		looks = st.Bad
	}
	for i := from; i < to; i++ {
		line := cells.Cut(d.content.Lines[i], d.w)
		switch _, why := d.linksAt(i); {
		case i == d.Rows.Cursor && d.settled != nil && (why == "" || i > 0):
			line = st.Selected.On(cells.Fit(line, d.w))
		default:
			line = looks.On(line)
		}
		lines = append(lines, line)
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
	if j.Label != "" {
		state, rest = cells.Fit("stored", 10), j.Label
	}
	return st.Key.On(lead) + looks.On(state) + cells.Cut(rest, d.w-12)
}

// OpenResultsAt shows the jobs of the session, with one of them selected.
func OpenResultsAt(ws *workspace.Workspace, j *workspace.Job) {
	d := NewResultsDialog(ws)
	d.show(max(slices.Index(ws.Jobs.List, j), 0))
	ws.Host.Open(d)
}

// OpenResults shows the jobs of the session.
func OpenResults(ws *workspace.Workspace) tea.Cmd { ws.Host.Open(NewResultsDialog(ws)); return nil }
