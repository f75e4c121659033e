package diff

import "lathe/graphops"

// compareInterface compares the inputs and outputs of the main graphs. An input or output whose
// name was changed is recognized by the nodes that read or produce it.
func (c *comparer) compareInterface(p *PlaceMatch) {
	for _, output := range []bool{false, true} {
		x := ports{c: c, p: p, output: output}
		x.as, x.bs = x.list(p.A.Graph, p.a), x.list(p.B.Graph, p.b)
		x.compare()
	}
}

// ports has either the inputs or the outputs of both models.
type ports struct {
	c      *comparer
	p      *PlaceMatch
	output bool
	as, bs []port
}

// port is one input or output. constant is set for an input with an initializer, which is optional.
type port struct {
	name     string
	value    int32
	typ      graphops.Type
	constant bool
	partner  int // position on the other side, -1 for none
}

func (x *ports) list(g *graphops.Graph, s *side) []port {
	list := g.Inputs()
	if x.output {
		list = g.Outputs()
	}
	var out []port
	for _, v := range list {
		n := s.numberOf(v.Name())
		out = append(out, port{v.Name(), n, v.Type(), !x.output && n >= 0 && s.constants[n] != nil, -1})
	}
	return out
}

func (x *ports) compare() {
	x.pair()
	for i, a := range x.as {
		switch {
		case a.partner < 0 && a.constant:
			x.c.d.Notes.Listed++
		case a.partner < 0:
			x.add(ioRemoved, i, -1)
		default:
			x.comparePair(i, a.partner)
		}
	}
	for j, b := range x.bs {
		switch {
		case b.partner < 0 && b.constant:
			x.c.d.Notes.Listed++
		case b.partner < 0:
			x.add(ioAdded, -1, j)
		}
	}
	x.compareOrder()
}

// pair finds partners: first by name, then by the matching of the values. Outputs that are left
// over are paired by position if their types agree.
func (x *ports) pair() {
	join := func(i, j int32) { x.as[i].partner, x.bs[j].partner = int(j), int(i) }
	name := func(p port) hash { return hashText(p.name) }
	alike(openPorts(x.as, name), openPorts(x.bs, name), false, join)
	alike(openPorts(x.as, func(p port) hash {
		if p.value < 0 || x.p.valueA[p.value] == none {
			return 0
		}
		return hash(x.p.valueA[p.value]) + 1
	}), openPorts(x.bs, func(p port) hash { return hash(p.value + 1) }), false, join)
	if x.output {
		x.pairInPlace()
	}
}

// openPorts returns the positions of the ports that have no partner, with their keys. It leaves out
// ports with the key 0.
func openPorts(list []port, key func(p port) hash) []keyed {
	var out []keyed
	for i, p := range list {
		if h := key(p); p.partner < 0 && h != 0 {
			out = append(out, keyed{int32(i), h})
		}
	}
	return out
}

// pairInPlace pairs the outputs that have no partner yet by position, if their types agree.
func (x *ports) pairInPlace() {
	for i := range min(len(x.as), len(x.bs)) {
		if x.as[i].partner < 0 && x.bs[i].partner < 0 && agree(x.as[i].typ, x.bs[i].typ) {
			x.as[i].partner, x.bs[i].partner = i, i
		}
	}
}

func (x *ports) comparePair(i, j int) {
	a, b := x.as[i], x.bs[j]
	if a.name != b.name {
		if a.constant && b.constant {
			return // counted among the names
		}
		x.add(ioRenamed, i, j)
	}
	if !sameType(a.typ, b.typ) {
		x.add(ioRetyped, i, j)
	}
	if a.constant != b.constant {
		x.add(ioOptional, i, j)
	}
	if x.output && !x.p.sameValue(a.value, b.value) && !x.c.sameConstant(x.p, a.value, b.value) {
		x.add(ioRewired, i, j)
	}
}

// compareOrder reports the smallest set of inputs or outputs that must move to give B the order of
// A. Optional inputs are ignored, because callers provide them by name.
func (x *ports) compareOrder() {
	var at, to []int
	for i, a := range x.as {
		if a.partner >= 0 && !a.constant {
			at, to = append(at, i), append(to, a.partner)
		}
	}
	for k, moved := range outOfOrder(to) {
		if moved {
			x.add(ioMoved, at[k], to[k])
		}
	}
}

func (x *ports) add(kind IOKind, i, j int) {
	change := IOChange{Output: x.output, Kind: kind, A: i, B: j}
	v, w := none, none
	if i >= 0 {
		change.NameA, change.TypeA, v = x.as[i].name, x.as[i].typ, x.as[i].value
	}
	if j >= 0 {
		change.NameB, change.TypeB, w = x.bs[j].name, x.bs[j].typ, x.bs[j].value
	}
	change.Follows = kind == ioRewired && x.p.isLone(v, w)
	x.c.d.IO = append(x.c.d.IO, change)
}
