package diff

import "lathe/graphops"

// number gives each input and output of the place a hash that is the same on both sides for the
// same input or output. In a main graph the names and types decide (see interfaces), elsewhere the
// position.
func (s *side) number(shared *interfaces) {
	s.interfaceIn, s.interfaceOut = map[int32]hash{}, map[int32][]returned{}
	for i, in := range s.graph.Inputs() {
		v := s.numberOf(in.Name())
		if v >= 0 {
			s.interfaceIn[v] = mix(markInput, shared.of(s, false, i))
		}
	}
	for i, out := range s.graph.Outputs() {
		if v := s.numberOf(out.Name()); v >= 0 {
			s.interfaceOut[v] = addReturned(s.interfaceOut[v], mix(markOutput, shared.of(s, true, i)))
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
		i := s.order[at]
		h := s.label[i]
		for j, v := range s.outputs[i] {
			if v >= 0 && s.producer[v] == i && s.slot[v] == int32(j) {
				h = mixAll(h, hash(j), s.upOf(v, s.up))
			}
		}
		s.up[i] = h
	}
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
			a[i] = s.label[i]
			for j, v := range s.outputs[i] {
				if v >= 0 && s.producer[v] == i && s.slot[v] == int32(j) {
					a[i] = mixAll(a[i], hash(j), s.upOf(v, above))
				}
			}
		}
		below, above = b, a
	}
	for i := range below {
		below[i] = mix(below[i], above[i])
	}
	return below
}

// interfaces has the hashes by which inputs and outputs of two main graphs are recognized as the
// same. It is nil for bodies and functions, in which the position decides.
type interfaces struct {
	in, out [2]map[string]hash // by side and name
	sideOfA *side
}

func (f *interfaces) of(s *side, output bool, position int) hash {
	if f == nil {
		return hash(position)
	}
	list, known := s.graph.Inputs(), f.in
	if output {
		list, known = s.graph.Outputs(), f.out
	}
	which := 1
	if s == f.sideOfA {
		which = 0
	}
	return known[which][list[position].Name()]
}

// newInterfaces gives inputs with the same name the same hash, and outputs likewise. For the
// others, the hash depends on the element type, and also on the order if there are equally many on
// both sides.
func newInterfaces(a, b *side) *interfaces {
	f := &interfaces{sideOfA: a}
	f.in = pairNames(a.graph.Inputs(), b.graph.Inputs(), a, b)
	f.out = pairNames(a.graph.Outputs(), b.graph.Outputs(), nil, nil)
	return f
}

func pairNames(as, bs []*graphops.ValueInfo, a, b *side) [2]map[string]hash {
	out := [2]map[string]hash{{}, {}}
	inB := map[string]bool{}
	for _, v := range bs {
		inB[v.Name()] = true
	}
	for _, v := range as {
		if inB[v.Name()] {
			h := hashText(v.Name())
			out[0][v.Name()], out[1][v.Name()] = h, h
		}
	}
	restA, restB := unnamed(as, out[0], a), unnamed(bs, out[1], b)
	for which, rest := range [2][]*graphops.ValueInfo{restA, restB} {
		for i, v := range rest {
			h := hash(v.Type().Elem)
			if len(restA) == len(restB) {
				h = mix(h, hash(i))
			}
			out[which][v.Name()] = h
		}
	}
	return out
}

// unnamed returns the inputs or outputs whose name does not occur on the other side. Inputs with an
// initializer are left out, because constants are identified by content.
func unnamed(list []*graphops.ValueInfo, known map[string]hash, s *side) []*graphops.ValueInfo {
	var out []*graphops.ValueInfo
	for _, v := range list {
		if _, ok := known[v.Name()]; ok {
			continue
		}
		if s != nil {
			if n := s.numberOf(v.Name()); n >= 0 && s.constants[n] != nil {
				continue
			}
		}
		out = append(out, v)
	}
	return out
}
