package quantization

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/region"
	"lathe/graphops/simplify"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/text"
	"lathe/session/trial"
)

// prepared is what simplification did to a model before calibration.
type prepared struct {
	Before int            `json:"nodes_before"`
	After  int            `json:"nodes_after"`
	Passes []preparedPass `json:"passes"`
	// NotDone says why the model was not simplified. It is empty if it was.
	NotDone string `json:"not_done,omitempty"`
}

type preparedPass struct {
	Name    string `json:"name"`
	Changes int    `json:"changes"`
}

// prepare simplifies a model before quantization: scales after a Conv are folded into its weights,
// constants are computed, and unnecessary values are gone, so that they are not quantized. Except
// in a preview, the result is proved as in simplify. If the model cannot be simplified, it is
// quantized unchanged.
func (s *Quantization) prepare(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *prepared, error) {
	if s.NoPreprocess {
		return m, nil, nil
	}
	env.Progress(session.Progress{Phase: "simplifying"})
	how, err := s.How.Value(env)
	if err != nil {
		return nil, nil, err
	}
	// The data is for the quantized model. The proof of the simplification uses generated inputs,
	// which cover more cases.
	on, err := (&flags.ProofInputs{Feeding: s.WithoutData()}).Of(m, "")
	if err != nil {
		return nil, nil, err
	}
	proving := &on
	if s.NoTrial || s.previewing {
		proving = nil
	}
	found, err := trial.Simplify(ctx, trial.OnProviders(env, how), m, simplify.Options{MaxGrowth: simplify.DefaultMaxGrowth}, proving)
	before := len(m.Graph().Nodes())
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, nil, err
	case err != nil:
		return m, &prepared{Before: before, After: before, Passes: []preparedPass{}, NotDone: err.Error()}, nil
	}
	r := &prepared{Before: before, After: len(found.Model.Graph().Nodes()), Passes: []preparedPass{}}
	for _, p := range found.Report.Passes {
		if n := len(p.Changes); n > 0 {
			r.Passes = append(r.Passes, preparedPass{p.Name, n})
		}
	}
	return found.Model, r, nil
}

// Selectable returns the model whose nodes the mode chooses from, which later calls of the step take as
// it is: simplified in mode static, and with functions inlined in modes that quantize their nodes. If
// prove is set, the simplified model is proved, which runs it.
func (s *Quantization) Selectable(ctx context.Context, env session.Env, m *graphops.Model, prove bool) (*graphops.Model, error) {
	if s.Mode != "static" {
		inlined, _, _ := region.Inlined(m)
		return inlined, nil
	}
	before := *s
	before.previewing = !prove
	simplified, _, err := before.prepare(ctx, env, m)
	s.NoPreprocess = true
	return simplified, err
}

// ofPrepared explains an error about an unknown name if the original model has the name and the
// simplified one does not.
func ofPrepared(m *graphops.Model, r *prepared, err error) error {
	var unknown *graphops.UnknownNameError
	if err == nil || r == nil || len(r.Passes) == 0 || !errors.As(err, &unknown) {
		return err
	}
	known := slices.ContainsFunc(m.Graph().Initializers(), func(t *graphops.Tensor) bool { return t.Name() == unknown.Name })
	for _, n := range m.Graph().Nodes() {
		if known || n.Name() == unknown.Name || slices.Contains(n.Outputs(), unknown.Name) {
			return fmt.Errorf("%w; simplifying the model removed it (--no-preprocess quantizes the model as it is)", err)
		}
	}
	return err
}

// writeText writes which passes changed something.
func (r *prepared) writeText(w io.Writer) {
	switch {
	case r == nil:
		return
	case r.NotDone != "":
		fmt.Fprintf(w, "not simplified first: %s\n", text.CleanLine(r.NotDone))
		return
	case len(r.Passes) == 0:
		return
	}
	fmt.Fprintf(w, "simplified first,  %s → %s:", text.Plural(r.Before, "node"), text.Count(int64(r.After)))
	for i, p := range r.Passes {
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, " %s %d", p.Name, p.Changes)
	}
	fmt.Fprintln(w)
}
