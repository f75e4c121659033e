package ort

import (
	"context"
	"fmt"
	"time"

	"lathe/session/ort/wire"
)

// Target says where a compiled model is written.
type Target struct {
	Path  string // on the worker's machine; ONNX Runtime replaces a file that exists
	Embed bool   // store what is compiled in the model, not in files beside it
	// Weights is the name of a file beside the model for the weights of nodes that are not compiled.
	// Empty stores them in the model.
	Weights string
}

// Compiled says how a model was compiled. The result may have no compiled part, if the provider
// compiles none of its nodes.
type Compiled struct {
	Provider string        // the first of the chain that could be attached
	Refused  []Refusal     // those before it
	Took     time.Duration // without loading the provider
	Log      []LogLine     // warnings and errors of the runtime
}

// Compile makes an execution provider compile a model and writes the result. Its errors are those of
// Load.
func (c *Client) Compile(ctx context.Context, m Model, o SessionOptions, to Target) (Compiled, error) {
	load, data, err := m.request(o)
	if err != nil {
		return Compiled{}, err
	}
	load.Compile = &wire.Compile{Path: to.Path, Embed: to.Embed, Weights: to.Weights}
	if err := c.limitTo(load, m); err != nil {
		return Compiled{}, err
	}
	cl := &call{phase: Compiling, model: m.title(), progress: o.Progress}
	reply, err := c.roundTrip(ctx, cl, &wire.Request{Load: load}, data)
	if err != nil {
		return Compiled{}, err
	}
	done := reply.Compiled
	if err := o.checkUsed(done.Provider); err != nil {
		return Compiled{}, fmt.Errorf("%s: %w", while(cl.phase, cl.model), err)
	}
	return Compiled{Provider: done.Provider, Refused: refusals(done.Refused), Took: done.Took, Log: logLines(done.Log)}, nil
}
