package filter_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/filter"
	"lathe/graphops/graphtest"
)

// large is a place of n nodes with types, names as exporters write them.
func large(tb testing.TB, n int) *graphops.Place {
	var b strings.Builder
	ops := []string{"MatMul", "Softmax", "Concat", "Conv", "Transpose"}
	b.WriteString("init w f32[64,64] 1\n")
	name := func(i int) string { return fmt.Sprintf("/model/layers.%d/block.%d/out", i/1000, i%1000) }
	for i := range n {
		op := ops[i%len(ops)]
		fmt.Fprintf(&b, "value %s f32[batch,%d,224]\n", name(i+1), i%50)
		fmt.Fprintf(&b, "/model/layers.%d/block.%d/%s: %s = %s(%s, w) axis=1\n", i/1000, i%1000, op, name(i+1), op, name(i))
	}
	return graphtest.Model(tb, b.String()).Places()[0]
}

func BenchmarkNodes200k(b *testing.B) {
	p := large(b, 200_000)
	p.Graph.Index().Makes(0)
	warm := filter.NewFacts(p, filter.Options{})
	for _, expr := range []string{"op:Conv", "layers.77", "name:*block.7/*", "shape:*x224", "params>1K", "attr:axis", "attr:axis=1", "after:/model/layers.9/block.9/out", "zzz | op:conv -layers.1"} {
		b.Run("warm/"+expr, func(b *testing.B) { scan(b, warm, expr) })
	}
	b.Run("cold/shape:*x224", func(b *testing.B) {
		for b.Loop() {
			all(b, filter.NewFacts(p, filter.Options{}), "shape:*x224")
		}
	})
}

func scan(b *testing.B, f *filter.Facts, expr string) {
	b.ReportAllocs()
	for b.Loop() {
		all(b, f, expr)
	}
}

func all(b *testing.B, f *filter.Facts, expr string) {
	m, err := f.Compile(expr)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := m.All(context.Background()); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkComplete200k(b *testing.B) {
	f := filter.NewFacts(large(b, 200_000), filter.Options{})
	for _, expr := range []string{"op:", "after:zzz", "attr:", "attr:axis=", "shape:b", "Con"} {
		b.Run(expr, func(b *testing.B) {
			for b.Loop() {
				f.Complete(context.Background(), expr, len(expr))
			}
		})
	}
}
