package sizing_test

import (
	"strconv"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/sizing"
)

// benchmark chooses sizes for a measurement.
func benchmark(b *testing.B, m *graphops.Model) {
	b.Helper()
	inputs := graphops.NamedTypes(m.Graph().FeedInputs())
	for b.Loop() {
		s, err := sizing.Of(b.Context(), m, inputs, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, ok := s.Search(nil, sizing.Measure).Next(b.Context()); !ok {
			b.Fatal("nothing is proposed")
		}
	}
}

// repeated is text with the numbers of the layers for # and of the next one for @.
func repeated(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(layer(text, i))
	}
	return b.String()
}

func layer(text string, i int) string {
	return strings.NewReplacer("#", strconv.Itoa(i+1), "@", strconv.Itoa(i)).Replace(text) + "\n"
}

// BenchmarkConvolutions is 4,000 nodes with a demand each.
func BenchmarkConvolutions(b *testing.B) {
	benchmark(b, graphtest.Model(b, "input x0 f32[batch,4,height,width]\ninit w f32[4,4,3,3] 1\n"+
		repeated(2_000, "a# = Conv(x@, w) pads=[1,1,1,1]\nx# = Relu(a#)")))
}

// BenchmarkChain is 100,000 nodes in a row.
func BenchmarkChain(b *testing.B) {
	benchmark(b, graphtest.Model(b, "input x0 f32[batch,seq,64]\ninit w f32[64,64] 1\ninit c f32[64] 1\n"+
		repeated(25_000, "a# = MatMul(x@, w)\nb# = Add(a#, c)\nd# = Relu(b#)\nx# = Softmax(d#) axis=-1")))
}

// BenchmarkWindows is 100,000 nodes of which half shrink the image by one, so that each
// has a demand of its own.
func BenchmarkWindows(b *testing.B) {
	benchmark(b, graphtest.Model(b, "input x0 f32[batch,1,height,width]\ninit w f32[1,1,2,2] 1\n"+
		repeated(50_000, "a# = Conv(x@, w)\nx# = Relu(a#)")))
}
