package command

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/onnxtext"
	"lathe/session"
)

// openModel opens a model by path; "-" is standard input.
func (a *app) openModel(ctx context.Context, path string) (*graphops.Model, error) {
	o := graphops.OpenOptions{AllowExternal: a.allowExternal, Text: onnxtext.Serialize}
	if path != "-" {
		return graphops.Open(path, o)
	}
	if isTerminal(a.in) {
		return nil, session.UsageError("standard input is a terminal, expected a model: lathe inspect - <model.onnx")
	}
	return readModel(ctx, func() (*graphops.Model, error) {
		return graphops.Read(a.in, "standard input", o)
	})
}

// stdin returns a function that reads the model on standard input at the first call. Later calls
// return the same model, because a step that runs it in several places asks for it again.
func (a *app) stdin() func(context.Context) (*graphops.Model, error) {
	var m *graphops.Model
	return func(ctx context.Context) (_ *graphops.Model, err error) {
		if m == nil {
			m, err = a.openModel(ctx, "-")
		}
		return m, err
	}
}

// readModel reads a model, and returns early if the context ends. A read from a pipe cannot be
// cancelled; it then goes on in a goroutine until the program ends.
func readModel(ctx context.Context, read func() (*graphops.Model, error)) (*graphops.Model, error) {
	type answer struct {
		m   *graphops.Model
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		m, err := read()
		answers <- answer{m, err}
	}()
	select {
	case got := <-answers:
		return got.m, got.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
