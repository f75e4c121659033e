package growth

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// BenchmarkNode measures what run costs for each node of graphs of 20,000: a chain, a chain whose
// constants merge, and a wide graph. Every run gets a model without an index.
func BenchmarkNode(b *testing.B, run func(b *testing.B, m *graphops.Model) error) {
	for _, name := range []string{"chain", "chain of sums", "matrices"} {
		b.Run(name, func(b *testing.B) {
			const nodes = 20_000
			content := Named(name).Proto(b, nodes)
			for b.Loop() {
				b.StopTimer()
				m := graphtest.Decode(b, content)
				b.StartTimer()
				if err := run(b, m); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns/node")
		})
	}
}
