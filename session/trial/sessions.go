package trial

import (
	"cmp"
	"context"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/runtime"
)

// Sessions is a graphops.Runner for callers that run the same few models again and again. It keeps the
// sessions of the models that it ran. After an error it drops the session, because the worker of the
// session may have ended.
type Sessions struct {
	Env    session.Env
	Opt    string // the optimization level of runtime.Execution
	Memory int64  // the memory limit of runtime.Execution
	Most   int    // how many are kept; 0 is maxSessions
	Any    bool   // sets Execution.AnyLibrary
	kept   []keptSession
}

type keptSession struct {
	model *graphops.Model
	names []string
	part  *graphops.Model
	runtime.Loaded
}

// maxSessions is how many sessions are kept by default: an original and the changed model.
const maxSessions = 2

// Run implements graphops.Runner. If all outputs are wanted, it runs the whole model, including
// nodes that no output needs, because the runtime may reject those too.
func (s *Sessions) Run(ctx context.Context, m *graphops.Model, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	k, err := s.session(ctx, m, want)
	if err != nil {
		return err
	}
	if err := k.Loaded.Run(ctx, runtime.FeedsOf(k.part, in), want, yield); err != nil {
		s.drop(0)
		return err
	}
	return nil
}

// session returns the session of a model and makes it the first of the kept ones.
func (s *Sessions) session(ctx context.Context, m *graphops.Model, want []graphops.Want) (keptSession, error) {
	names := make([]string, len(want))
	for i := range want {
		names[i] = want[i].Name
	}
	at := slices.IndexFunc(s.kept, func(k keptSession) bool { return k.model == m && slices.Equal(k.names, names) })
	if at >= 0 {
		k := s.kept[at]
		s.kept = slices.Insert(slices.Delete(s.kept, at, at+1), 0, k)
		return k, nil
	}
	part := m
	if !slices.Equal(names, graphops.ValueNames(m.Graph().Outputs())) {
		var err error
		if part, err = runtime.Expose(m, names); err != nil {
			return keptSession{}, err
		}
	}
	if most := cmp.Or(s.Most, maxSessions); len(s.kept) == most {
		s.drop(most - 1)
	}
	l, err := s.Env.Runtime.Load(ctx, part, runtime.Execution{Opt: s.Opt, Reuse: true, AnyLibrary: s.Any, MemoryLimit: s.Memory})
	if err != nil {
		return keptSession{}, err
	}
	k := keptSession{m, names, part, l}
	s.kept = slices.Insert(s.kept, 0, k)
	return k, nil
}

// drop ends a session. An error of its worker at the end does not affect earlier results.
func (s *Sessions) drop(i int) {
	_ = s.kept[i].Close()
	s.kept = slices.Delete(s.kept, i, i+1)
}

// Close ends all sessions.
func (s *Sessions) Close() {
	for len(s.kept) > 0 {
		s.drop(0)
	}
}
