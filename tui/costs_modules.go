package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/scope"
)

// moduleCosts are the costs of the modules of a place.
type moduleCosts struct {
	tree          *scope.Tree
	costs         *costs
	scopes, folds []cost.Total // in the order of the tree
}

// sumModules adds up the costs of modules, once modules and costs are known.
func sumModules(ws *workspace) tea.Cmd {
	tree, c, p := ws.modules, ws.types.costs.Load(), ws.outline.place
	ws.summing.Stop()
	if tree == nil || c.known() == nil {
		return nil
	}
	sum := func(ctx context.Context) *moduleCosts { return sumsOf(ctx, tree, c, p) }
	return ask(ws, &ws.summing, "adding up costs", sum, func(m *moduleCosts) tea.Cmd { return takeSums(ws, m) })
}

// sumsOf adds up the costs of modules. The sums are incomplete if ctx ends.
func sumsOf(ctx context.Context, tree *scope.Tree, c *costs, p *graphops.Place) *moduleCosts {
	m := &moduleCosts{tree: tree, costs: c}
	for s := range tree.Scopes {
		if ctx.Err() != nil {
			return m
		}
		m.scopes = append(m.scopes, c.Sum(p, tree.Nodes(scope.ID(s))))
	}
	for _, f := range tree.Folds {
		var nodes []int32
		for _, member := range f.Members {
			nodes = append(nodes, tree.Nodes(member)...)
		}
		if ctx.Err() != nil {
			return m
		}
		m.folds = append(m.folds, c.Sum(p, nodes))
	}
	return m
}

// takeSums stores sums if they are for the current modules and costs.
func takeSums(ws *workspace, m *moduleCosts) tea.Cmd {
	if m.tree == ws.modules && m.costs == ws.types.costs.Load() {
		ws.moduleCosts = m
	}
	return nil
}
