package counterpart

import (
	"slices"

	"lathe/graphops"
)

// maxAlternates is the maximum number of nodes between a value and an alternate. Four are enough
// for a convolution, its bias, its normalization and an activation.
const maxAlternates = 4

// Alternates returns other values of A that p.B could correspond to instead of p.A. These are
// values that are computed from p.A by nodes which B does not have. For example, an optimizer that
// folds a normalization into a convolution may give the result the name of the convolution's
// output, although it is the output of the normalization. Only a comparison of the elements shows
// which value it is.
func (m *Map) Alternates(p Pair) []graphops.ValueID {
	return m.a.behind(p.A, p)
}

// AlternatesOfB returns other values of B that p.A could correspond to instead of p.B.
func (m *Map) AlternatesOfB(p Pair) []graphops.ValueID {
	return m.b.behind(p.B, p)
}

// behind returns values that are computed from v by at most maxAlternates nodes, and whose types
// are comparable with those of p. Neither they nor the values between have a counterpart.
func (s *side) behind(v graphops.ValueID, p Pair) []graphops.ValueID {
	var out []graphops.ValueID
	at := []graphops.ValueID{v}
	for range maxAlternates {
		var next []graphops.ValueID
		for _, u := range at {
			for _, r := range s.index.Readers(u) {
				for _, made := range s.index.Makes(int(r)) {
					if !s.lone[made] || slices.Contains(out, made) || slices.Contains(next, made) {
						continue
					}
					next = append(next, made)
				}
			}
		}
		for _, u := range next {
			if t := s.typeOf(u); comparableTypes(p.TypeA, t) && comparableTypes(p.TypeB, t) {
				out = append(out, u)
			}
		}
		at = next
	}
	return out
}
