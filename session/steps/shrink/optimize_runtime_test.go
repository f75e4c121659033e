package shrink

import (
	"context"
	"errors"
	"testing"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/runtime"
	"lathe/session/trial"
)

// asked is a Runtime that records the requests.
type asked struct {
	runtime.Runtime
	ready, load runtime.Execution
}

func (a *asked) Load(_ context.Context, _ *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	a.load = o
	return nil, errors.New("loads nothing")
}

func (a *asked) Prepare(_ context.Context, _ runtime.Need, o runtime.Execution) (end func()) {
	a.ready = o
	return func() {}
}

// TestOnProviders checks that the options of a command are combined with those of each run: the
// optimization level, and whether any library may be used.
func TestOnProviders(t *testing.T) {
	a := &asked{}
	env := trial.OnProviders(session.Env{Runtime: a}, runtime.Execution{Threads: 3, Opt: "all"})
	own := runtime.Execution{Opt: "disable", Reuse: true, AnyLibrary: true}
	env.Ready(t.Context(), runtime.NeedWorker, own)
	if _, err := env.Runtime.Load(t.Context(), nil, own); err == nil {
		t.Error("expected the error of the runtime")
	}
	if a.ready.Threads != 3 || !a.ready.AnyLibrary {
		t.Errorf("made ready for %+v", a.ready)
	}
	if l := a.load; l.Threads != 3 || l.Opt != "disable" || !l.Reuse || !l.AnyLibrary {
		t.Errorf("loaded with %+v", l)
	}
}
