package session

import (
	"slices"

	"lathe/graphops"
)

// Past is one step of a session's history: the call, and whether it changed the model.
type Past struct {
	Call    Call
	Changed bool
}

// past is a call with the models before and after it. They are the same model if the call did not
// change it.
type past struct {
	Past
	before, after *graphops.Model
}

// History returns the steps that were taken and not undone, in order.
func (s *Session) History() []Past {
	list := s.pasts()
	out := make([]Past, len(list))
	for i, p := range list {
		out[i] = p.Past
	}
	return out
}

// Before returns the model that a step of the history ran on.
func (s *Session) Before(i int) *graphops.Model { return s.pasts()[i].before }

// Undone returns the steps that Redo would take again, in this order.
func (s *Session) Undone() []Past {
	var out []Past
	for _, st := range s.states[s.now+1:] {
		if st.rewritten {
			break
		}
		out = append(out, Past{st.call, true})
	}
	return out
}

// pasts returns the steps from the opened model to the current one, in order. It includes the steps
// that did not change the model.
func (s *Session) pasts() []past {
	var changes []*state
	for st := s.states[s.now]; st.from != nil; st = st.from {
		changes = append(changes, st)
	}
	slices.Reverse(changes)
	others := s.states[s.now].line.aside
	list, m := make([]past, 0, len(changes)+len(others)), s.Original()
	for len(changes) > 0 || len(others) > 0 {
		if len(others) == 0 || len(changes) > 0 && changes[0].call.order < others[0].order {
			list = append(list, past{Past{changes[0].call, true}, m, changes[0].model})
			m, changes = changes[0].model, changes[1:]
			continue
		}
		list = append(list, past{Past{others[0], false}, m, m})
		others = others[1:]
	}
	return list
}

// Begin compares the session's history with another one. It returns a new session on the same model
// that has taken the steps with which both histories begin. rest has the steps of the other history
// that are still to be taken.
func (s *Session) Begin(history []Past) (begun *Session, rest []Past) {
	begun = New(s.Path, s.Original())
	begun.files, begun.opened = slices.Clone(s.files), s.opened
	for i, p := range s.pasts() {
		if i >= len(history) || p.Changed != history[i].Changed || !p.Call.Equal(history[i].Call) {
			return begun, history[i:]
		}
		if p.Changed {
			begun.record(p.Call, p.after)
		} else {
			begun.record(p.Call, nil)
		}
	}
	return begun, history[len(begun.History()):]
}

// Adopt replaces the history by that of o, a session on the same opened model. This counts as one
// change: Undo returns to the previous history.
func (s *Session) Adopt(o *Session) {
	st := *o.states[o.now]
	st.rewritten = true
	s.enter(&st)
}

// Equal reports whether two calls are of the same step with the same options.
func (c Call) Equal(d Call) bool {
	return c.Step == d.Step && slices.EqualFunc(c.Options, d.Options, func(a, b Setting) bool {
		return a.Name == b.Name && slices.Equal(a.Values, b.Values)
	})
}
