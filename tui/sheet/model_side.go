package sheet

import (
	"lathe/graphops"
	"lathe/session/reporting"
	"lathe/tui/graph"
)

// ModelSide says which of two compared models is meant.
type ModelSide uint8

// The sides.
const (
	SideNeither ModelSide = iota
	SideA
	SideB
)

// String returns the letter of a side.
func (s ModelSide) String() string { return [...]string{"neither", "a", "b"}[s] }

// OtherSide returns the opposite side.
func OtherSide(s ModelSide) ModelSide {
	if s == SideA {
		return SideB
	}
	return SideA
}

// SideOf returns which of the two models in a report the workbench shows: the one with the same
// nodes. If both have the same nodes, it is the one whose path is that of the workbench. If that
// does not decide, it is B, the model that is judged.
func SideOf(r reporting.SideBySide, shown *graphops.Model, path string) ModelSide {
	a, b := r.Models()
	isA, isB := sameNodes(a, shown), sameNodes(b, shown)
	outputs, _ := r.Compared()
	switch {
	case isA && isB && outputs.A == path && outputs.B != path:
		return SideA
	case isB:
		return SideB
	case isA:
		return SideA
	}
	return SideNeither
}

// sameNodes reports whether the main graphs of two models have the same nodes in the same order,
// comparing operator, name and outputs.
func sameNodes(x, y *graphops.Model) bool {
	if x == nil || y == nil || len(x.Graph().Nodes()) != len(y.Graph().Nodes()) {
		return false
	}
	for i, n := range x.Graph().Nodes() {
		m := y.Graph().Nodes()[i]
		if n != m && !(n.OpType() == m.OpType() && n.Name() == m.Name() && graph.SameWork(n, m)) {
			return false
		}
	}
	return true
}
