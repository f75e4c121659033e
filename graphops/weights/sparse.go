package weights

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Sparsity says how many of a sparse tensor's elements are stored.
type Sparsity struct {
	Elements int64   `json:"elements"` // in the dense shape
	Stored   int64   `json:"stored"`
	Density  float64 `json:"density"` // stored/elements; 0 if there are no elements
}

// SparsityOf computes the sparsity without reading elements. It returns an error if the tensor
// stores more elements than its shape has.
func SparsityOf(s *graphops.SparseTensor) (Sparsity, error) {
	var out Sparsity
	var err error
	if s.Values() == nil {
		return out, fmt.Errorf("sparse tensor %q: has no values", s.Name())
	}
	if out.Elements, err = tensor.Elements(s.Dims()); err != nil {
		return out, fmt.Errorf("sparse tensor %q: %w", s.Name(), err)
	}
	if out.Stored, err = s.Values().Elements(); err != nil {
		return out, fmt.Errorf("sparse %w", err)
	}
	if out.Stored > out.Elements {
		return out, fmt.Errorf("sparse tensor %q: %d values for shape %s", s.Name(), out.Stored, tensor.FormatShape(s.Dims()))
	}
	if out.Elements > 0 {
		out.Density = float64(out.Stored) / float64(out.Elements)
	}
	return out, nil
}
