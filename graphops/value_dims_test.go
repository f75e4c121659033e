package graphops_test

import (
	"fmt"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// TestWithDims replaces several sizes at once, and ignores axes that the value does not have.
func TestWithDims(t *testing.T) {
	v := graphtest.Model(t, "input x f32[batch,?,4]\noutput x f32").Graph().Inputs()[0]
	for _, c := range []struct {
		to   map[int]graphops.Dim
		want string
	}{
		{map[int]graphops.Dim{0: graphops.SymbolDim("n"), 2: graphops.SymbolDim("")}, "[n ? ?]"},
		{map[int]graphops.Dim{1: graphops.SymbolDim("m"), 3: graphops.SymbolDim("none"), -1: graphops.SymbolDim("none")}, "[batch m 4]"},
		{map[int]graphops.Dim{3: graphops.SymbolDim("none")}, "[batch ? 4]"},
		{nil, "[batch ? 4]"},
	} {
		if got := fmt.Sprint([]graphops.Dim(v.WithDims(c.to).Type().Shape)); got != c.want {
			t.Errorf("%v: %s, want %s", c.to, got, c.want)
		}
	}
	if v.WithDims(map[int]graphops.Dim{3: graphops.SymbolDim("none")}) != v {
		t.Error("a value without the axis is copied")
	}
}

// TestWithRoots replaces the main graph and one of two functions, and leaves the other.
func TestWithRoots(t *testing.T) {
	m := graphtest.Model(t, "opset l 1\nfunction l F(a) -> (b)\nb = Neg(a)\nend\nfunction l G(a) -> (b)\nb = Neg(a)\nend\ninput x f32[2]\ny = l::F(x)\noutput y f32[2]")
	graphs := map[*graphops.Place]*graphops.Graph{}
	for _, p := range []*graphops.Place{m.Places()[0], m.Places()[2]} {
		e := graphops.EditGraph(p.Graph)
		e.Nodes = append(e.Nodes, graphops.NewNode(graphops.NodeSpec{Op: "Abs", Inputs: []string{e.Nodes[0].Outputs()[0]}, Outputs: []string{"more"}}))
		graphs[p] = e.Graph()
	}
	got := m.WithRoots(graphs)
	var counts []int
	for _, p := range got.Places() {
		counts = append(counts, len(p.Graph.Nodes()))
	}
	if len(counts) != 3 || counts[0] != 2 || counts[1] != 1 || counts[2] != 2 {
		t.Errorf("nodes by place: %v", counts)
	}
	if got.Functions()[0] != m.Functions()[0] || len(m.Functions()[1].Graph().Nodes()) != 1 {
		t.Error("the function that is not named, or the original, changed")
	}
}
