package counterpart

import (
	"slices"

	"lathe/graphops"
)

// maxAlternates is how many nodes behind a value are looked at: a convolution, its bias,
// its normalization and an activation are four.
const maxAlternates = 4

// Alternates are values of A that the counterpart of a value could stand for as well, and
// AlternatesOfB those of B that could be it: what nodes that the other model lacks make of
// it. An optimizer that puts a normalization into the weights of a convolution leaves the
// name of the first where the second was, so that only the elements tell.
func (m *Map) Alternates(p Pair) []graphops.ValueID {
	return m.a.behind(p.A, p)
}

// AlternatesOfB is Alternates in the other model.
func (m *Map) AlternatesOfB(p Pair) []graphops.ValueID {
	return m.b.behind(p.B, p)
}

// behind are values without a counterpart that are made of v by way of such.
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
