package scope

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
)

// Match returns the scopes that a path refers to. In each segment, * stands for any text, so
// /encoder/layer.* refers to every layer. The label of a fold, such as layer.0…11, stands for its
// members. The first slash may be left out. / is the root. If a scope has exactly the given name, *
// is not used as a pattern. If a path refers to nothing, it is also read in PyTorch's form, with
// dots between the segments.
func (t *Tree) Match(path string) ([]ID, error) {
	at := []ID{Root}
	before := ""
	for part := range parts(path) {
		next := t.step(at, part)
		if len(next) == 0 { // the longer form of PyTorch's names, features/features.1
			next = t.step(at, relative(before, part))
		}
		if len(next) == 0 {
			return t.dotted(path, at)
		}
		at, before = next, part
	}
	return at, nil
}

// Under returns, for each node of the graph, whether it is in or below a scope that a path refers
// to. Match explains paths.
func (t *Tree) Under(path string) ([]bool, error) {
	at, err := t.Match(path)
	if err != nil {
		return nil, err
	}
	out := make([]bool, len(t.of))
	for _, s := range at {
		for _, n := range t.below(s) {
			out[n] = true
		}
	}
	return out, nil
}

// step returns those children of the scopes from that a segment of a path refers to.
func (t *Tree) step(from []ID, name string) []ID {
	if out := t.childrenWhere(from, func(s *Scope) bool { return s.Name == name }); len(out) > 0 {
		return out
	}
	if !strings.Contains(name, "*") && !strings.Contains(name, ellipsis) {
		return nil
	}
	return t.childrenWhere(from, func(s *Scope) bool {
		return s.Fold >= 0 && t.Folds[s.Fold].Label == name || matches(name, s.Name)
	})
}

func (t *Tree) childrenWhere(from []ID, is func(*Scope) bool) []ID {
	var out []ID
	for _, s := range from {
		for c := s + 1; c < t.Scopes[s].End; c = t.Scopes[c].End {
			if is(&t.Scopes[c]) {
				out = append(out, c)
			}
		}
	}
	return out
}

// matches reports whether a name matches a pattern, in which * stands for any text. Text between
// two stars is matched at its first occurrence. If there is any match, this finds one.
func matches(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, head)
	for ok {
		part, more, again := strings.Cut(rest, "*")
		if !again {
			return strings.HasSuffix(name, part)
		}
		_, name, ok = strings.Cut(name, part)
		rest = more
	}
	return false
}

// unknown returns the error for a path that leads to the scopes from and whose next segment matches
// none of their children.
func (t *Tree) unknown(path string, from []ID) error {
	if t.IsFlat() {
		return fmt.Errorf("scope %q: this graph has no scopes in its names or metadata", path)
	}
	var known []string
	for _, s := range from {
		for _, c := range t.Children(s) {
			known = append(known, t.Path(c))
		}
	}
	near := graphops.NearestNames(path, slices.Values(known))
	if len(near) == 0 {
		near = graphops.NearestNames("/"+strings.ReplaceAll(strings.TrimPrefix(path, "/"), ".", "/"), slices.Values(known))
	}
	if len(near) == 0 && len(known) > 0 {
		near = known[:min(3, len(known))]
	}
	if len(near) == 0 {
		return fmt.Errorf("scope %q: there is no scope below %q", path, t.Path(from[0]))
	}
	return fmt.Errorf("scope %q: there is no scope with this name; existing scopes are %s", path, graphops.QuoteNames(near))
}
