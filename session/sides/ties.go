package sides

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/compare/ties"
	"lathe/session/inputs"
)

// tiesIn returns a function for outputs that are indices. It finds out from which values the
// indices were chosen, and whether these values are equal.
func tiesIn(env session.Env, b *Executor) func(context.Context, inputs.Case, string, tensor.Tensor, tensor.Tensor) (bool, error) {
	return func(ctx context.Context, one inputs.Case, output string, x, y tensor.Tensor) (bool, error) {
		choice, ok := ties.Of(b.Model, output)
		if !ok {
			return false, nil
		}
		from, ok := one.Feeds[choice.From]
		if !ok {
			got, err := valuesInside(ctx, env, b, one.Feeds, []string{choice.From})
			if err != nil {
				return false, err
			}
			from = graphops.TensorValue(got[choice.From])
		}
		return choice.Equal(from.Tensor, x, y, compare.ToleranceAfterSum(from.Tensor.DType)), nil
	}
}
