package diff

import (
	"slices"

	"lathe/graphops"
)

// joinInterface joins the inputs of main graphs that have the same name, and the inputs of bodies
// and functions that have the same position. It also joins values that two bodies capture if they
// are partners in the place that defines them.
func (p *pairing) joinInterface() {
	p.joinInputs(ByInterface, func(s, _ *side, v int32, _ int) hash {
		if s.isMain() {
			return hashText(s.name(v))
		}
		return s.interfaceIn[v]
	})
	alike(p.a.capturedKeys(), p.b.capturedKeys(), false, func(v, w int32) { p.joinValues(v, w, ByNeighbours) })
}

func (s *side) capturedKeys() []keyed {
	var out []keyed
	for _, v := range s.index.Captured() {
		out = append(out, keyed{int32(v), s.captured[int32(v)]})
	}
	return out
}

// joinInputs joins inputs with the same key that have no partner, in order. It leaves out inputs
// with the key 0. position counts the inputs without initializers, starting at 1. In main graphs,
// inputs with different names are joined only if their types agree.
func (p *pairing) joinInputs(how How, key func(s, other *side, v int32, position int) hash) {
	keys := func(s, other *side, partner []int32) (out []keyed) {
		position := 0
		for _, in := range s.graph.Inputs() {
			v := s.numberOf(in.Name())
			if !s.isInput(v) {
				continue
			}
			position++
			if h := key(s, other, v, position); partner[v] == none && h != 0 {
				out = append(out, keyed{v, h})
			}
		}
		return out
	}
	alike(keys(p.a, p.b, p.valueA), keys(p.b, p.a, p.valueB), false, func(v, w int32) {
		if !p.a.isMain() || p.a.name(v) == p.b.name(w) || agree(p.a.typeOf(v), p.b.typeOf(w)) {
			p.joinValues(v, w, how)
		}
	})
}

// joinReadInputs joins inputs with different names that partners read in the same position.
func (p *pairing) joinReadInputs() {
	for i, j := range p.nodeA {
		if j == none {
			continue
		}
		as, bs := p.a.inputs[i], p.b.inputs[j]
		for k := range min(len(as), len(bs)) {
			if p.a.isInput(as[k]) && p.b.isInput(bs[k]) {
				p.joinValues(as[k], bs[k], ByNeighbours)
			}
		}
	}
}

// joinInputsInPlace joins the inputs of main graphs in the same position whose types agree and
// whose names do not occur among the inputs of the other graph. It is called after nodes were
// joined, so that inputs which nodes identify have a partner already.
func (p *pairing) joinInputsInPlace() {
	if !p.a.isMain() {
		return
	}
	p.joinInputs(ByInterface, func(s, other *side, v int32, position int) hash {
		if w := other.numberOf(s.name(v)); w >= 0 && other.index.IsInput(graphops.ValueID(w)) {
			return 0
		}
		return hash(position)
	})
}

// joinOtherInputs joins the remaining inputs. First come those that partners read in the same
// position. Then come those that no node reads directly, with the same type, in order.
func (p *pairing) joinOtherInputs() {
	p.joinReadInputs()
	p.joinInputs(ByOrder, func(s, _ *side, v int32, _ int) hash {
		if s.isOperand(v) {
			return 0
		}
		return hashText(s.typeOf(v).String())
	})
}

// isOperand reports whether a node reads the value as an input of its own. Reading it in a body
// does not count.
func (s *side) isOperand(v int32) bool {
	return slices.ContainsFunc(s.usesOf(v), func(u use) bool { return u.position >= 0 })
}

// isInput reports whether the value is an input that has no initializer.
func (s *side) isInput(v int32) bool {
	if v < 0 || s.constants[v] != nil || s.producer[v] >= 0 {
		return false
	}
	_, ok := s.interfaceIn[v]
	return ok
}
