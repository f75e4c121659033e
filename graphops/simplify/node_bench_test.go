package simplify_test

import (
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/growth"
	"lathe/graphops/simplify"
)

// BenchmarkNode is the cost of each node of graphs of 20,000: a chain, a chain whose constants merge,
// and a wide graph.
func BenchmarkNode(b *testing.B) {
	for _, name := range []string{"chain", "chain of sums", "matrices"} {
		b.Run(name, func(b *testing.B) {
			const nodes = 20_000
			content := growth.Named(name).Proto(b, nodes)
			for b.Loop() {
				b.StopTimer()
				m := graphtest.Decode(b, content) // without an index yet
				b.StartTimer()
				if _, _, err := simplify.Simplify(b.Context(), m, simplify.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns/node")
		})
	}
}
