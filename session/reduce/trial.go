package reduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/inputs"
)

// Runner runs models in a worker that a crash of one does not outlive, and gets another.
type Runner interface {
	graphops.Runner
	// Try loads a model and lets it go.
	Try(ctx context.Context, m *graphops.Model) error
}

// Sides are how parts are run.
type Sides struct {
	A, B Runner // A is nil where B stands alone
	// Plain runs the sound model unoptimized, for the values inside of it.
	Plain Runner
	// Judge is how outputs are judged.
	Judge compare.Options
}

// observe tells what is wrong with a part: several symptoms where several outputs differ,
// none where nothing is. The error is none of the model's.
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
		return nil, nil // where A does not run there is nothing to hold B to
	case failed != nil:
		return found, nil
	}
	return s.compared(ctx, p, sound, got)
}

// told is the symptom that an error tells, or the error.
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

func runWhole(ctx context.Context, on Runner, m *graphops.Model, in graphops.Feeds) ([]graphops.Got, error) {
	var names []string
	for _, o := range m.Graph().Outputs() {
		names = append(names, o.Name())
	}
	var out []graphops.Got
	err := on.Run(ctx, m, fed(m, in), graphops.Whole(names...), func(g graphops.Got) error {
		out = append(out, g)
		return nil
	})
	return out, err
}

// ready is an executor whose answer is there.
type ready []graphops.Got

func (ready) Name() string { return "part" }

func (r ready) Run(context.Context, graphops.Feeds) ([]graphops.Got, error) { return r, nil }

func (s Sides) compared(ctx context.Context, p Part, a, b []graphops.Got) ([]Symptom, error) {
	o := s.Judge
	o.Facts = compare.FactsOf(p.A, p.B)
	r, err := compare.Compare(ctx, ready(a), ready(b), []inputs.Case{{Name: "reduced", Feeds: p.Feeds}}, o, nil)
	if err != nil {
		return nil, err
	}
	return differences(r), nil
}

// notFinite tells of NaN and infinities in outputs, where the inputs have none.
func notFinite(in graphops.Feeds, got []graphops.Got) []Symptom {
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

// count tells whether a value has NaN, and infinities.
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

// Shows reports whether a part shows a symptom.
func (s Sides) Shows(ctx context.Context, p Part, want Symptom) (bool, error) {
	found, err := s.observe(ctx, p)
	return slices.ContainsFunc(found, want.Same), err
}
