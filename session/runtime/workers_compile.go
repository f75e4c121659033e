package runtime

import (
	"context"
	"errors"
	"fmt"

	"lathe/graphops"
	"lathe/session/ort"
)

// Compiler is a Runtime that lets an execution provider compile a model.
type Compiler interface {
	Runtime
	// Compile writes what the providers of o make of a model. The result may have no compiled part,
	// if the provider compiles none of the nodes. If the provider crashes, the error is an
	// *ort.CrashError.
	Compile(ctx context.Context, m *graphops.Model, o Execution, to ort.Target) (Facts, error)
}

// Compile implements Compiler. LoadTime of the facts is the time to compile.
func (w *Workers) Compile(ctx context.Context, m *graphops.Model, o Execution, to ort.Target) (facts Facts, err error) {
	if o.On != "" {
		return facts, UsageError("--on: a model is compiled on the machine that runs it; run lathe optimize there")
	}
	facts, err = w.compileOnce(ctx, m, o, to)
	var refused *ort.Error
	if err == nil || ctx.Err() != nil || !errors.As(err, &refused) {
		return facts, err
	}
	// If the model is at fault, loading it fails too, and that error is explained.
	l, loadErr := w.Load(ctx, m, o)
	if loadErr != nil {
		return facts, loadErr
	}
	return facts, errors.Join(fmt.Errorf("%w; the provider loads this model, but cannot store what it compiles", err), l.Close())
}

func (w *Workers) compileOnce(ctx context.Context, m *graphops.Model, o Execution, to ort.Target) (facts Facts, err error) {
	options, err := o.options()
	if err != nil {
		return facts, err
	}
	model, err := w.modelFor(ctx, m, o)
	if err != nil {
		return facts, err
	}
	lib, err := w.libraryFor(ctx, o)
	if err != nil {
		return facts, err
	}
	client, _, err := w.worker(ctx, lib, o)
	if err != nil {
		return facts, err
	}
	done, err := client.Compile(ctx, model, options, to)
	if err != nil {
		discard(client)
		var refused *ort.ProviderError
		if errors.As(err, &refused) {
			w.diagnose(ctx, lib, refused.Refused)
		}
		return facts, err
	}
	w.noteWider(o)
	facts = Facts{LibraryVersion: client.Info().LibraryVersion, Provider: done.Provider, Refused: done.Refused, LoadTime: done.Took}
	for _, line := range done.Log {
		facts.Warnings = append(facts.Warnings, line.Message)
	}
	return facts, errors.Join(client.Close(), graphops.InPlace(m))
}
