package session

import "lathe/graphops"

// Session is the history of one model: what it was opened as, and every model
// that a step made of it. It belongs to one goroutine; jobs get snapshots.
type Session struct {
	// Path is the file that was opened, as it was named.
	Path   string
	states []state
	now    int
	done   []Call // steps that made no new model, such as a benchmark
	count  int    // of everything done, so that the recipe keeps the order
}

// state is a model and the call that made it; the first has none.
type state struct {
	model *graphops.Model
	call  Call
}

// New starts a session on an opened model.
func New(path string, m *graphops.Model) *Session {
	return &Session{Path: path, states: []state{{model: m}}}
}

// Model is the current model.
func (s *Session) Model() *graphops.Model { return s.states[s.now].model }

// Original is the model as it was opened.
func (s *Session) Original() *graphops.Model { return s.states[0].model }

// Record notes a step that ran on the current model. A step that made a new
// model becomes the current state, and what had been undone is forgotten.
func (s *Session) Record(step Step, r Result) {
	call := CallOf(step)
	call.order = s.count
	s.count++
	if r.Model == nil {
		s.done = append(s.done, call)
		return
	}
	s.states = append(s.states[:s.now+1], state{r.Model, call})
	s.now++
}

// CanUndo tells the step that Undo would take back, "" for none.
func (s *Session) CanUndo() string {
	if s.now == 0 {
		return ""
	}
	return s.states[s.now].call.Step
}

// CanRedo tells the step that Redo would do again, "" for none.
func (s *Session) CanRedo() string {
	if s.now+1 == len(s.states) {
		return ""
	}
	return s.states[s.now+1].call.Step
}

// Undo goes back to the model before the last step that changed it.
func (s *Session) Undo() bool {
	if s.now == 0 {
		return false
	}
	s.now--
	return true
}

// Redo takes back an Undo.
func (s *Session) Redo() bool {
	if s.now+1 == len(s.states) {
		return false
	}
	s.now++
	return true
}

// Recipe is what was done and not undone, in order.
func (s *Session) Recipe() Recipe {
	r := Recipe{Model: s.Path}
	for _, p := range s.History() {
		r.Steps = append(r.Steps, p.Call)
	}
	return r
}
