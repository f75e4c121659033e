package scope

import "lathe/graphops"

// scale adds initializers to the counts of scopes and folds. Each initializer counts once in every
// scope and fold in which it is read.
type scale struct {
	tree *Tree
	// scopes and folds have, for each scope and fold, the number of the last initializer that was
	// added to it. Initializers are numbered from 1.
	scopes, folds []int32
}

// weigh sets Parameters and Bytes of all scopes and folds.
func (t *Tree) weigh(x *graphops.Index, weights []weight) {
	c := scale{t, make([]int32, len(t.Scopes)), make([]int32, len(t.Folds))}
	for i, w := range weights {
		c.count(int32(i+1), w.tensor, x.Readers(w.value))
	}
}

// count adds an initializer to the scopes of its readers and to the scopes around them. It stops at
// a scope to which the initializer was already added.
func (c scale) count(number int32, w *graphops.Tensor, readers []int32) {
	elements, err := w.Elements()
	if err != nil {
		return
	}
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
