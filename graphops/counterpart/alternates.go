package counterpart

import (
	"slices"

	"lathe/graphops"
)

// maxAlternates is the number of nodes after a value that are considered: a convolution, its bias,
// its normalization and an activation are four.
const maxAlternates = 4

// Alternates returns values of A that the counterpart of a value could also correspond to, and
// AlternatesOfB values of B that the value could also correspond to. These are values computed from
// it by nodes that the other model does not have. For example, an optimizer that folds a
// normalization into a convolution may give the result the name of the convolution's output. Only
// the elements then show which value it is.
func (m *Map) Alternates(p Pair) []graphops.ValueID {
	return m.a.behind(p.A, p)
}

// AlternatesOfB is Alternates for the other model.
func (m *Map) AlternatesOfB(p Pair) []graphops.ValueID {
	return m.b.behind(p.B, p)
}

// behind returns values without a counterpart that are computed from v through such values.
func (s *side) behind(v graphops.ValueID, p Pair) []graphops.ValueID {
	var out []graphops.ValueID
	at := []graphops.ValueID{v}
	for range maxAlternates {
		var next []graphops.ValueID
		for _, u := range at {
			for _, r := range s.index.Readers(u) {
				for _, made := range s.outputs(int(r)) {
					if !s.lone[made] || slices.Contains(out, made) || slices.Contains(next, made) {
						continue
					}
					next = append(next, made)
				}
			}
		}
		for _, u := range next {
			if t := s.typeOf(u); Comparable(p.TypeA, t) && Comparable(p.TypeB, t) {
				out = append(out, u)
			}
		}
		at = next
	}
	return out
}
