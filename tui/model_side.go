package tui

import (
	"lathe/graphops"
	"lathe/session"
)

// modelSide says which of two models something is.
type modelSide uint8

// The sides.
const (
	sideNeither modelSide = iota
	sideA
	sideB
)

// String is the letter of a side.
func (s modelSide) String() string { return [...]string{"neither", "a", "b"}[s] }

func otherSide(s modelSide) modelSide {
	if s == sideA {
		return sideB
	}
	return sideA
}

// sideOf tells which of the models of a report the workbench shows: the one with the same
// nodes, and of two the one at its path, else B, which is judged.
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

// sameNodes reports whether the main graphs of two models have the same nodes in the same
// order, by operator, name and what they make.
func sameNodes(x, y *graphops.Model) bool {
	if x == nil || y == nil || len(x.Graph().Nodes()) != len(y.Graph().Nodes()) {
		return false
	}
	for i, n := range x.Graph().Nodes() {
		m := y.Graph().Nodes()[i]
		if n != m && !(n.OpType() == m.OpType() && n.Name() == m.Name() && sameWork(n, m)) {
			return false
		}
	}
	return true
}
