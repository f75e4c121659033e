package cost_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/graphtest"
)

func chain(b *testing.B, nodes int) *graphops.Model {
	var text strings.Builder
	text.WriteString("input v0 f32[batch,seq,16]\ninit w f32[16,16]\ninit c f32[16]\n")
	for i := range nodes {
		fmt.Fprintf(&text, "v%d = %s\n", i+1, []string{"MatMul(v%d, w)", "Add(v%d, c)", "Relu(v%d)"}[i%3])
	}
	lines := strings.Split(text.String(), "\n")
	for i := range nodes {
		lines[i+3] = fmt.Sprintf(lines[i+3], i)
	}
	return graphtest.Model(b, strings.Join(lines, "\n")+fmt.Sprintf("\noutput v%d f32", nodes))
}

// BenchmarkAnalyze has the inference of shapes in it.
func BenchmarkAnalyze(b *testing.B) {
	m := chain(b, 20_000)
	for b.Loop() {
		if _, err := cost.Analyze(context.Background(), m, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSizes is what a change of a symbol's size takes: all costs, and the memory.
func BenchmarkSizes(b *testing.B) {
	r, err := cost.Analyze(context.Background(), chain(b, 20_000), 0)
	if err != nil {
		b.Fatal(err)
	}
	sizes := map[string]int64{"batch": 8, "seq": 128}
	for b.Loop() {
		if _, err := cost.Memory(r.At(sizes), sizes); err != nil {
			b.Fatal(err)
		}
	}
}
