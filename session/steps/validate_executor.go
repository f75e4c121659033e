package steps

import (
	"cmp"
	"context"
	"errors"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/ort"
	"lathe/session/reporting"
)

// executor runs a model file as a side of a comparison. After a crash, the next run uses a new
// worker.
type executor struct {
	env     session.Env
	path    string
	how     session.Execution
	library string      // the ONNX Runtime named for this side only, or ""
	inputs  []inputPair // which inputs of the other side it gets; nil for all, by name
	model   *graphops.Model
	session session.Loaded
	types   signature
	side    side   // set by the last load
	idle    string // note about a provider that runs no node, or ""
}

// signature is the inputs and outputs that the runtime reported when the model was loaded. They
// stay known after a crash.
type signature struct{ inputs, outputs []graphops.NamedType }

func (x *executor) Name() string { return x.path }

func (x *executor) load(ctx context.Context) error {
	if x.model == nil {
		m, err := x.env.OpenFor(ctx, x.path, x.how)
		if err != nil {
			return err
		}
		x.model = m
	}
	how := x.how
	how.Placement = flags.BeyondCPU(how.Providers)
	l, err := x.env.Runtime.Load(ctx, x.model, how)
	if err != nil {
		return err
	}
	x.session, x.types = l, signature{l.Inputs(), l.Outputs()}
	if err := x.look(ctx); err != nil {
		x.close()
		return err
	}
	return nil
}

// look records what runs the model. If the execution provider is not the CPU, it also reads how
// many nodes each provider runs.
func (x *executor) look(ctx context.Context) error {
	f := x.session.Facts()
	x.side = side{
		Kind: sideRuntime, Provider: f.Provider, Refused: f.Refused, Version: f.LibraryVersion,
		Library: x.library, Opt: cmp.Or(x.how.Opt, defaultOpt), Threads: x.how.Threads, On: x.how.On,
	}
	if f.Provider == flags.CPU {
		return nil
	}
	placement, err := x.session.Placement(ctx)
	if err != nil {
		return err
	}
	x.side.NodesByEP = reporting.NodesByProvider(placement)
	x.idle, err = flags.Idle(x.model, f.Provider, x.how.Providers, placement)
	return err
}

func (x *executor) Run(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	if x.session == nil {
		if err := x.load(ctx); err != nil {
			return nil, err
		}
	}
	feeds, err := x.feedsOf(in)
	if err != nil {
		return nil, err
	}
	got, err := session.RunWhole(ctx, x.session, feeds)
	var crash *ort.CrashError
	if errors.As(err, &crash) || errors.Is(err, ort.ErrGone) || ctx.Err() != nil {
		x.close()
	}
	return got, err
}

func (x *executor) close() {
	if x.session != nil {
		_ = x.session.Close() // the result is complete, or there is another error
		x.session = nil
	}
}
