package compare

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/session/inputs"
)

// Values runs one case on both executors and returns the values of a pair of outputs.
func Values(ctx context.Context, a, b Executor, one inputs.Case, p Pair) (va, vb graphops.Value, err error) {
	got, err := runBoth(ctx, a, b, one)
	switch {
	case err != nil:
		return va, vb, err
	case got.errA != nil:
		return va, vb, fmt.Errorf("a: %w", got.errA)
	case got.errB != nil:
		return va, vb, fmt.Errorf("b: %w", got.errB)
	}
	if va, err = valueNamed(got.a, "a", p.A); err != nil {
		return va, vb, err
	}
	vb, err = valueNamed(got.b, "b", p.B)
	return va, vb, err
}

func valueNamed(values []execution.Got, side, name string) (graphops.Value, error) {
	i := slices.IndexFunc(values, func(g execution.Got) bool { return g.Name == name })
	if i < 0 {
		return graphops.Value{}, fmt.Errorf("%s: this run gave no output %s", side, quote(name))
	}
	return values[i].Value, nil
}
