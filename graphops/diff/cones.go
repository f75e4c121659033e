package diff

import "lathe/graphops"

// number gives each input and output of the place a hash that is the same on both sides for the
// same input or output. In a main graph, in and out have these hashes by name. Elsewhere they are
// nil, and the position decides.
func (s *side) number(in, out map[string]hash) {
	key := func(keys map[string]hash, name string, position int) hash {
		if keys == nil {
			return hash(position)
		}
		return keys[name]
	}
	s.interfaceIn, s.interfaceOut = map[int32]hash{}, map[int32][]returned{}
	for i, port := range s.graph.Inputs() {
		if v := s.numberOf(port.Name()); v >= 0 {
			s.interfaceIn[v] = mix(markInput, key(in, port.Name(), i))
		}
	}
	for i, port := range s.graph.Outputs() {
		if v := s.numberOf(port.Name()); v >= 0 {
			s.interfaceOut[v] = addReturned(s.interfaceOut[v], mix(markOutput, key(out, port.Name(), i)))
		}
	}
}

// addReturned adds an output with the hash as to the list of a value. If the list ends with the
// same hash, it increases the count instead, because a main graph may list a value several times.
func addReturned(list []returned, as hash) []returned {
	if n := len(list); n > 0 && list[n-1].as == as {
		list[n-1].times++
		return list
	}
	return append(list, returned{as, 1})
}

// returned returns the values that are outputs of the place, each once.
func (s *side) returned() []int32 {
	seen := make(map[int32]bool, len(s.interfaceOut))
	var out []int32
	for _, o := range s.graph.Outputs() {
		if v := s.numberOf(o.Name()); v >= 0 && !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

func (s *side) numberOf(name string) int32 {
	if v, ok := s.index.Value(name); ok && name != "" {
		return int32(v)
	}
	return -1
}

// hashDown computes, for each node, a hash of the node and of everything that it is computed from.
func (s *side) hashDown() {
	s.down, s.downFull = make([]hash, len(s.inputs)), make([]hash, len(s.inputs))
	for _, i := range s.order {
		s.down[i] = s.downNode(int(i), s.down, false)
		s.downFull[i] = s.downNode(int(i), s.downFull, true)
	}
}

func (s *side) downNode(i int, of []hash, full bool) hash {
	h := s.label[i]
	for _, v := range s.inputs[i] {
		h = mix(h, s.downOf(v, of, full))
	}
	sum := hash(0)
	for _, v := range s.captures[i] {
		sum += mix(markCapture, s.downOf(v, of, full))
	}
	return mix(h, sum)
}

// downOf returns the hash of everything that a value is computed from. full includes the elements
// of constants.
func (s *side) downOf(v int32, of []hash, full bool) hash {
	c := s.constant(s.behind(v))
	switch {
	case v < 0:
		return markAbsent
	case c != nil && full:
		return c.full
	case c != nil:
		return c.form
	case s.producer[v] >= 0:
		return mixAll(of[s.producer[v]], hash(s.slot[v]))
	}
	if h, ok := s.interfaceIn[v]; ok {
		return h
	}
	if h, ok := s.captured[v]; ok {
		return h
	}
	return markCapture
}

// hashUp computes, for each node, a hash of the node and of everything that is computed from it.
func (s *side) hashUp() {
	s.up = make([]hash, len(s.inputs))
	for at := len(s.order) - 1; at >= 0; at-- {
		s.up[s.order[at]] = s.upNode(s.order[at], s.up)
	}
}

func (s *side) upNode(i int32, of []hash) hash {
	h := s.label[i]
	for j, v := range s.outputs[i] {
		if v >= 0 && s.producer[v] == i && s.slot[v] == int32(j) {
			h = mixAll(h, hash(j), s.upOf(v, of))
		}
	}
	return h
}

// upOf returns the hash of how a value is used: the nodes that read it with their positions, and
// the outputs that it is.
func (s *side) upOf(v int32, of []hash) hash {
	sum := hash(0)
	for _, u := range s.usesOf(v) {
		sum += mixAll(of[u.node], hash(u.position))
	}
	for _, r := range s.interfaceOut[v] {
		sum += r.as * hash(r.times)
	}
	return sum
}

// hashNear computes, for each node, a hash of the nodes that are at most radius edges away.
func (s *side) hashNear(radius int) []hash {
	below, above := append([]hash(nil), s.label...), append([]hash(nil), s.label...)
	for range radius {
		b, a := make([]hash, len(below)), make([]hash, len(above))
		for _, i := range s.order {
			b[i] = s.downNode(int(i), below, true)
			a[i] = s.upNode(i, above)
		}
		below, above = b, a
	}
	for i := range below {
		below[i] = mix(below[i], above[i])
	}
	return below
}

// portKeys returns the hashes, by name, by which inputs or outputs of two main graphs are recognized
// as the same: by the name if both have it, otherwise by the element type, and also by the order if
// there are equally many on both sides. Inputs that stored says are constants are left out of the
// latter, because constants are identified by content.
func portKeys(as, bs []*graphops.ValueInfo, storedA, storedB func(name string) bool) [2]map[string]hash {
	others := func(list, from []*graphops.ValueInfo, stored func(name string) bool) (out []*graphops.ValueInfo) {
		known := map[string]bool{}
		for _, v := range from {
			known[v.Name()] = true
		}
		for _, v := range list {
			if !known[v.Name()] && !stored(v.Name()) {
				out = append(out, v)
			}
		}
		return out
	}
	restA, restB := others(as, bs, storedA), others(bs, as, storedB)
	keys := func(list, rest []*graphops.ValueInfo) map[string]hash {
		out := map[string]hash{}
		for _, v := range list {
			out[v.Name()] = hashText(v.Name())
		}
		for i, v := range rest {
			h := hash(v.Type().Elem)
			if len(restA) == len(restB) {
				h = mix(h, hash(i))
			}
			out[v.Name()] = h
		}
		return out
	}
	return [2]map[string]hash{keys(as, restA), keys(bs, restB)}
}
