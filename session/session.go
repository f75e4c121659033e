package session

import "lathe/graphops"

// Session is the history of one model: the model as it was opened, and every model
// that steps made from it. It belongs to one goroutine; jobs get snapshots.
type Session struct {
	// Path is the file that was opened, as the person typed it.
	Path     string
	states   []*state // the states that Undo and Redo go through, in order
	now      int
	revision int
	files    []modelFile // the opened file first, the latest last
	opened   *digested
}

// state is a model and how it was made. It is immutable.
type state struct {
	model *graphops.Model
	call  Call   // the call that made the model; zero for the opened model
	from  *state // the state on which the call ran; nil for the opened model
	line  *line
	// rewritten is set if the history of this state replaces that of the state before it. Otherwise
	// the state continues that history by one step.
	rewritten bool
}

// line records the calls that made no new model, such as a benchmark, in all states that follow
// from one another. count is the number of calls of every kind; it gives each call its position in
// the recipe.
type line struct {
	aside []Call
	count int
}

// Rewriting is what CanUndo and CanRedo return, instead of the name of a step, for a change that
// replaced the whole history.
const Rewriting = "the change of the steps"

// New starts a session on an opened model.
func New(path string, m *graphops.Model) *Session {
	return &Session{Path: path, states: []*state{{model: m, line: &line{}}}, files: []modelFile{{path, m}}, opened: &digested{of: m}}
}

// Model is the current model.
func (s *Session) Model() *graphops.Model { return s.states[s.now].model }

// Original is the model as it was opened.
func (s *Session) Original() *graphops.Model { return s.states[0].model }

// Revision returns a number that differs after every change of the session, so that a caller can
// notice changes.
func (s *Session) Revision() int { return s.revision }

// Record notes a step that ran on the current model. If the step made a new model, that becomes the
// current state, and undone steps are forgotten.
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

// enter makes st the current state. The states that Redo could return to are forgotten.
func (s *Session) enter(st *state) {
	s.states = append(s.states[:s.now+1:s.now+1], st)
	s.now++
	s.revision++
}

// CanUndo returns the name of the step that Undo would undo, or "" if there is nothing to undo.
func (s *Session) CanUndo() string {
	if s.now == 0 {
		return ""
	}
	return s.states[s.now].what()
}

// CanRedo returns the name of the step that Redo would take again, or "" if nothing was undone.
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

// Undo returns to the model before the last step that changed it, or to the history that was
// replaced.
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
