package graph

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/scope"
)

// ModuleCosts are the costs of the modules of a place.
type ModuleCosts struct {
	Tree          *scope.Tree
	Costs         *Costs
	Scopes, Folds []cost.Total // in the order of the tree
}

// SumsOf adds up the costs of modules. The sums are incomplete if ctx ends.
func SumsOf(ctx context.Context, tree *scope.Tree, c *Costs, p *graphops.Place) *ModuleCosts {
	m := &ModuleCosts{Tree: tree, Costs: c}
	for s := range tree.Scopes {
		if ctx.Err() != nil {
			return m
		}
		m.Scopes = append(m.Scopes, c.Sum(p, tree.Nodes(scope.ID(s))))
	}
	for _, f := range tree.Folds {
		var nodes []int32
		for _, member := range f.Members {
			nodes = append(nodes, tree.Nodes(member)...)
		}
		if ctx.Err() != nil {
			return m
		}
		m.Folds = append(m.Folds, c.Sum(p, nodes))
	}
	return m
}
