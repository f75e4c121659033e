package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/reporting"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/shell"
)

// JobState is the state of a job.
type JobState int

// The states of a job.
const (
	JobRunning JobState = iota
	JobDone
	JobNo // it answered "no"
	JobFailed
	JobCancelled
)

var jobStates = [...]string{JobRunning: "running", JobDone: "ok", JobNo: "not ok", JobFailed: "failed", JobCancelled: "cancelled"}

// String returns the state as the list of jobs shows it.
func (s JobState) String() string { return jobStates[s] }

// Job is a step that runs or has run, and its result.
type Job struct {
	*session.Job
	Name    string
	Command string // the command that does the same on the model as it was when the job began
	// Script is what does the same on the opened model: the commands of the steps so far, and Command.
	Script string
	// Label names the result of an earlier session in the list of jobs. It is "" for a job of this
	// session.
	Label   string
	Base    *graphops.Model
	path    string                     // the last file that base was read from or written to
	unsaved bool                       // the step opened the model as it is, which is in no file
	called  map[string]*graphops.Model // models of the session by the names that a report gives them
	State   JobState
	// Asked is true after the person has cancelled the job.
	Asked bool
	// Settle is called when the job has ended. Its error is nil if the job succeeded. If settle is
	// nil, the step is recorded in the session instead.
	Settle func(err error) tea.Cmd
	// Finds is true if the result is a finding, such as differences, and neither good nor bad.
	Finds bool
	// After is called when the job has ended and its result was recorded. Its error is nil if the job
	// succeeded. It may be nil.
	After func(err error) tea.Cmd

	Progress session.Progress
	Elapsed  time.Duration
	PhaseAt  time.Duration   // when the phase began
	Lines    []string        // the report, or the error, safe to print
	Whole    []string        // the unabridged report, or nil
	Blame    *graph.Blame    // what the error is about, nil if that is not known
	Links    graph.Links     // the rows that lines of the report name
	linked   *graphops.Model // the model of Links
	// Table opens the tables of a job that compared two models. It is nil for other jobs.
	Table    tea.Cmd
	Measured *bench.Report // nil for a job that measured no latency
	// Suggests is the report of a failed job that suggests options with which it may succeed. It is
	// nil for other jobs.
	Suggests session.Suggesting
	// LacksRuntime is set if the job failed because there is no usable ONNX Runtime.
	LacksRuntime bool
}

// EarlierJob makes a job from a measurement of an earlier session, or without one.
func EarlierJob(r *bench.Report, command string) *Job {
	var lines []string
	if r != nil {
		var err error
		if lines, err = reportLines(r, 0); err != nil {
			lines = cells.SafeLines(err.Error())
		}
	}
	return &Job{Job: &session.Job{}, Name: "bench", Command: command, State: JobDone, Lines: lines, Measured: r}
}

// Jobs are the jobs of this session, the newest last. Only one job runs at a time. Two would
// disturb each other's measurements, and the second would not see the changes of the first.
type jobs struct {
	starter session.Jobs
	List    []*Job
}

// Running returns the job that is running, or nil.
func (js *jobs) Running() *Job {
	if n := len(js.List); n > 0 && js.List[n-1].State == JobRunning {
		return js.List[n-1]
	}
	return nil
}

// Cancel asks the running job to stop. It returns false if no job is running, or if the job has
// been asked before.
func (js *jobs) Cancel() bool {
	j := js.Running()
	if j == nil || j.Asked {
		return false
	}
	j.Asked = true
	j.Cancel()
	return true
}

// Wait waits until the running job has ended, but at most for patience. The job has been cancelled
// before.
func (js *jobs) Wait(patience time.Duration) {
	j := js.Running()
	if j == nil {
		return
	}
	select {
	case <-j.Done():
	case <-time.After(patience):
	}
}

// byID returns the job with a number, or nil.
func (js *jobs) byID(id int) *Job {
	i := slices.IndexFunc(js.List, func(j *Job) bool { return j.ID == id })
	if i < 0 {
		return nil
	}
	return js.List[i]
}

// Busy explains that no job can be started because another one is running. It returns "" if none
// is.
func (ws *Workspace) Busy() string {
	if j := ws.Jobs.Running(); j != nil {
		return fmt.Sprintf("%s is running; %s cancels it", j.Name, ws.Keys.Key(shell.PlaceAlways, ActionInterrupt))
	}
	return ""
}

// StepRefusal explains why a step cannot be run now; "" if it can.
func (ws *Workspace) StepRefusal(name string) string {
	if why := ws.Busy(); why != "" {
		return why
	}
	return actions.Unless(ws.NewStep(name) != nil, fmt.Sprintf("there is no step %q", name))
}

// Run starts a step as a job on the current model.
func (ws *Workspace) Run(step session.Step) tea.Cmd {
	return ws.Start(step, ws.JobOf(step))
}

// JobOf returns a job of a step that has not started.
func (ws *Workspace) JobOf(step session.Step) *Job {
	return &Job{Name: step.Name(), Command: session.CommandOf(step, ws.Called())}
}

// RunAll runs steps one after the other, until one fails.
func (ws *Workspace) RunAll(steps ...session.Step) tea.Cmd {
	if len(steps) == 0 {
		return nil
	}
	j := &Job{Name: steps[0].Name(), Command: session.CommandOf(steps[0], ws.Called())}
	j.After = func(err error) tea.Cmd {
		if err != nil {
			return nil
		}
		return ws.RunAll(steps[1:]...)
	}
	return ws.Start(steps[0], j)
}

// Start starts a step on the current model as the job j.
func (ws *Workspace) Start(step session.Step, j *Job) tea.Cmd {
	j.Base = ws.Model()
	j.path = ws.path(j.Base)
	j.unsaved, j.called = ws.OpensUnsaved(step), ws.calledInReports()
	if j.Script = j.Command; j.Command == session.CommandOf(step, ws.Called()) && !j.unsaved {
		j.Script = ws.CommandLines(step)
	}
	j.Job = ws.Jobs.starter.Start(ws.Ctx, step, ws.Env(), j.Base)
	ws.Jobs.List = append(ws.Jobs.List, j)
	return ws.watch(j)
}

// watch waits until the job ends or until it is time to look at its progress.
func (ws *Workspace) watch(j *Job) tea.Cmd {
	running, base, path, command := j.Job, j.Base, j.path, j.Command
	lookEvery, tableOf, now := ws.Tasks.Look, ws.TableOf, ws.Options.Now
	width := ws.Host.Width()
	return Guarded(j.Name, func() tea.Msg {
		timer := time.NewTimer(lookEvery)
		defer timer.Stop()
		select {
		case <-timer.C:
			p, elapsed := running.Progress()
			return JobTickMsg{running.ID, p, elapsed}
		case <-running.Done():
		}
		_, elapsed := running.Progress()
		result, err := running.Result()
		m := JobDoneMsg{ID: running.ID, elapsed: elapsed, result: result, Err: err}
		if err == nil {
			m.lines, m.Err = reportLines(result.Report, width)
			m.whole = wholeLines(result)
			m.gist = GistOf(result.Report, m.lines)
			m.table = tableOf(result.Report, base, path, command)
			if r, ok := result.Report.(reporting.Timed); ok {
				m.times = graph.NewNodeTimes(r, base)
				m.times.Said = profileOf(result.Report, now())
			}
			if r, ok := result.Report.(reporting.Costing); ok {
				m.signals = graph.NewNodeCosts(r, base)
			}
			if r, ok := result.Report.(reporting.Measured); ok {
				m.measured = r.Measurement()
			}
			m.linked = cmp.Or(result.Model, base)
			m.links = graph.LinksOf(m.linked, slices.Concat(m.lines, m.whole))
		} else {
			m.blame = graph.BlameOf(err, running.Step, base)
		}
		return m
	})
}

// profileOf names a profile that has just been measured.
func profileOf(r session.Report, now time.Time) string {
	out := "profile of " + store.When(now, now)
	if of, ok := r.(interface{ MeasuredWith() string }); ok {
		out += ", " + of.MeasuredWith()
	}
	return cells.Prose(out)
}

// Take implements Answer: it shows the progress of a job and schedules the next look.
func (m JobTickMsg) Take(ws *Workspace) tea.Cmd {
	j := ws.Jobs.byID(m.ID)
	if j == nil || j.State != JobRunning {
		return nil
	}
	if m.Progress.Phase != j.Progress.Phase {
		j.PhaseAt = m.Elapsed
	}
	j.Progress, j.Elapsed = m.Progress, m.Elapsed
	return ws.watch(j)
}

// finish stores the result of a job.
func (j *Job) finish(m JobDoneMsg) {
	j.Elapsed, j.Lines, j.Whole, j.Blame = m.elapsed, m.lines, m.whole, m.blame
	j.Measured, j.Links, j.linked = m.measured, m.links, m.linked
	if m.table != nil {
		j.Table = m.table
	}
	j.Suggests, _ = m.result.Report.(session.Suggesting)
	j.LacksRuntime = errors.Is(m.Err, ort.ErrNoRuntime)
	switch {
	case errors.Is(m.Err, context.Canceled) && j.Asked:
		j.State, j.Lines = JobCancelled, []string{"cancelled; the model is unchanged"}
		if r, ok := m.result.Report.(reporting.Measured); ok && r.Measurement() != nil {
			j.Lines = append(j.Lines, "what was measured until then is among the results, marked as broken off")
		}
	case m.Err != nil:
		j.State, j.Lines = JobFailed, cells.SafeLines(m.Err.Error())
	case m.result.No:
		j.State = JobNo
	default:
		j.State = JobDone
	}
}

// ErrStaleJob is the error of a job whose model is not the current one any more.
var ErrStaleJob = errors.New("finished, but the model has changed in the meantime, so the result is discarded")

// Take implements Answer. It stores the result of a job. If the job made a new model, that becomes
// the current model, unless the current model has changed since the job began.
func (m JobDoneMsg) Take(ws *Workspace) tea.Cmd {
	j := ws.Jobs.byID(m.ID)
	if j == nil || j.State != JobRunning {
		return nil
	}
	j.finish(m)
	if len(m.result.Files) > 0 {
		ws.Session.NoteFiles(j.Step, j.Base, m.result)
	}
	err := m.Err
	if err == nil && m.result.Model != nil && j.Base != ws.Model() {
		err = ErrStaleJob
	}
	switch {
	case j.State == JobCancelled:
		ws.Log.Say(j.Name + ": cancelled")
	case err != nil:
		ws.Log.Fail(failureOf(ws, j, err))
	case j.Finds:
		ws.Log.Say(j.Name + ": " + m.gist)
	default:
		ws.Log.Say(fmt.Sprintf("%s: %s; %s", j.Name, j.State, strings.Join(append(wrote(m.result.Files), m.gist), "; ")))
	}
	cmd := j.record(ws, m, err)
	if j.After != nil {
		cmd = tea.Batch(cmd, j.After(err))
	}
	return cmd
}

// record records the result of a job that has ended.
func (j *Job) record(ws *Workspace, m JobDoneMsg, err error) tea.Cmd {
	switch {
	case j.Settle != nil:
		return j.Settle(err)
	case err != nil:
		return nil
	default:
		j.shareLatency(ws)
		return tea.Batch(ws.takeDiagnosis(j.Base, m.result.Report), TakeTimes(ws, j.Base, m.times), TakeSignals(ws, j.Base, m.signals), recordStep(ws, j, m.result), j.Table)
	}
}

// shareLatency shows the measured latencies of models of the session.
func (j *Job) shareLatency(ws *Workspace) {
	if j.Measured == nil {
		return
	}
	for _, run := range slices.Backward(j.Measured.Runs) {
		if run.Decode != nil { // the time of a prompt or of a token
			continue
		}
		TakeLatency(ws, j.called[run.Model], []graph.Latency{graph.LatencyOf(run, j.Measured.Noise(run.Name), time.Time{})})
	}
}

// recordStep adds a step to the session and shows the model that it made. A step that opened a model
// that is in no file could not be taken again, so it is not added. Neither is a comparison that
// fails: with it, the recipe would fail every time.
func recordStep(ws *Workspace, j *Job, r session.Result) tea.Cmd {
	_, compares := r.Report.(reporting.SideBySide)
	if !j.unsaved && !(compares && r.No) {
		ws.Session.Record(j.Step, r)
	}
	if r.Model == nil {
		return nil
	}
	dropFulfilledMarks(ws)
	return tea.Batch(ws.ShowModel(), takePins(ws, r))
}

// wrote returns a line that names the files a step has written.
func wrote(files []string) []string {
	if len(files) == 0 {
		return nil
	}
	return []string{"wrote " + strings.Join(files, " and ")}
}

// dropFulfilledMarks removes the marks when the model's outputs are exactly the marked values.
func dropFulfilledMarks(ws *Workspace) {
	for _, v := range ws.Model().Graph().Outputs() {
		if !ws.Marks.Has(v.Name()) {
			return
		}
	}
	ws.Marks.Names = nil
}

// LinksAt returns the rows that a line of the report names, or why the line leads nowhere.
func (j *Job) LinksAt(ws *Workspace, line string) (spots []graph.Spot, why string) {
	spots = j.Links[line]
	switch {
	case len(spots) == 0:
		return nil, "this line names no node or value of the model"
	case j.linked != ws.Model():
		return nil, "the model has changed since this report"
	}
	return spots, ""
}

// Failures returns the failed jobs on the visible model, the latest first. It leaves out those whose step
// succeeded later, and those that lacked an ONNX Runtime if one was installed later.
func (js *jobs) Failures(m *graphops.Model) (out []*Job) {
	done := map[string]bool{}
	for _, j := range slices.Backward(js.List) {
		wrong, _ := j.Wrong()
		switch {
		case j.State == JobDone:
			done[j.Name] = true
		case wrong != "" && j.Base == m && !done[j.Name] && !(j.LacksRuntime && done[InstallsRuntime]):
			out = append(out, j)
		}
	}
	return out
}

// InstallsRuntime is the name of the job that installs an ONNX Runtime, and of the command that does so.
const InstallsRuntime = "runtime install"

// InstallRefusal says why a job gives no reason to install an ONNX Runtime, or "".
func (j *Job) InstallRefusal() string {
	return actions.Unless(j.LacksRuntime, "this job did not lack an ONNX Runtime")
}

// Wrong returns the error of a failed job and a hint that may help. Both are "" for other jobs.
func (j *Job) Wrong() (text, remedy string) {
	switch {
	case j.State == JobFailed:
		return strings.Join(j.Lines, " "), ""
	case j.Suggests != nil:
		return j.Suggests.Wrong()
	}
	return "", ""
}

// Retry returns changed options with which a failed step may succeed, if its report suggests any.
func (j *Job) Retry() []session.Setting {
	if j.Suggests == nil {
		return nil
	}
	return j.Suggests.Retry()
}
