package scope

import "lathe/graphops"

// scale counts each initializer once in every scope and fold that it is read in.
type scale struct {
	tree *Tree
	// scopes and folds hold the number of the last initializer that was counted
	// there, from 1.
	scopes, folds []int32
}

// weigh counts the initializers that scopes read.
func (t *Tree) weigh(g *graphops.Graph, x *graphops.Index) {
	c := scale{t, make([]int32, len(t.Scopes)), make([]int32, len(t.Folds))}
	number := int32(0)
	for _, w := range g.Initializers() {
		if v, ok := x.Value(w.Name()); ok && x.Initializer(v) == w { // of several of a name, that which counts
			number++
			c.count(number, w, x.Readers(v))
		}
	}
	for _, s := range g.SparseInitializers() {
		if v, ok := x.Value(s.Name()); ok && s.Values() != nil && x.IsInitializer(v) && x.Initializer(v) == nil {
			number++
			c.count(number, s.Values(), x.Readers(v))
		}
	}
}

// count adds an initializer to the scopes that its readers stand in and to those
// around them, up to one where it has been counted.
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
