package workspace

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/bench"
	"lathe/graphops"
	"lathe/session"
	"lathe/tui/graph"
)

// Answer is a message of a job or a timer. Answers to questions are of type task.Message.
type Answer interface {
	Take(ws *Workspace) tea.Cmd
}

// JobTickMsg says that a job is still running.
type JobTickMsg struct {
	ID       int
	Progress session.Progress
	Elapsed  time.Duration
}

// JobDoneMsg says that a job has ended.
type JobDoneMsg struct {
	ID      int
	elapsed time.Duration
	result  session.Result
	lines   []string
	whole   []string // the full report, if the step answered "no" and the normal report is abridged
	gist    string   // the lines in short
	Err     error
	blame   *graph.Blame
	// Table opens the tables of a report that compares two models. It is nil for other reports.
	table tea.Cmd
	// times has the times of nodes. It is nil for a report without times.
	times   *graph.NodeTimes
	signals *graph.NodeSignals
	// Measured is the report of a measurement of latency. It is nil for other reports.
	measured *bench.Report
	links    graph.Links
	linked   *graphops.Model // the model of links
}

// brokenMsg says that a command panicked, and where.
type brokenMsg struct{ err error }

// Take implements Answer.
func (m brokenMsg) Take(ws *Workspace) tea.Cmd {
	ws.Log.Fail(m.err)
	return nil
}
