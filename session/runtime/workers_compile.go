package runtime

import (
	"context"
	"errors"
	"time"

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
	start := time.Now()
	facts, err = w.compileOnce(ctx, m, o, to)
	var crash *ort.CrashError
	if err == nil || errors.As(err, &crash) { // some providers crash whatever they have to compile
		return facts, err
	}
	return facts, failed(ctx, err, m, o, time.Since(start), func(ctx context.Context, m *graphops.Model, o Execution) error {
		_, err := w.compileOnce(ctx, m, o, to)
		return err
	})
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
	facts = Facts{LibraryVersion: client.Info().LibraryVersion, Provider: done.Provider, Refused: done.Refused, LoadTime: done.Took}
	for _, line := range done.Log {
		facts.Warnings = append(facts.Warnings, line.Message)
	}
	return facts, errors.Join(client.Close(), graphops.InPlace(m))
}
