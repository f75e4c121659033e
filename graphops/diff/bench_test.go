package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/graphops/graphtest"
)

// chain is a model of n equal nodes in a row.
func chain(t testing.TB, n int) *graphops.Model {
	var b strings.Builder
	b.WriteString("input h0 f32[4]\n")
	for i := range n {
		fmt.Fprintf(&b, "h%d = LeakyRelu(h%d) alpha=0.1\n", i+1, i)
	}
	fmt.Fprintf(&b, "output h%d f32[4]\n", n)
	return graphtest.Model(t, b.String())
}

// BenchmarkCompare compares chains of equal nodes with themselves in disguise, and
// with attributes changed in two places, so that every reading is tried.
func BenchmarkCompare(b *testing.B) {
	for _, n := range []int{5_000, 100_000} {
		m := chain(b, n)
		b.Run(fmt.Sprintf("equal-%d", n), func(b *testing.B) { benchmark(b, m, disguised(m, 1)) })
		b.Run(fmt.Sprintf("changed-%d", n), func(b *testing.B) { benchmark(b, m, disguised(twice(m), 1)) })
	}
}

func benchmark(b *testing.B, m, other *graphops.Model) {
	for b.Loop() {
		if _, err := diff.Compare(b.Context(), m, other, diff.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// twice is a chain with two attributes changed.
func twice(m *graphops.Model) *graphops.Model {
	return edited(m, m.Places()[0], func(e *graphops.GraphEditor) {
		for _, i := range []int{len(e.Nodes) / 3, len(e.Nodes) * 2 / 3} {
			e.Nodes[i] = e.Nodes[i].WithAttributes([]*graphops.Attribute{graphops.FloatAttribute("alpha", 0.7)})
		}
	})
}

// TestTwice tells two changes in a chain, which every other evidence than the way
// along the edges leaves open between them.
func TestTwice(t *testing.T) {
	m := chain(t, 3000)
	if got := tally(compare(t, m, disguised(twice(m), 1))); got != "attribute=2" {
		t.Errorf("told %q", got)
	}
}
