package modules

import (
	"lathe/graphops/cost"
	"lathe/graphops/scope"
	"lathe/tui/workspace"
)

// costOfModule returns the cost of a module, or of a fold of similar modules. It returns false
// while costs are not known.
func costOfModule(ws *workspace.Workspace, t *scope.Tree, b branch) (cost.Total, bool) {
	m := ws.ModuleCosts
	switch {
	case m == nil || m.Tree != t || m.Costs != ws.Types.Costs.Load():
		return cost.Total{}, false
	case b.fold >= 0:
		return m.Folds[b.fold], true
	default:
		return m.Scopes[b.scope], true
	}
}
