package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/text"
)

// prepared is what simplify did to a model before its ranges were looked for.
type prepared struct {
	Before int            `json:"nodes_before"`
	After  int            `json:"nodes_after"`
	Passes []preparedPass `json:"passes"`
	// NotDone says why the model was taken as it is; empty where it was not.
	NotDone string `json:"not_done,omitempty"`
}

type preparedPass struct {
	Name    string `json:"name"`
	Changes int    `json:"changes"`
}

// prepare simplifies a model, so that what stands behind a Conv is in its weights, constants
// are constants, and no value is quantized that need not be there. It is proved as simplify
// proves it, but for a preview. What a model cannot be simplified for is no reason not to
// quantize it.
func (s *Quantize) prepare(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *prepared, error) {
	if s.NoPreprocess {
		return m, nil, nil
	}
	env.Progress(session.Progress{Phase: "simplifying"})
	how, err := s.how.value(env)
	if err != nil {
		return nil, nil, err
	}
	// The data is for the result: the proof has inputs that reach farther.
	on, err := (&proofInputs{s.withoutData()}).of(m, "")
	if err != nil {
		return nil, nil, err
	}
	step := &Simplify{NoProof: s.NoTrial || s.previewing}
	simpler, found, err := step.proved(ctx, onProviders(env, how), m, on)
	before := len(m.Graph().Nodes())
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, nil, err
	case err != nil:
		return m, &prepared{Before: before, After: before, Passes: []preparedPass{}, NotDone: err.Error()}, nil
	}
	r := &prepared{Before: before, After: len(simpler.Graph().Nodes()), Passes: []preparedPass{}}
	for _, p := range found.Passes {
		if n := len(p.Changes); n > 0 {
			r.Passes = append(r.Passes, preparedPass{p.Name, n})
		}
	}
	return simpler, r, nil
}

// ofPrepared adds to the error about a name that only the model has as it was why it is not
// known.
func ofPrepared(m *graphops.Model, r *prepared, err error) error {
	var unknown *graphops.UnknownNameError
	if err == nil || r == nil || len(r.Passes) == 0 || !errors.As(err, &unknown) {
		return err
	}
	known := slices.ContainsFunc(m.Graph().Initializers(), func(t *graphops.Tensor) bool { return t.Name() == unknown.Name })
	for _, n := range m.Graph().Nodes() {
		if known || n.Name() == unknown.Name || slices.Contains(n.Outputs(), unknown.Name) {
			return fmt.Errorf("%w; simplifying has folded it before (--no-preprocess quantizes the model as it is)", err)
		}
	}
	return err
}

// writeText tells which passes found something.
func (r *prepared) writeText(w io.Writer) {
	switch {
	case r == nil:
		return
	case r.NotDone != "":
		fmt.Fprintf(w, "not simplified before: %s\n", text.CleanLine(r.NotDone))
		return
	case len(r.Passes) == 0:
		return
	}
	fmt.Fprintf(w, "simplified before, %s → %s:", text.Plural(r.Before, "node"), text.Count(int64(r.After)))
	for i, p := range r.Passes {
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, " %s %d", p.Name, p.Changes)
	}
	fmt.Fprintln(w)
}
