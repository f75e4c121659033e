package reduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/inputs"
)

// Runner runs models in a worker. If a model crashes it, the next one gets a new worker.
type Runner interface {
	execution.Runner
	// Try loads a model and closes it again, to find out whether it loads.
	Try(ctx context.Context, m *graphops.Model) error
}

// Sides says how parts of models are run and compared.
type Sides struct {
	A, B Runner // A is nil if only B is examined
	// Plain runs the sound model without optimizations, to compute its inner values.
	Plain Runner
	// Judge has the options for comparing outputs, such as tolerances.
	Judge compare.Options
}

// observe returns the symptoms of a part: several if several outputs differ, none if nothing is
// wrong. The error is not the model's fault.
func (s Sides) observe(ctx context.Context, p Part) ([]Symptom, error) {
	if p.Feeds == nil {
		return told(ctx, s.B.Try(ctx, p.B), p.B)
	}
	got, failed := runWhole(ctx, s.B, p.B, p.Feeds)
	if p.A == nil && failed == nil {
		return notFinite(p.Feeds, got), nil
	}
	found, err := told(ctx, failed, p.B)
	if p.A == nil || err != nil {
		return found, err
	}
	sound, err := runWhole(ctx, s.A, p.A, p.Feeds)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, nil // if A does not run, there is nothing to compare B with
	case failed != nil:
		return found, nil
	}
	return s.compared(ctx, p, sound, got)
}

// told returns the symptom that an error shows. If the error is not due to the model, told returns
// the error itself.
func told(ctx context.Context, err error, m *graphops.Model) ([]Symptom, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err == nil {
		return nil, nil
	}
	if s, ok := symptomOf(err, m); ok {
		return []Symptom{s}, nil
	}
	return nil, err
}

func runWhole(ctx context.Context, on Runner, m *graphops.Model, in graphops.Feeds) ([]execution.Got, error) {
	names := graphops.ValueNames(m.Graph().Outputs())
	var out []execution.Got
	err := on.Run(ctx, m, fed(m, in), execution.Whole(names...), func(g execution.Got) error {
		out = append(out, g)
		return nil
	})
	return out, err
}

// ready is a compare.Executor that returns results which were computed before.
type ready []execution.Got

func (ready) Name() string { return "part" }

func (r ready) Run(context.Context, graphops.Feeds) ([]execution.Got, error) { return r, nil }

func (s Sides) compared(ctx context.Context, p Part, a, b []execution.Got) ([]Symptom, error) {
	o := s.Judge
	o.Facts = compare.FactsOf(p.A, p.B)
	r, err := compare.Compare(ctx, ready(a), ready(b), []inputs.Case{{Name: "reduced", Feeds: p.Feeds}}, o, nil)
	if err != nil {
		return nil, err
	}
	return differences(r), nil
}

// notFinite reports NaN and infinities in outputs, if the inputs have none.
func notFinite(in graphops.Feeds, got []execution.Got) []Symptom {
	for _, v := range in {
		if nan, inf := count(v); nan || inf {
			return nil
		}
	}
	var out []Symptom
	for _, g := range got {
		nan, inf := count(g.Value)
		switch {
		case nan:
			out = append(out, ofNumbers(g.Name, "NaN"))
		case inf:
			out = append(out, ofNumbers(g.Name, "infinite elements"))
		}
	}
	return out
}

func ofNumbers(output, class string) Symptom {
	return Symptom{
		Kind: NotFinite, Class: class, Output: output,
		Text: fmt.Sprintf("output %s has %s, and no input has", graphops.ShortQuoted(output), class),
	}
}

// count reports whether a value has NaN, and whether it has infinities.
func count(v graphops.Value) (nan, inf bool) {
	for _, t := range v.Tensors() {
		if t.DType.Kind() != tensor.KindFloat {
			continue
		}
		list, err := t.Float64s()
		if err != nil {
			continue
		}
		for _, x := range list {
			nan, inf = nan || math.IsNaN(x), inf || math.IsInf(x, 0)
		}
	}
	return nan, inf
}

// Shows runs a part and reports whether it shows a symptom.
func (s Sides) Shows(ctx context.Context, p Part, want Symptom) (bool, error) {
	found, err := s.observe(ctx, p)
	return slices.ContainsFunc(found, want.Same), err
}
