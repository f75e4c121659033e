// Package perturb creates a copy of a model that rounds differently in each run. The changes in the
// outputs show how much they depend on rounding. This method is known as Monte Carlo arithmetic. It
// also shows the effect of a different order of summation or a different precision inside an
// operator. It works for models with integer inputs too.
package perturb

import (
	"context"
	"math/rand/v2"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Model is a copy of a model in which results of operators that round are perturbed. Each element
// is multiplied by a random number between 1 - u and 1 + u, where u is one unit in the last place.
//
// Only values that depend on numbers in an input are perturbed. Sizes that are computed in floating
// point are exact, and changing them would change what the model does. Nodes in bodies are
// included. For a call of a model-local function, only its results are perturbed.
type Model struct {
	*graphops.Model
	// Types are the element types of the perturbed values.
	Types []tensor.DType
	// Quantizes reports that an operator that quantizes reads a perturbed value.
	Quantizes bool

	offset string // the input that says where in the table of factors a run starts; "" if there is none
}

// New returns the perturbed copy of a model. It returns nil if the model has no value to perturb.
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

// Feeds returns the inputs for a run of the perturbed model, given the inputs of the original. The
// seed determines the random numbers, if they come from a table.
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

// Unit returns one unit in the last place at 1: the distance from 1 to the next number of a
// floating-point type. It is 0 for other types.
func Unit(d tensor.DType) float64 { return units[d] }

var units = map[tensor.DType]float64{tensor.F64: 0x1p-52, tensor.F32: 0x1p-23, tensor.F16: 0x1p-10, tensor.BF16: 0x1p-7}
