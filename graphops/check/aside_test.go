package check

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/growth"
	"lathe/graphops/shape"
)

// TestInferredAside finds the same in a large model, whose types are inferred on another core, as
// with types that are known before.
func TestInferredAside(t *testing.T) {
	m := graphtest.Decode(t, growth.Named("chain of sums").Proto(t, manyNodes))
	if n := len(m.Graph().Nodes()); n < manyNodes {
		t.Fatalf("the model has %d nodes", n)
	}
	types, err := shape.Infer(context.Background(), m, shape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := Model(context.Background(), m, Options{Shapes: types})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Model(context.Background(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	place := cmp.Comparer(func(a, b *graphops.Place) bool { return a == b })
	if d := cmp.Diff(want, got, place); d != "" {
		t.Errorf("(-known +aside)\n%s", d)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Model(stopped, m, Options{}); err == nil {
		t.Error("a check that was stopped has a result")
	}
}
