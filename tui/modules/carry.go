package modules

import "lathe/graphops/scope"

// carry opens those modules that are open in the tree of an earlier model, matched by name. So the
// tree keeps its look when an edit replaces the model.
func (t *branches) carry(old *branches) {
	clear(t.open)
	clear(t.spread)
	twins := map[scope.ID]scope.ID{scope.Root: scope.Root}
	for s := range old.open {
		twin, ok := twins[scope.ID(s)]
		if !old.open[s] || !ok {
			continue
		}
		t.open[twin] = true
		t.carryBelow(old, scope.ID(s), twin, twins)
	}
	t.LayOut()
}

// carryBelow matches the children of a scope in the old tree with those of its counterpart (twin)
// in the new tree, by name. twins collects the pairs.
func (t *branches) carryBelow(old *branches, s, twin scope.ID, twins map[scope.ID]scope.ID) {
	named := map[string]scope.ID{}
	for _, c := range t.tree.Children(twin) {
		named[t.tree.Scopes[c].Name] = c
	}
	for _, c := range old.tree.Children(s) {
		n, ok := named[old.tree.Scopes[c].Name]
		if !ok {
			continue
		}
		twins[c] = n
		was, is := old.tree.Scopes[c].Fold, t.tree.Scopes[n].Fold
		if was >= 0 && is >= 0 && old.spread[was] {
			t.spread[is] = true
		}
	}
}
