package diff

import "lathe/graphops"

// maxCopies is how many copies of a copy are followed.
const maxCopies = 64

// behind is the constant that a value is a copy of, by Identity nodes; the value
// itself if there is none. Exporters store a weight that has several readers once, and
// may give each a copy.
func (s *side) behind(v int32) int32 {
	w := v
	for range maxCopies {
		if w < 0 || s.producer[w] < 0 {
			break
		}
		i := s.producer[w]
		n := s.graph.Nodes()[i]
		if n.OpType() != "Identity" || n.Domain() != graphops.DefaultDomain || len(s.inputs[i]) != 1 {
			return v
		}
		w = s.inputs[i][0]
	}
	if s.constant(w) == nil {
		return v
	}
	return w
}

// isConstant reports whether a value is a constant of the place, or a copy of one.
func (s *side) isConstant(v int32) bool { return s.constants[s.behind(v)] != nil }
