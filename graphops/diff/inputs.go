package diff

import (
	"slices"

	"lathe/graphops"
)

// joinInterface joins the inputs of main graphs that have the same name, and the inputs of bodies
// and functions that have the same position. It also joins values that two bodies capture if they
// are partners in the place that defines them.
func (p *pairing) joinInterface() {
	of := map[hash]int32{}
	for _, in := range p.b.graph.Inputs() {
		if w := p.b.numberOf(in.Name()); w >= 0 && p.b.constants[w] == nil && p.b.producer[w] < 0 {
			if _, twice := of[p.b.interfaceIn[w]]; !twice {
				of[p.b.interfaceIn[w]] = w
			}
		}
	}
	for _, in := range p.a.graph.Inputs() {
		v := p.a.numberOf(in.Name())
		if v < 0 || p.a.constants[v] != nil || p.a.producer[v] >= 0 {
			continue
		}
		w, ok := of[p.a.interfaceIn[v]]
		sameName := ok && p.a.index.Name(valueID(v)) == p.b.index.Name(valueID(w))
		if ok && (sameName || !p.a.isMain()) {
			p.joinValues(v, w, ByInterface)
		}
	}
	captured := map[hash]int32{}
	for w, h := range p.b.captured {
		captured[h] = w
	}
	for _, c := range p.a.index.Captured() {
		if w, ok := captured[p.a.captured[int32(c)]]; ok {
			p.joinValues(int32(c), w, ByNeighbours)
		}
	}
}

// joinReadInputs joins inputs with different names that partners read in the same position.
func (p *pairing) joinReadInputs() {
	for i, j := range p.nodeA {
		if j == none {
			continue
		}
		as, bs := p.a.inputs[i], p.b.inputs[j]
		for k := range min(len(as), len(bs)) {
			if p.isInput(p.a, as[k]) && p.isInput(p.b, bs[k]) {
				p.joinValues(as[k], bs[k], ByNeighbours)
			}
		}
	}
}

// joinOtherInputs joins the remaining inputs. First come those that partners read in the same
// position. Then come those that no node reads directly, with the same type, in order.
func (p *pairing) joinOtherInputs() {
	p.joinReadInputs()
	rest := map[string][]int32{}
	for _, in := range p.b.graph.Inputs() {
		if w := p.b.numberOf(in.Name()); p.isInput(p.b, w) && p.valueB[w] == none {
			t := in.Type().String()
			rest[t] = append(rest[t], w)
		}
	}
	for _, in := range p.a.graph.Inputs() {
		v, t := p.a.numberOf(in.Name()), in.Type().String()
		if p.isInput(p.a, v) && p.valueA[v] == none && len(rest[t]) > 0 && !p.a.isOperand(v) && !p.b.isOperand(rest[t][0]) {
			p.joinValues(v, rest[t][0], ByOrder)
			rest[t] = rest[t][1:]
		}
	}
}

// isOperand reports whether a node reads the value as an input of its own. Reading it in a body
// does not count.
func (s *side) isOperand(v int32) bool {
	return slices.ContainsFunc(s.usesOf(v), func(u use) bool { return u.position >= 0 })
}

func (p *pairing) isInput(s *side, v int32) bool {
	if v < 0 || s.constants[v] != nil || s.producer[v] >= 0 {
		return false
	}
	_, ok := s.interfaceIn[v]
	return ok
}

// openInput is an input of the main graph without a partner, whose name does not occur in the other
// model. place is its position among the inputs without initializers.
type openInput struct {
	value int32
	place int
	typ   graphops.Type
}

func (p *pairing) openInputs(s *side, other *side, partner []int32) []openInput {
	names := map[string]bool{}
	for _, in := range other.graph.Inputs() {
		names[in.Name()] = true
	}
	var out []openInput
	place := 0
	for _, in := range s.graph.Inputs() {
		v := s.numberOf(in.Name())
		if !p.isInput(s, v) {
			continue
		}
		if !names[in.Name()] && partner[v] == none {
			out = append(out, openInput{v, place, in.Type()})
		}
		place++
	}
	return out
}

// joinLoneInputs joins two open inputs in the same position if each of them is the only open input
// on its side whose type agrees.
func (p *pairing) joinLoneInputs() {
	if !p.a.isMain() {
		return
	}
	as, bs := p.openInputs(p.a, p.b, p.valueA), p.openInputs(p.b, p.a, p.valueB)
	alike := func(list []openInput, t graphops.Type) (n int) {
		for _, in := range list[:min(len(list), maxLooked)] {
			if agree(in.typ, t) {
				n++
			}
		}
		return n
	}
	inB := map[int]openInput{}
	for _, y := range bs {
		inB[y.place] = y
	}
	for _, x := range as {
		y, ok := inB[x.place]
		if ok && agree(x.typ, y.typ) && alike(as, y.typ) == 1 && alike(bs, x.typ) == 1 {
			p.joinValues(x.value, y.value, ByInterface)
		}
	}
}

// joinInputsInPlace joins all open inputs in the same position whose types agree. It is called
// after nodes were joined, so that inputs which nodes identify have a partner already.
func (p *pairing) joinInputsInPlace() {
	if !p.a.isMain() {
		return
	}
	inB := map[int]openInput{}
	for _, y := range p.openInputs(p.b, p.a, p.valueB) {
		inB[y.place] = y
	}
	for _, x := range p.openInputs(p.a, p.b, p.valueA) {
		if y, ok := inB[x.place]; ok && agree(x.typ, y.typ) {
			p.joinValues(x.value, y.value, ByInterface)
		}
	}
}
