package tui

import (
	"lathe/graphops"
	"lathe/session"
	"lathe/tui/graph"
)

// modelSide says which of two compared models is meant.
type modelSide uint8

// The sides.
const (
	sideNeither modelSide = iota
	sideA
	sideB
)

// String returns the letter of a side.
func (s modelSide) String() string { return [...]string{"neither", "a", "b"}[s] }

func otherSide(s modelSide) modelSide {
	if s == sideA {
		return sideB
	}
	return sideA
}

// sideOf returns which of the two models in a report the workbench shows: the one with the same
// nodes. If both have the same nodes, it is the one whose path is that of the workbench. If that
// does not decide, it is B, the model that is judged.
func sideOf(r session.SideBySide, shown *graphops.Model, path string) modelSide {
	a, b := r.Models()
	isA, isB := sameNodes(a, shown), sameNodes(b, shown)
	outputs, _ := r.Compared()
	switch {
	case isA && isB && outputs.A == path && outputs.B != path:
		return sideA
	case isB:
		return sideB
	case isA:
		return sideA
	}
	return sideNeither
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
