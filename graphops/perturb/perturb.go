// Package perturb makes a copy of a model that rounds differently in every run. What that moves
// in its outputs is how much of them rounding decides, as in Monte Carlo arithmetic: it covers
// other orders of summation and other precision inside an operator, and models whose inputs are
// integers.
package perturb

import (
	"context"
	"math/rand/v2"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Model is a model whose rounding operators have their results multiplied by 1 and up to one
// unit in the last place more or less, drawn for each element.
//
// Only values that depend on the numbers of an input are touched: sizes that are computed in
// floating point are exact, and moving them would make another model. Bodies of nodes are
// included; of a local function the result is moved as a whole.
type Model struct {
	*graphops.Model
	// Types are those of the values that are touched.
	Types []tensor.DType
	// Quantizes says that a live value goes through integers of few bits.
	Quantizes bool

	offset string // the input that says where in the table of factors a run begins; "" for none
}

// New makes the perturbed copy of a model, nil where it has no value to touch.
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

// Feeds are the inputs of a run, given those of the original and a seed.
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

// Unit is the distance from 1 to the next number of a floating-point type, 0 for other types.
func Unit(d tensor.DType) float64 { return units[d] }

var units = map[tensor.DType]float64{tensor.F64: 0x1p-52, tensor.F32: 0x1p-23, tensor.F16: 0x1p-10, tensor.BF16: 0x1p-7}
