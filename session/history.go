package session

import (
	"slices"

	"lathe/graphops"
)

// Past is a call of a session, and whether it changed the model.
type Past struct {
	Call    Call
	Changed bool
}

// past is a call and the models around it, the same one where it changed nothing.
type past struct {
	Past
	before, after *graphops.Model
}

// History is what was done and not undone, in order.
func (s *Session) History() []Past {
	list := s.pasts()
	out := make([]Past, len(list))
	for i, p := range list {
		out[i] = p.Past
	}
	return out
}

// Before is the model that a step of the history was taken on.
func (s *Session) Before(i int) *graphops.Model { return s.pasts()[i].before }

// Undone is what Redo would do again step by step, the next first.
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

// pasts are the steps of the current state, in order.
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

// Begin is a session of its own with the steps that another history begins with
// like this one, and what is left of that history.
func (s *Session) Begin(history []Past) (begun *Session, rest []Past) {
	begun = New(s.Path, s.Original())
	begun.files = slices.Clone(s.files)
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

// Adopt takes over what another session of the same model has come to. It is one
// change: Undo leads back to this history as it was.
func (s *Session) Adopt(o *Session) {
	st := *o.states[o.now]
	st.rewritten = true
	s.enter(&st)
}

// Equal reports whether two calls do the same.
func (c Call) Equal(d Call) bool {
	return c.Step == d.Step && slices.EqualFunc(c.Options, d.Options, func(a, b Setting) bool {
		return a.Name == b.Name && slices.Equal(a.Values, b.Values)
	})
}
