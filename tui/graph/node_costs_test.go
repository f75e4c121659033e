package graph

import (
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/reporting"
)

type costing []reporting.NodeCost

func (c costing) NodeCosts() []reporting.NodeCost { return c }
func (costing) CostsAre() string                  { return "of the outputs" }

// TestNodeCosts: costs find their nodes by name, and without one by the weights. What is not certain is left
// out.
func TestNodeCosts(t *testing.T) {
	m := graphtest.Model(t, `
input x f32[2]
init w f32[2] 1 2
init v f32[2] 3 4
first: a = Mul(x, w)
b = Mul(a, v)
twice: c = Add(b, w)
twice: d = Add(c, w)
output d f32[2]`)
	main := m.Places()[0]
	got := NewNodeCosts(costing{
		{Node: "first", Op: "Mul", SNR: 40},
		{Op: "Mul", Reads: []string{"v"}, SNR: 30},
		{Op: "Add", Reads: []string{"w"}, SNR: 1},
		{Node: "twice", Op: "Add", SNR: 2},
		{Node: "lost", Op: "Mul", SNR: 3},
		{Place: "nowhere", Node: "first", SNR: 4},
	}, m)
	if got == nil || len(got.of[main]) != 2 || got.of[main][0] != 40 || got.of[main][1] != 30 || !got.AtOutputs {
		t.Errorf("%+v", got)
	}
	if got := NewNodeCosts(costing{{Node: "lost"}}, m); got != nil {
		t.Errorf("costs of no node: %+v", got)
	}
}
