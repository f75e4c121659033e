package diff

// maxCopies is the maximum number of Identity nodes that are followed one after the other.
const maxCopies = 64

// behind returns the constant that Identity nodes copied to value v; v itself if it is not such a
// copy. Some exporters store a weight with several readers once, and give each reader a copy.
func (s *side) behind(v int32) int32 {
	w := v
	for range maxCopies {
		if w < 0 || s.producer[w] < 0 {
			break
		}
		i := s.producer[w]
		n := s.graph.Nodes()[i]
		if !n.Is("Identity") || len(s.inputs[i]) != 1 {
			return v
		}
		w = s.inputs[i][0]
	}
	if s.constant(w) == nil {
		return v
	}
	return w
}

// isConstant reports whether a value is a constant of this place, or a copy of one that Identity
// nodes make.
func (s *side) isConstant(v int32) bool { return s.constants[s.behind(v)] != nil }
