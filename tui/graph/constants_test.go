package graph

import (
	"testing"

	"lathe/graphops/graphtest"
)

// TestCopiesOfConstantsFold folds Identity nodes that copy weights or constants, but not one that
// copies an input or is an output.
func TestCopiesOfConstantsFold(t *testing.T) {
	m := graphtest.Model(t, `
input x f32[2]
init w f32[2] 1 2
a: copy = Identity(w)
b: again = Identity(copy)
c: same = Identity(x)
d: kept = Identity(w)
y = Add(same, again)
output y f32[2]
output kept f32[2]
`)
	o := NewOutline(m, m.Places()[0])
	var folded []string
	for i, n := range o.Nodes {
		if o.Folds(o.NodeRow(i)) {
			folded = append(folded, n.Name())
		}
	}
	if len(folded) != 2 || folded[0] != "a" || folded[1] != "b" || o.Folded() != 2 {
		t.Errorf("folded are %v", folded)
	}
}
