package proof

import (
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/session/inputs"
	"lathe/session/sizing"
)

// Inputs are what the user provides for running the original, instead of generated inputs.
type Inputs struct {
	// Sizes are sizes of symbols, as in inputs.Options.Dims.
	Sizes map[string]int64
	// Values are the values of single inputs in every run. Fills are rules for generating others.
	Values graphops.Feeds
	Fills  map[string]inputs.Fill
	// Data are complete cases. They are used first; generated ones follow if the proof needs more.
	Data []graphops.Feeds
}

// Source says where the inputs of an original come from.
type Source string

// The sources of inputs.
const (
	Generated Source = "generated inputs"
	OfData    Source = "the data"
	AsGiven   Source = "the inputs given"
)

// Source returns where the first inputs of an original come from.
func (g Inputs) Source(original *graphops.Model) Source {
	switch n := len(original.Graph().FeedInputs()); {
	case len(g.Data) > 0:
		return OfData
	case n > 0 && len(g.Values) == n:
		return AsGiven
	}
	return Generated
}

// sizes returns the sizes that are fixed for the original: by the user, by a change, and by the
// first case of the data.
func (g Inputs) sizes(types []graphops.NamedType, changed map[string]int64) map[string]int64 {
	out := map[string]int64{}
	maps.Copy(out, g.Sizes)
	maps.Copy(out, changed)
	if len(g.Data) > 0 {
		for _, s := range inputs.SizesOf(types, g.Data[0]) {
			out[s.Name] = s.N
		}
	}
	return out
}

// held returns the sizes that a proof must not change: sizes that are fixed, and sizes of inputs
// whose values the user gave.
func (g Inputs) held(types []graphops.NamedType, changed map[string]int64) map[string]int64 {
	out := g.sizes(types, changed)
	for _, s := range inputs.SizesOf(types, g.Values) {
		out[s.Name] = s.N
	}
	return out
}

// data returns the case of the data for a seed, counted among the cases with these sizes. ok is
// false if there is none.
func (g Inputs) data(types []graphops.NamedType, sizes map[string]int64, seed int) (graphops.Feeds, bool) {
	for _, in := range g.Data {
		if slices.ContainsFunc(types, func(t graphops.NamedType) bool { return !hasSizes(t, in[t.Name], sizes) }) {
			continue
		}
		if seed == 0 {
			return maps.Clone(in), true
		}
		seed--
	}
	return nil, false
}

// hasSizes reports whether a value fits an input when symbols have the given sizes.
func hasSizes(in graphops.NamedType, v graphops.Value, sizes map[string]int64) bool {
	if !v.IsTensor() || in.Type.Shape == nil {
		return v.Type.Kind == in.Type.Kind
	}
	is, want := v.Tensor.Shape, sizing.ShapeAt(in, sizes)
	if len(is) != len(want) {
		return false
	}
	for axis, d := range want {
		if d.IsFixed() && d.Value != is[axis] {
			return false
		}
	}
	return true
}

// at returns the inputs without the values that do not fit a model at these sizes.
func (g Inputs) at(types []graphops.NamedType, sizes map[string]int64) Inputs {
	values := graphops.Feeds{}
	for _, t := range types {
		if v, ok := g.Values[t.Name]; ok && hasSizes(t, v, sizes) {
			values[t.Name] = v
		}
	}
	g.Values = values
	return g
}

// feeds returns the inputs of a model for a seed. Values are generated within the range that the
// nodes of the original accept. For a model other than the original, given values are used only if
// they fit its sizes.
func (p *Prover) feeds(m, original *graphops.Model, sizes map[string]int64, seed int) (graphops.Feeds, error) {
	types := graphops.NamedTypes(m.Graph().FeedInputs())
	if in, ok := p.Inputs.data(types, sizes, seed); ok {
		return in, nil
	}
	q := *p
	if m != original {
		q.Inputs = p.Inputs.at(types, sizes)
	}
	return q.generated(types, inputs.Options{Model: original, Seed: uint64(seed), Sizes: sizes})
}

// generated returns a complete set of inputs: the given values, and generated values for the other
// inputs.
func (p *Prover) generated(types []graphops.NamedType, o inputs.Options) (graphops.Feeds, error) {
	o.MaxBytes, o.Given, o.Each = p.MaxBytes, p.Inputs.Values, p.Inputs.Fills
	g, err := inputs.Generate(types, o)
	if err != nil {
		return nil, err
	}
	maps.Copy(g.Feeds, o.Given)
	return g.Feeds, nil
}

// notRun returns the error for an original that does not run.
func (p *Prover) notRun(original *graphops.Model, err error) error {
	return &unprovedError{fmt.Errorf("the original does not run on %s: %w", p.Inputs.Source(original), err)}
}
