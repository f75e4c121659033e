package half

import (
	"context"
	"errors"
	"slices"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// Draft describes what Float16 or Bfloat16 would do to a model, without reading weights. to is F16
// or BF16.
func Draft(ctx context.Context, m *graphops.Model, to tensor.DType, o Options) (*quant.Draft, error) {
	out := &quant.Draft{}
	var err error
	if out.Before, err = graphops.SavedSize(m, graphops.SaveOptions{}); err != nil {
		return nil, err
	}
	out.After = out.Before
	c, result, r, err := settle(ctx, m, to, o)
	switch {
	case errors.Is(err, errNothing):
		out.Nothing = err.Error()
	case err != nil:
		return nil, err
	default:
		if out.After, err = graphops.SavedSize(result, graphops.SaveOptions{}); err != nil {
			return nil, err
		}
	}
	out.Warnings = r.Warnings
	weights := map[*rewrite.Value]*quant.DraftWeight{}
	for _, x := range r.Converted {
		p := m.Places()[x.Place.ID]
		out.Candidates = append(out.Candidates, quant.Candidate{Place: p, Index: x.Index, Weights: c.weightsOf(x.inputs, weights)})
	}
	for _, x := range r.Kept {
		out.Candidates = append(out.Candidates, quant.Candidate{Place: m.Places()[x.Place.ID], Index: x.Index, Reason: x.Reason})
	}
	slices.SortStableFunc(out.Candidates, func(a, b quant.Candidate) int {
		if a.Place != b.Place {
			return a.Place.ID - b.Place.ID
		}
		return a.Index - b.Index
	})
	return out, ctx.Err()
}

// weightsOf returns the constants among the inputs of a converted node that are converted too. known
// has the entries made so far, so that each constant gets only one.
func (c *converter) weightsOf(inputs []*rewrite.Value, known map[*rewrite.Value]*quant.DraftWeight) []*quant.DraftWeight {
	var out []*quant.DraftWeight
	for _, v := range inputs {
		of, ok := c.stored[v]
		if !ok {
			continue
		}
		if known[v] == nil {
			size, err := of.tensor.ByteLen()
			if err != nil {
				continue
			}
			known[v] = &quant.DraftWeight{Name: v.Name(), Tensor: of.tensor, Before: size, After: size / 2, Narrowing: c.o.narrowing(c.to)}
		}
		if !slices.Contains(out, known[v]) {
			out = append(out, known[v])
		}
	}
	return out
}
