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
			x.add(IORemoved, i, -1)
		default:
			x.comparePair(i, a.partner)
		}
	}
	for j, b := range x.bs {
		switch {
		case b.partner < 0 && b.constant:
			x.c.d.Notes.Listed++
		case b.partner < 0:
			x.add(IOAdded, -1, j)
		}
	}
	x.compareOrder()
}

// pair finds partners: first by name, then by the matching of the values. Outputs that are left
// over are paired by position if their types agree.
func (x *ports) pair() {
	names, values := map[string]int{}, map[int32]int{}
	for j, b := range x.bs {
		if _, twice := names[b.name]; !twice {
			names[b.name] = j
		}
	}
	for i, a := range x.as {
		if j, ok := names[a.name]; ok && x.bs[j].partner < 0 {
			x.as[i].partner, x.bs[j].partner = j, i
		}
	}
	for j, b := range x.bs {
		if b.partner < 0 && b.value >= 0 {
			values[b.value] = j
		}
	}
	for i, a := range x.as {
		if a.partner >= 0 || a.value < 0 || x.p.valueA[a.value] == none {
			continue
		}
		if j, ok := values[x.p.valueA[a.value]]; ok && x.bs[j].partner < 0 {
			x.as[i].partner, x.bs[j].partner = j, i
		}
	}
	if x.output {
		x.pairInPlace()
	}
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
		x.add(IORenamed, i, j)
	}
	if !sameType(a.typ, b.typ) {
		x.add(IORetyped, i, j)
	}
	if a.constant != b.constant {
		x.add(IOOptional, i, j)
	}
	if x.output && !x.p.sameValue(a.value, b.value) && !x.c.sameConstant(x.p, a.value, b.value) {
		x.add(IORewired, i, j)
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
			x.add(IOMoved, at[k], to[k])
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
	change.Follows = kind == IORewired && x.p.isLone(v, w)
	x.c.d.IO = append(x.c.d.IO, change)
}
