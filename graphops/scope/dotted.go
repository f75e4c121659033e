package scope

import (
	"slices"
	"strings"
)

// dotted finds the scopes that a path refers to if dots may stand for slashes. For example,
// m.layers.0.attn is /m/layers/0/attn or /m/layers.0/attn. reached are the deepest scopes that the
// path leads to without this reading; they are used for the error.
func (t *Tree) dotted(path string, reached []ID) ([]ID, error) {
	names := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '.' })
	for _, is := range []func(*Scope, string) bool{
		func(s *Scope, name string) bool { return s.Name == name },
		func(s *Scope, name string) bool {
			return s.Fold >= 0 && t.Folds[s.Fold].Label == name || matches(name, s.Name)
		},
	} {
		found, deepest := t.walk(names, is)
		if len(found) > 0 {
			return found, nil
		}
		if t.Scopes[deepest[0]].Depth > t.Scopes[reached[0]].Depth {
			reached = deepest
		}
	}
	return nil, t.unknown(path, reached)
}

// walk goes down from the root along a list of names. A scope may use up several of the names,
// because its own name can contain dots. is reports whether a scope accepts these names, joined by
// dots. found are the scopes at which all names are used up. deepest are the scopes at which the
// most names are used up.
func (t *Tree) walk(names []string, is func(*Scope, string) bool) (found, deepest []ID) {
	at := make([][]ID, len(names)+1) // by the number of names used
	at[0] = []ID{Root}
	for i := range names {
		if len(at[i]) == 0 {
			continue
		}
		slices.Sort(at[i])
		at[i] = slices.Compact(at[i])
		deepest = at[i]
		for _, s := range at[i] {
			for c := s + 1; c < t.Scopes[s].End; c = t.Scopes[c].End {
				child := &t.Scopes[c]
				most := min(strings.Count(child.Name, ".")+1, len(names)-i)
				for n := 1; n <= most; n++ {
					if is(child, strings.Join(names[i:i+n], ".")) {
						at[i+n] = append(at[i+n], c)
					}
				}
			}
		}
	}
	found = at[len(names)]
	slices.Sort(found)
	if deepest == nil {
		deepest = []ID{Root}
	}
	return slices.Compact(found), deepest
}
