package scope

import (
	"lathe/graphops"
	"lathe/graphops/cost"
)

// scale adds initializers to the counts of scopes and folds. Each initializer counts once in every
// scope and fold in which it is read.
type scale struct {
	tree *Tree
	// scopes and folds have, for each scope and fold, the number of the last initializer that was
	// added to it. Initializers are numbered from 1.
	scopes, folds []int32
}

// weigh sets Parameters and Bytes of all scopes and folds.
func (t *Tree) weigh(g *graphops.Graph, weights []weight) {
	x := g.Index()
	c := scale{t, make([]int32, len(t.Scopes)), make([]int32, len(t.Folds))}
	for i, w := range weights {
		c.count(int32(i+1), w.tensor, parametersOf(g, w), x.Readers(w.value))
	}
}

// count adds an initializer to the scopes of its readers and to the scopes around them. It stops at
// a scope to which the initializer was already added.
func (c scale) count(number int32, w *graphops.Tensor, elements int64, readers []int32) {
	size, err := w.ByteLen()
	if err != nil {
		return
	}
	for _, n := range readers {
		for s := c.tree.of[n]; s != none && c.scopes[s] != number; s = c.tree.Scopes[s].Parent {
			c.scopes[s] = number
			at := &c.tree.Scopes[s]
			at.Parameters += elements
			at.Bytes += size
			if f := at.Fold; f >= 0 && c.folds[f] != number {
				c.folds[f] = number
				c.tree.Folds[f].Parameters += elements
				c.tree.Folds[f].Bytes += size
			}
		}
	}
}

// parametersOf returns how many parameters an initializer has. Elements that a reader takes out of
// bytes count each.
func parametersOf(g *graphops.Graph, w weight) int64 {
	most, _ := w.tensor.Elements() // what has an invalid shape has no size either
	x := g.Index()
	for _, n := range x.Readers(w.value) {
		if elements, err := cost.ParametersOf(w.tensor, g.Nodes()[n], x.Name(w.value)); err == nil {
			most = max(most, elements)
		}
	}
	return most
}
