package check

import (
	"fmt"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

// BenchmarkModel runs all checks over a healthy model: what they cost for one node is
// what a model of any size costs.
func BenchmarkModel(b *testing.B) {
	const layers = 5000
	var text strings.Builder
	text.WriteString("input x0 f32[batch,8]\n")
	for i := range layers {
		fmt.Fprintf(&text, "init w%[1]d f32[8,8] 1\ninit b%[1]d f32[8] 1\n", i)
		fmt.Fprintf(&text, "m%[1]d = MatMul(x%[1]d, w%[1]d)\na%[1]d = Add(m%[1]d, b%[1]d)\nr%[1]d = Relu(a%[1]d)\nx%[2]d = Transpose(r%[1]d) perm=[0,1]\n", i, i+1)
	}
	fmt.Fprintf(&text, "output x%d f32[batch,8]\n", layers)
	m := graphtest.Model(b, text.String())
	for b.Loop() {
		list, err := Model(b.Context(), m, Options{})
		if err != nil || !OK(list) {
			b.Fatalf("%v, error %v", list, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(4*layers), "ns/node")
}
