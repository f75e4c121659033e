package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/bench"
	"lathe/graphops"
	"lathe/session"
)

// answer is a message that the workbench as a whole takes. It carries what it
// answers for, and is dropped where that has been overtaken.
type answer interface {
	take(a *App) tea.Cmd
}

// wiredMsg brings the wiring of an outline.
type wiredMsg struct{ wiring *wiring }

// prunePreviewMsg brings what a prune to the marks would do.
type prunePreviewMsg struct {
	ticket  int
	dropped []bool // by row
	line    string
	err     error
}

// pauseMsg ends the pause after the last key in a form.
type pauseMsg struct {
	form   *form
	ticket int
}

// formPreviewMsg brings what a form's step would do.
type formPreviewMsg struct {
	form   *form
	ticket int
	lines  []string
	found  session.Introspected // nil of most steps
	err    error
}

// freePathMsg brings a path that nothing lies at yet, for a field that was
// filled in for the person.
type freePathMsg struct {
	form   *form
	option string
	path   string
}

// jobTickMsg tells that a job still runs.
type jobTickMsg struct {
	id       int
	progress session.Progress
	elapsed  time.Duration
}

// jobDoneMsg tells that a job has ended.
type jobDoneMsg struct {
	id      int
	elapsed time.Duration
	result  session.Result
	lines   []string
	whole   []string // of a report that leaves something out, where the answer is no
	gist    string   // of the lines
	err     error
	blame   *blame
	// validation is the table of a report on two models, nil of others.
	validation *validation
	// times are those of the nodes, nil of a report that tells none.
	times *nodeTimes
	// measured is what a measurement of latency found, nil of other reports.
	measured *bench.Report
}

// recipeSavedMsg says that a recipe was written, or why not.
type recipeSavedMsg struct {
	path   string
	model  *graphops.Model // that the recipe leads to
	exists bool            // a file lies there and was left alone
	err    error
}

// brokenMsg tells that a command panicked, and where.
type brokenMsg struct{ err error }

func (m brokenMsg) take(a *App) tea.Cmd {
	a.ws.log.fail(m.err)
	return nil
}
