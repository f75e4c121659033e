package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/bench"
	"lathe/graphops"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/shell"
)

// jobState is the state of a job.
type jobState int

// The states of a job.
const (
	jobRunning jobState = iota
	jobDone
	jobNo // it answered "no"
	jobFailed
	jobCancelled
)

var jobStates = [...]string{jobRunning: "running", jobDone: "ok", jobNo: "no", jobFailed: "failed", jobCancelled: "cancelled"}

func (s jobState) String() string { return jobStates[s] }

// job is a step that runs or has run, and its result.
type job struct {
	*session.Job
	name    string
	command string // the command that does the same
	base    *graphops.Model
	path    string // the last file that base was read from or written to
	state   jobState
	// asked is true after the person has cancelled the job.
	asked bool
	// settle is called when the job has ended. Its error is nil if the job succeeded. If settle is
	// nil, the step is recorded in the session instead.
	settle func(err error) tea.Cmd

	progress session.Progress
	elapsed  time.Duration
	phaseAt  time.Duration // when the phase began
	lines    []string      // the report, or the error, safe to print
	whole    []string      // the unabridged report, or nil
	blame    *graph.Blame  // what the error is about, nil if that is not known
	// table opens the tables of a job that compared two models. It is nil for other jobs.
	table    tea.Cmd
	measured *bench.Report // nil of jobs that measured no latency
	// suggests is the report of a failed job that suggests options with which it may succeed. It is
	// nil for other jobs.
	suggests session.Suggesting
}

// earlierJob makes a job from a measurement of an earlier session.
func earlierJob(r *bench.Report, command string) *job {
	lines, err := reportLines(r)
	if err != nil {
		lines = cells.SafeLines(err.Error())
	}
	return &job{Job: &session.Job{}, name: "bench", command: command, state: jobDone, lines: lines, measured: r}
}

// jobs are the jobs of this session, the newest last. Only one job runs at a time. Two would
// disturb each other's measurements, and the second would not see the changes of the first.
type jobs struct {
	starter session.Jobs
	list    []*job
}

// running returns the job that is running, or nil.
func (js *jobs) running() *job {
	if n := len(js.list); n > 0 && js.list[n-1].state == jobRunning {
		return js.list[n-1]
	}
	return nil
}

// cancel asks the running job to stop. It returns false if no job is running, or if the job has
// been asked before.
func (js *jobs) cancel() bool {
	j := js.running()
	if j == nil || j.asked {
		return false
	}
	j.asked = true
	j.Cancel()
	return true
}

// wait waits until the running job has ended, but at most for patience. The job has been cancelled
// before.
func (js *jobs) wait(patience time.Duration) {
	j := js.running()
	if j == nil {
		return
	}
	select {
	case <-j.Done():
	case <-time.After(patience):
	}
}

// byID returns the job with a number, or nil.
func (js *jobs) byID(id int) *job {
	i := slices.IndexFunc(js.list, func(j *job) bool { return j.ID == id })
	if i < 0 {
		return nil
	}
	return js.list[i]
}

// busy explains that no job can be started because another one is running. It returns "" if none
// is.
func (ws *workspace) busy() string {
	if j := ws.jobs.running(); j != nil {
		return fmt.Sprintf("%s is running; %s cancels it", j.name, ws.keys.Key(shell.PlaceAlways, actionInterrupt))
	}
	return ""
}

// stepRefusal explains why a step cannot be run now; "" if it can.
func (ws *workspace) stepRefusal(name string) string {
	if why := ws.busy(); why != "" {
		return why
	}
	return actions.Unless(ws.newStep(name) != nil, fmt.Sprintf("there is no step %q", name))
}

// run starts a step as a job on the current model.
func (ws *workspace) run(step session.Step) tea.Cmd {
	return ws.start(step, &job{name: step.Name(), command: session.CommandOf(step, ws.o.Path)})
}

func (ws *workspace) start(step session.Step, j *job) tea.Cmd {
	j.base = ws.model()
	j.path = ws.path(j.base)
	j.Job = ws.jobs.starter.Start(ws.ctx, step, ws.o.Env, j.base)
	ws.jobs.list = append(ws.jobs.list, j)
	return ws.watch(j)
}

// watch waits until the job ends or until it is time to look at its progress.
func (ws *workspace) watch(j *job) tea.Cmd {
	running, base, path, command := j.Job, j.base, j.path, j.command
	lookEvery, tableOf := ws.tasks.Look, ws.tableOf
	return guarded(j.name, func() tea.Msg {
		timer := time.NewTimer(lookEvery)
		defer timer.Stop()
		select {
		case <-timer.C:
			p, elapsed := running.Progress()
			return jobTickMsg{running.ID, p, elapsed}
		case <-running.Done():
		}
		_, elapsed := running.Progress()
		result, err := running.Result()
		m := jobDoneMsg{id: running.ID, elapsed: elapsed, result: result, err: err}
		if err == nil {
			m.lines, m.err = reportLines(result.Report)
			m.whole = wholeLines(result)
			m.gist = gistOf(result.Report, m.lines)
			m.table = tableOf(result.Report, base, path, command)
			if r, ok := result.Report.(session.Timed); ok {
				m.times = graph.NewNodeTimes(r, base)
			}
			if r, ok := result.Report.(session.Measured); ok {
				m.measured = r.Measurement()
			}
		} else {
			m.blame = graph.BlameOf(err, running.Step, base)
		}
		return m
	})
}

// Take implements answer: it shows the progress of a job and schedules the next look.
func (m jobTickMsg) Take(ws *workspace) tea.Cmd {
	j := ws.jobs.byID(m.id)
	if j == nil || j.state != jobRunning {
		return nil
	}
	if m.progress.Phase != j.progress.Phase {
		j.phaseAt = m.elapsed
	}
	j.progress, j.elapsed = m.progress, m.elapsed
	return ws.watch(j)
}

// finish stores the result of a job.
func (j *job) finish(m jobDoneMsg) {
	j.elapsed, j.lines, j.whole, j.blame = m.elapsed, m.lines, m.whole, m.blame
	j.measured = m.measured
	if m.table != nil {
		j.table = m.table
	}
	j.suggests, _ = m.result.Report.(session.Suggesting)
	switch {
	case errors.Is(m.err, context.Canceled) && j.asked:
		j.state, j.lines = jobCancelled, []string{"cancelled; nothing was changed"}
	case m.err != nil:
		j.state, j.lines = jobFailed, cells.SafeLines(m.err.Error())
	case m.result.No:
		j.state = jobNo
	default:
		j.state = jobDone
	}
}

var errStaleJob = errors.New("finished, but the model has changed in the meantime, so the result is discarded")

// Take implements answer. It stores the result of a job. If the job made a new model, that becomes
// the current model, unless the current model has changed since the job began.
func (m jobDoneMsg) Take(ws *workspace) tea.Cmd {
	j := ws.jobs.byID(m.id)
	if j == nil || j.state != jobRunning {
		return nil
	}
	j.finish(m)
	if len(m.result.Files) > 0 {
		ws.session.NoteFiles(j.Step, j.base, m.result)
	}
	err := m.err
	if err == nil && m.result.Model != nil && j.base != ws.model() {
		err = errStaleJob
	}
	switch {
	case j.state == jobCancelled:
		ws.log.Say(j.name + ": cancelled")
	case err != nil:
		ws.log.Fail(failureOf(ws, j, err))
	default:
		ws.log.Say(fmt.Sprintf("%s: %s; %s", j.name, j.state, strings.Join(append(wrote(m.result.Files), m.gist), "; ")))
	}
	switch {
	case j.settle != nil:
		return j.settle(err)
	case err != nil:
		return nil
	default:
		return tea.Batch(ws.takeDiagnosis(j.base, m.result.Report), takeTimes(ws, j.base, m.times), recordStep(ws, j.Step, m.result), j.table)
	}
}

// recordStep adds a step to the session and shows the model that it made.
func recordStep(ws *workspace, step session.Step, r session.Result) tea.Cmd {
	ws.session.Record(step, r)
	if r.Model == nil {
		return nil
	}
	dropFulfilledMarks(ws)
	return tea.Batch(ws.showModel(), takePins(ws, r))
}

// wrote returns a line that names the files a step has written.
func wrote(files []string) []string {
	if len(files) == 0 {
		return nil
	}
	return []string{"wrote " + strings.Join(files, " and ")}
}

// dropFulfilledMarks removes the marks when the model's outputs are exactly the marked values.
func dropFulfilledMarks(ws *workspace) {
	for _, v := range ws.model().Graph().Outputs() {
		if !ws.marks.has(v.Name()) {
			return
		}
	}
	ws.marks.names = nil
}
