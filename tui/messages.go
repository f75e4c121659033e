package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/bench"
	"lathe/session"
	"lathe/tui/graph"
)

// answer is a message of a job or a timer. Answers to questions are of type task.Message.
type answer interface {
	Take(ws *workspace) tea.Cmd
}

// jobTickMsg says that a job is still running.
type jobTickMsg struct {
	id       int
	progress session.Progress
	elapsed  time.Duration
}

// jobDoneMsg says that a job has ended.
type jobDoneMsg struct {
	id      int
	elapsed time.Duration
	result  session.Result
	lines   []string
	whole   []string // the full report, if the step answered "no" and the normal report is abridged
	gist    string   // the lines in short
	err     error
	blame   *graph.Blame
	// table opens the tables of a report that compares two models. It is nil for other reports.
	table tea.Cmd
	// times has the times of nodes. It is nil for a report without times.
	times *graph.NodeTimes
	// measured is the report of a measurement of latency. It is nil for other reports.
	measured *bench.Report
}

// brokenMsg says that a command panicked, and where.
type brokenMsg struct{ err error }

func (m brokenMsg) Take(ws *workspace) tea.Cmd {
	ws.log.Fail(m.err)
	return nil
}
