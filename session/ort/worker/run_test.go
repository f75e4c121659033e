//go:build cgo

package worker_test

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/ort"
)

// fed makes values of tensors.
func fed(tensors map[string]tensor.Tensor) graphops.Feeds {
	feeds := graphops.Feeds{}
	for name, t := range tensors {
		feeds[name] = graphops.TensorValue(t)
	}
	return feeds
}

// run gives the named outputs whole, all if none is named.
func run(ctx context.Context, s *ort.Session, feeds map[string]tensor.Tensor, want []string) ([]execution.Got, error) {
	return collect(func(yield func(execution.Got) error) error {
		return s.Run(ctx, fed(feeds), execution.Whole(want...), yield)
	})
}

// collect gathers what is yielded.
func collect(produce func(yield func(execution.Got) error) error) ([]execution.Got, error) {
	var got []execution.Got
	err := produce(func(g execution.Got) error {
		got = append(got, g)
		return nil
	})
	return got, err
}
