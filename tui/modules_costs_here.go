package tui

import (
	"lathe/graphops/cost"
	"lathe/graphops/scope"
)

// costOfModule returns the cost of a module, or of a fold of similar modules. It returns false
// while costs are not known.
func costOfModule(ws *workspace, t *scope.Tree, b branch) (cost.Total, bool) {
	m := ws.moduleCosts
	switch {
	case m == nil || m.Tree != t || m.Costs != ws.types.Costs.Load():
		return cost.Total{}, false
	case b.fold >= 0:
		return m.Folds[b.fold], true
	default:
		return m.Scopes[b.scope], true
	}
}
