package onnxtext_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/onnxtext"
	"lathe/graphops/tensor"
)

// benchmarkModels are one of weights and one of nodes.
func benchmarkModels(b *testing.B) map[string]*graphops.Model {
	empty, err := onnxtext.Parse("g () => (y) {}")
	if err != nil {
		b.Fatal(err)
	}
	numbers := make([]float32, 1<<20)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range numbers {
		numbers[i] = float32(r.NormFloat64() / 20)
	}
	weights := graphops.Edit(empty)
	weights.Initializers = append(weights.Initializers, graphops.NewTensorOf("w", tensor.FromSlice(numbers, 1<<20)))
	nodes := graphops.Edit(empty)
	for i := range 50_000 {
		nodes.Nodes = append(nodes.Nodes, graphops.NewNode(graphops.NodeSpec{
			Op: "Gemm", Name: fmt.Sprintf("/block/%d/Gemm", i),
			Inputs: []string{fmt.Sprintf("v%d", i), "w", "b"}, Outputs: []string{fmt.Sprintf("v%d", i+1)},
			Attributes: []*graphops.Attribute{graphops.FloatAttribute("alpha", 0.5), graphops.IntAttribute("transB", 1)},
		}))
	}
	return map[string]*graphops.Model{"weights": weights.Model(), "nodes": nodes.Model()}
}

// benchmark runs f on every model and its text.
func benchmark(b *testing.B, f func(m *graphops.Model, text string) error) {
	for name, m := range benchmarkModels(b) {
		b.Run(name, func(b *testing.B) {
			var text strings.Builder
			if _, err := onnxtext.Write(&text, m, onnxtext.Options{}); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				if err := f(m, text.String()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	benchmark(b, func(m *graphops.Model, _ string) error {
		_, err := onnxtext.Write(io.Discard, m, onnxtext.Options{})
		return err
	})
}

func BenchmarkParse(b *testing.B) {
	benchmark(b, func(_ *graphops.Model, text string) error {
		_, err := onnxtext.Encode(text)
		return err
	})
}
