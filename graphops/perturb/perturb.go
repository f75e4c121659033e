// Package perturb creates a copy of a model that rounds differently in each run. The resulting
// changes in its outputs show how much they depend on rounding, as in Monte Carlo arithmetic. This
// also covers other orders of summation and other precision inside an operator, and models with
// integer inputs.
package perturb

import (
	"context"
	"math/rand/v2"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Model is a model in which the results of rounding operators are multiplied by 1 plus or minus up
// to one unit in the last place, chosen at random for each element.
//
// Only values that depend on the numbers in an input are perturbed. Sizes computed in floating
// point are exact, and changing them would give another model. Nodes in bodies are included; for a
// function of the model, its result is perturbed as a whole.
type Model struct {
	*graphops.Model
	// Types are the types of the perturbed values.
	Types []tensor.DType
	// Quantizes reports that a perturbed value goes through integers with few bits.
	Quantizes bool

	offset string // the input that says where in the table of factors a run starts; "" if there is none
}

// New returns the perturbed copy of a model, nil if it has no value to perturb.
func New(ctx context.Context, m *graphops.Model) (*Model, error) {
	version, ok := m.Opset("")
	if !ok {
		return nil, nil
	}
	s := newSurvey(m)
	if _, err := shape.Infer(ctx, m, shape.Options{Fresh: true, Visit: s.visit}); err != nil {
		return nil, err
	}
	types := s.types()
	if len(types) == 0 {
		return nil, nil
	}
	w := newWriter(m, version)
	out := m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		if len(s.found[p]) > 0 {
			e.Nodes = w.nodes(e.Nodes, s.found[p])
		}
		return len(s.found[p]) > 0
	})
	return &Model{w.shared(out), types, s.quantizes, w.offset}, nil
}

// Feeds returns the inputs of a run, given those of the original and a seed.
func (m *Model) Feeds(in graphops.Feeds, seed uint64) graphops.Feeds {
	out := make(graphops.Feeds, len(in)+1)
	for name, v := range in {
		out[name] = v
	}
	if m.offset != "" {
		at := rand.New(rand.NewPCG(seed, tableSize)).Int64N(tableSize)
		out[m.offset] = graphops.TensorValue(tensor.FromSlice([]int64{at}, 1))
	}
	return out
}

// Unit returns the distance from 1 to the next number of a floating-point type, 0 for other types.
func Unit(d tensor.DType) float64 { return units[d] }

var units = map[tensor.DType]float64{tensor.F64: 0x1p-52, tensor.F32: 0x1p-23, tensor.F16: 0x1p-10, tensor.BF16: 0x1p-7}
