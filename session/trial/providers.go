package trial

import (
	"context"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/runtime"
)

// OnProviders returns an environment in which models run with the options in o, such as its
// execution providers. Only the optimization level is chosen by each caller.
func OnProviders(env session.Env, o runtime.Execution) session.Env {
	env.Runtime = providers{env.Runtime, o}
	return env
}

type providers struct {
	runtime.Runtime
	how runtime.Execution
}

// Load implements runtime.Runtime.
func (r providers) Load(ctx context.Context, m *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	how := r.how
	how.Opt, how.Reuse, how.AnyLibrary = o.Opt, o.Reuse, o.AnyLibrary
	return r.Runtime.Load(ctx, m, how)
}

// Prepare starts a worker for Load.
func (r providers) Prepare(ctx context.Context, need runtime.Need, o runtime.Execution) (end func()) {
	how := r.how
	how.AnyLibrary = o.AnyLibrary
	return session.Env{Runtime: r.Runtime}.Ready(ctx, need, how)
}

// Version returns the version of ONNX Runtime.
func (r providers) Version(ctx context.Context) string {
	return session.Env{Runtime: r.Runtime}.RuntimeVersion(ctx)
}

// HasProvider reports whether the machine has an execution provider. Those that the models run with
// are there.
func (r providers) HasProvider(ctx context.Context, name string) (has, known bool) {
	for _, p := range r.how.Providers {
		if p.Name == name {
			return true, true
		}
	}
	if ask := (session.Env{Runtime: r.Runtime}).HasProvider(ctx); ask != nil {
		return ask(name)
	}
	return false, false
}
