package simplify

import (
	"slices"

	"lathe/graphops/evaluate"
	"lathe/graphops/rewrite"
)

// runnerAhead calls Options.RunnerAhead if the Runner will most likely be needed, that is if some
// node depends only on constants and has an operator that only a runtime can compute. Types need
// not be inferred for this decision.
func (j *job) runnerAhead() {
	if j.o.Runner == nil || j.o.RunnerAhead == nil || j.passes[foldConstants.name] == nil {
		return
	}
	known := map[*rewrite.Node]bool{}
	for _, g := range j.m.Graphs() {
		for n := range g.Nodes() {
			if !mayBeComputed(n) || !slices.ContainsFunc(n.Inputs(), isThere) || slices.ContainsFunc(n.Inputs(), func(v *rewrite.Value) bool {
				return v != nil && v.Constant() == nil && !known[v.Producer()]
			}) {
				continue
			}
			if !evaluate.Knows(n.Op(), n.Graph().Opset("")) {
				j.o.RunnerAhead()
				return
			}
			known[n] = true
		}
	}
}

func isThere(v *rewrite.Value) bool { return v != nil }
