package weights_test

import (
	"context"
	"errors"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
)

// TestBeside compares two tensors through their files' interface, tells how far it is and
// stops when it is asked to.
func TestBeside(t *testing.T) {
	list := make([]float32, 1<<20)
	for i := range list {
		list[i] = float32(i % 1000)
	}
	a := graphops.NewTensorOf("a", tensor.FromSlice(list, 1024, 1024))
	list = append([]float32(nil), list...)
	list[5*1024+7] += 3
	b := graphops.NewTensorOf("b", tensor.FromSlice(list, 1024, 1024))
	said := int64(0)
	got, err := weights.Beside(t.Context(), a, b, func(done, total int64) { said = max(said, total) })
	if err != nil || got.Metrics.MaxAbs != 3 || got.Equal != 1<<20-1 || said != 8<<20 {
		t.Errorf("%g apart, %d equal, of %d bytes (%v)", got.Metrics.MaxAbs, got.Equal, said, err)
	}
	g, err := weights.GridBeside(t.Context(), a, b, tensor.ViewOf([]int64{1024, 1024}), 16, 16, nil)
	if err != nil || g.Cells[0].Max != 3 || g.Cells[0].At != 5*1024+7 || g.Cells[1].Max != 0 {
		t.Errorf("the first cell is %+v (%v)", g.Cells[0], err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := weights.Beside(ctx, a, b, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	words := graphops.NewTensorOf("s", tensor.FromStrings([]string{"a"}, 1))
	if _, err := weights.Beside(t.Context(), words, words, nil); err == nil {
		t.Error("strings have a distance")
	}
	if _, err := weights.GridBeside(t.Context(), a, words, tensor.ViewOf([]int64{1024, 1024}), 16, 16, nil); err == nil {
		t.Error("a string and a number have a distance")
	}
}
