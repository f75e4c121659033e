package sides

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/ort"
	"lathe/session/reporting"
	"lathe/session/runtime"
)

// Executor runs a model file as a side of a comparison. After a crash, the next run uses a new
// worker.
type Executor struct {
	env     session.Env
	Path    string
	how     runtime.Execution
	library string      // the ONNX Runtime named for this side only, or ""
	inputs  []inputPair // which inputs of the other side it gets; nil for all, by name
	Model   *graphops.Model
	session runtime.Loaded
	types   signature
	Side    side     // set by the last load
	notes   []string // about providers that run no node, and options that they do not know
}

// signature is the inputs and outputs that the runtime reported when the model was loaded. They
// stay known after a crash.
type signature struct{ inputs, outputs []graphops.NamedType }

// Name implements compare.Executor.
func (x *Executor) Name() string { return x.Path }

// Load loads the model into a worker. It opens the file first if the model is not set.
func (x *Executor) Load(ctx context.Context) error {
	if err := x.open(ctx); err != nil {
		return err
	}
	w, err := flags.Load(ctx, x.env.Runtime, x.Model, x.how)
	if err != nil {
		return err
	}
	x.how = w.How
	x.session, x.types = w.Loaded, signature{w.Inputs(), w.Outputs()}
	for _, note := range append(w.Notes, reporting.UnknownOptions(w.Facts())...) {
		if !slices.Contains(x.notes, note) {
			x.notes = append(x.notes, note)
		}
	}
	f := x.session.Facts()
	x.Side = side{
		Kind: sideRuntime, Provider: f.Provider, Refused: f.Refused, Version: f.LibraryVersion,
		Library: x.library, Opt: cmp.Or(x.how.Opt, defaultOpt), Threads: x.how.Threads, On: x.how.On,
	}
	if w.Placement != nil {
		x.Side.NodesByEP = reporting.NodesByProvider(*w.Placement)
	}
	return nil
}

// open opens the file unless the model is known.
func (x *Executor) open(ctx context.Context) error {
	if x.Model != nil {
		return nil
	}
	m, err := x.env.OpenFor(ctx, x.Path, x.how)
	if err != nil {
		return err
	}
	x.Model = m
	return nil
}

// loaded loads the model unless it is loaded.
func (x *Executor) loaded(ctx context.Context) error {
	if x.session != nil {
		return nil
	}
	return x.Load(ctx)
}

// Run implements compare.Executor.
func (x *Executor) Run(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	if err := x.loaded(ctx); err != nil {
		return nil, err
	}
	feeds, err := x.feedsOf(in)
	if err != nil {
		return nil, err
	}
	return x.runOwn(ctx, feeds)
}

// runOwn runs the model on inputs with its own names and types.
func (x *Executor) runOwn(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	if err := x.loaded(ctx); err != nil {
		return nil, err
	}
	got, err := runtime.RunWhole(ctx, x.session, in)
	var crash *ort.CrashError
	if errors.As(err, &crash) || errors.Is(err, ort.ErrGone) || ctx.Err() != nil {
		x.Close()
	}
	return got, err
}

// Close ends the worker.
func (x *Executor) Close() {
	if x.session != nil {
		_ = x.session.Close() // the result is complete, or there is another error
		x.session = nil
	}
}

// PairOf pairs two models that are not loaded yet. Closing the pair ends both workers.
func PairOf(a, b *Executor) *Pairing {
	return &Pairing{
		A: a, B: b, Models: []*Executor{a, b},
		Close: func() { a.Close(); b.Close() },
		Ran:   func() Sides { return Sides{a.Side, b.Side} },
	}
}
