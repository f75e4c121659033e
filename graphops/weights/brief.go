package weights

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Brief is as much of a Profile as a list of tensors has room for.
type Brief struct {
	Min   tensor.Number `json:"min"`
	Max   tensor.Number `json:"max"`
	Mean  tensor.Number `json:"mean"`
	Std   tensor.Number `json:"std"`
	Zeros int64         `json:"zeros"`
	NaN   int64         `json:"nan"`
	Inf   int64         `json:"inf"` // of either sign
}

// BriefOf describes the numbers of a tensor in one pass.
func BriefOf(ctx context.Context, t *graphops.Tensor, progress Progress) (Brief, error) {
	p, err := Profile(ctx, t, progress)
	if err != nil {
		return Brief{}, err
	}
	return Brief{Min: p.Min, Max: p.Max, Mean: p.Mean, Std: p.Std, Zeros: p.Zeros, NaN: p.NaN, Inf: p.Inf}, nil
}
