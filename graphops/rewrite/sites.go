package rewrite

import "slices"

// Sites is a set of nodes of the loaded model, in the order in which they were added. A set that is
// joined from others shares them. So a chain of n nodes that replace all earlier ones needs memory for
// n sites. A nil *Sites is empty. Sites never change.
type Sites struct {
	own    []Site
	parts  []*Sites
	most   int // the number of sites if no part has one twice
	sorted bool
}

// NewSites returns a set of nodes.
func NewSites(list ...Site) *Sites { return &Sites{own: list, most: len(list)} }

// JoinSites returns a set with the nodes of all sets.
func JoinSites(sets ...*Sites) *Sites {
	var out Sites
	for _, s := range sets {
		if s != nil && s.most > 0 {
			out.parts = append(out.parts, s)
			out.most += s.most
		}
	}
	if len(out.parts) == 1 {
		return out.parts[0]
	}
	return &out
}

// First returns the first node. ok is false for an empty set.
func (s *Sites) First() (site Site, ok bool) {
	if s == nil || s.most == 0 {
		return Site{}, false
	}
	if s.sorted {
		return s.List()[0], true
	}
	for len(s.own) == 0 { // the own nodes come first, and no part is empty
		s = s.parts[0]
	}
	return s.own[0], true
}

// List returns the nodes, each once. The caller may change the list.
func (s *Sites) List() []Site {
	if s == nil {
		return nil
	}
	if len(s.parts) == 0 && len(s.own) == 1 {
		return []Site{s.own[0]}
	}
	out := s.distinct()
	if s.sorted {
		slices.SortFunc(out, func(a, b Site) int {
			if a.Place.ID != b.Place.ID {
				return a.Place.ID - b.Place.ID
			}
			return a.Node - b.Node
		})
	}
	return out
}

// distinct returns the nodes in the order in which they were added. It looks at a shared part once,
// and uses a stack of its own, because parts may be nested as deep as a model is long.
func (s *Sites) distinct() []Site {
	var out []Site
	looked, seen := map[*Sites]bool{}, map[Site]bool{}
	for stack := []*Sites{s}; len(stack) > 0; {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if looked[top] {
			continue
		}
		looked[top] = true
		for _, site := range top.own {
			if !seen[site] {
				seen[site] = true
				out = append(out, site)
			}
		}
		for _, part := range slices.Backward(top.parts) {
			stack = append(stack, part)
		}
	}
	return out
}

// AtLeast reports whether the set has at least n nodes.
func (s *Sites) AtLeast(n int) bool {
	return n <= 0 || s != nil && s.most >= n && len(s.distinct()) >= n
}
