package sides

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/layers"
	"lathe/session/reporting"
	"lathe/session/text"
)

var _ reporting.SideBySide = (*Report)(nil)

// rerun has what is needed to run a comparison again, in order to show values that the report does
// not contain.
type rerun struct {
	step   Comparison
	models [2]*graphops.Model // nil for a side that is not an ONNX model
	fed    map[string]uint64  // fingerprint of the values of each case
	layers *layers.Result
}

// rerunOf remembers how a pair was run. A repeated run saves nothing.
func (s *Comparison) rerunOf(p *Pairing, cases []inputs.Case) *rerun {
	again := &rerun{step: *s, fed: map[string]uint64{}}
	for _, c := range cases {
		again.fed[c.Name] = fingerprint(c)
	}
	again.step.SaveFailing = ""
	again.models[1] = p.Models[len(p.Models)-1].Model
	if len(p.Models) > 1 {
		again.models[0] = p.Models[0].Model
	}
	return again
}

var fingerprints = maphash.MakeSeed()

// fingerprint identifies the inputs and expected outputs of a case.
func fingerprint(c inputs.Case) uint64 {
	var h maphash.Hash
	h.SetSeed(fingerprints)
	for _, values := range []graphops.Feeds{c.Feeds, c.Expected} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			v := values[name]
			fmt.Fprintf(&h, "%q %s", name, v.Type)
			for at, t := range v.Tensors() {
				fmt.Fprintf(&h, "%q %v %d %q", at, t.Shape, len(t.Data), t.Strings)
				_, _ = h.Write(t.Data) // never fails
			}
		}
	}
	return h.Sum64()
}

// Changed returns an error if the file of a model has changed since the comparison, because its
// values may not be those in the report.
func (r *rerun) changed() error {
	for i, m := range r.models {
		if m == nil {
			continue
		}
		if err := graphops.InPlace(m); err != nil {
			return fmt.Errorf("model %c has changed since the comparison: %w; validate again", 'a'+i, err)
		}
	}
	return nil
}

// Compared implements reporting.SideBySide.
func (r *Report) Compared() (*compare.Report, *layers.Report) {
	return r.Report, r.layersReport
}

// ReadAsText reports whether the text says more than the tables of outputs and layers do.
func (r *Report) ReadAsText() bool { return r.Generated != nil }

// Submodel implements reporting.SideBySide.
func (r *Report) Submodel() string {
	if r.Reduced == nil {
		return ""
	}
	words := fmt.Sprintf("reduced to %d of %s of %s", r.Reduced.After, text.Plural(r.Reduced.Before, "node"), r.Reduced.Side)
	if r.Reduced.Path != "" {
		words += ", in " + r.Reduced.Path
	}
	return words
}

// Models implements reporting.SideBySide.
func (r *Report) Models() (a, b *graphops.Model) {
	if r.again == nil {
		return nil, nil
	}
	return r.again.models[0], r.again.models[1]
}

// Values implements reporting.SideBySide.
func (r *Report) Values(ctx context.Context, env session.Env, of reporting.ComparedValue) (a, b graphops.Value, err error) {
	switch {
	case r.again == nil:
		return a, b, errors.New("this report has no run that can be repeated")
	}
	if err := r.again.changed(); err != nil {
		return a, b, err
	}
	switch {
	case of.Output == "":
		return r.again.layer(ctx, env, of)
	}
	i := slices.IndexFunc(r.Pairs, func(p compare.Pair) bool { return p.A == of.Output })
	if i < 0 {
		return a, b, fmt.Errorf("output %q was not compared", of.Output)
	}
	return r.again.output(ctx, env, of.Case, r.Pairs[i])
}

// layer runs both models again and returns a value that the comparison of layers compared.
func (r *rerun) layer(ctx context.Context, env session.Env, of reporting.ComparedValue) (a, b graphops.Value, err error) {
	if r.layers == nil {
		return a, b, errors.New("the layers were not compared")
	}
	what, err := r.step.against()
	if err != nil {
		return a, b, err
	}
	p, err := r.step.pair(ctx, env, what)
	if err != nil {
		return a, b, err
	}
	defer p.Close()
	onA, onB, err := r.step.sidesOf(ctx, env, p)
	defer func() { onA.close(); onB.close() }()
	if err != nil {
		return a, b, err
	}
	env.Progress(session.Progress{Phase: "running up to the value"})
	return r.layers.Values(ctx, onA.On, onB.On, of.Layer, of.Local)
}

// output runs both sides again, on the same inputs, and returns an output.
func (r *rerun) output(ctx context.Context, env session.Env, name string, pair compare.Pair) (a, b graphops.Value, err error) {
	s := r.step
	what, err := s.against()
	if err != nil {
		return a, b, err
	}
	p, err := s.pair(ctx, env, what)
	if err != nil {
		return a, b, err
	}
	defer p.Close()
	o, err := s.judging(p)
	if err != nil {
		return a, b, err
	}
	env.Progress(session.Progress{Phase: "making inputs"})
	cases, err := s.prepare(env, p, o)
	if err == nil {
		err = s.compared(&cases, what, p.Models[0].types.outputs)
	}
	if err != nil {
		return a, b, err
	}
	at := slices.IndexFunc(cases.Cases, func(c inputs.Case) bool { return c.Name == name })
	if at < 0 {
		return a, b, fmt.Errorf("case %q was not generated again", name)
	}
	if fingerprint(cases.Cases[at]) != r.fed[name] {
		return a, b, fmt.Errorf("the values of case %q have changed since the comparison; validate again", name)
	}
	env.Progress(session.Progress{Phase: "running"})
	return compare.Values(ctx, p.A, p.B, cases.Cases[at], pair)
}
