package steps

import (
	"cmp"
	"context"
	"errors"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/ort"
)

// executor runs a model file for a comparison. After a crash the next run gets
// a fresh worker.
type executor struct {
	env     session.Env
	path    string
	how     session.Execution
	library string      // the ONNX Runtime that was named for this side alone, or ""
	inputs  []inputPair // what it is fed of the other side's inputs; nil for all, by name
	model   *graphops.Model
	session session.Loaded
	types   signature
	side    side   // as of the last load
	idle    string // what a provider that took nothing is told of, or ""
}

// signature is what a model takes and gives, as the runtime reported it when it was
// loaded. It outlives the session, which a crash ends.
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
	how.Placement = beyondCPU(how.Providers)
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

// look notes who runs the model. Where that may be another than the CPU, its share is
// asked for.
func (x *executor) look(ctx context.Context) error {
	f := x.session.Facts()
	x.side = side{
		Kind: sideRuntime, Provider: f.Provider, Refused: f.Refused, Version: f.LibraryVersion,
		Library: x.library, Opt: cmp.Or(x.how.Opt, defaultOpt), Threads: x.how.Threads, On: x.how.On,
	}
	if f.Provider == cpu {
		return nil
	}
	placement, err := x.session.Placement(ctx)
	if err != nil {
		return err
	}
	x.side.NodesByEP = nodesByEP(placement)
	x.idle, err = idle(x.model, f.Provider, x.how.Providers, placement)
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
		_ = x.session.Close() // its answer is in hand, or its error told
		x.session = nil
	}
}
