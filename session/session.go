package session

import "lathe/graphops"

// Session is the history of one model: the model as it was opened, and every model
// that steps made from it. It belongs to one goroutine; jobs get snapshots.
type Session struct {
	// Path is the file that was opened, as it was named.
	Path     string
	states   []*state // that Undo and Redo go through
	now      int
	revision int
	files    []modelFile // the file that was opened first, the latest last
}

// state is a model and the way to it. It does not change.
type state struct {
	model *graphops.Model
	call  Call   // that made the model; none for the one that was opened
	from  *state // that the call was made on; nil for the one that was opened
	line  *line
	// rewritten states came in place of the one before them, not from it.
	rewritten bool
}

// line is what was done along states that came from each other: calls that made
// no new model, such as a benchmark, and how many there were of any kind, so
// that the recipe keeps the order.
type line struct {
	aside []Call
	count int
}

// Rewriting is what CanUndo and CanRedo call a history that took another one's
// place.
const Rewriting = "the change of the steps"

// New starts a session on an opened model.
func New(path string, m *graphops.Model) *Session {
	return &Session{Path: path, states: []*state{{model: m, line: &line{}}}, files: []modelFile{{path, m}}}
}

// Model is the current model.
func (s *Session) Model() *graphops.Model { return s.states[s.now].model }

// Original is the model as it was opened.
func (s *Session) Original() *graphops.Model { return s.states[0].model }

// Revision returns a number that changes with every change of the session.
func (s *Session) Revision() int { return s.revision }

// Record notes a step that ran on the current model. A step that made a new
// model becomes the current state, and what had been undone is forgotten.
func (s *Session) Record(step Step, r Result) { s.record(CallOf(step), r.Model) }

func (s *Session) record(c Call, m *graphops.Model) {
	here := s.states[s.now]
	c.order = here.line.count
	here.line.count++
	if m == nil {
		here.line.aside = append(here.line.aside, c)
		s.revision++
		return
	}
	s.enter(&state{model: m, call: c, from: here, line: here.line})
}

// enter makes a state the current one.
func (s *Session) enter(st *state) {
	s.states = append(s.states[:s.now+1:s.now+1], st)
	s.now++
	s.revision++
}

// CanUndo returns the step that Undo would undo, or "" if there is none.
func (s *Session) CanUndo() string {
	if s.now == 0 {
		return ""
	}
	return s.states[s.now].what()
}

// CanRedo returns the step that Redo would redo, or "" if there is none.
func (s *Session) CanRedo() string {
	if s.now+1 == len(s.states) {
		return ""
	}
	return s.states[s.now+1].what()
}

func (st *state) what() string {
	if st.rewritten {
		return Rewriting
	}
	return st.call.Step
}

// Undo goes back to the model before the last step that changed it, or to the
// history before the one that took its place.
func (s *Session) Undo() bool {
	if s.now == 0 {
		return false
	}
	s.now--
	s.revision++
	return true
}

// Redo reverts an Undo.
func (s *Session) Redo() bool {
	if s.now+1 == len(s.states) {
		return false
	}
	s.now++
	s.revision++
	return true
}

// Recipe returns the steps that were taken and not undone, in order.
func (s *Session) Recipe() Recipe {
	r := Recipe{Model: s.Path}
	for _, p := range s.History() {
		r.Steps = append(r.Steps, p.Call)
	}
	return r
}
