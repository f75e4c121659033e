package shape

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// maxRounds is the number of inferences of a loop after which shapes that still change become
// unknown.
const maxRounds = 4

// settled infers a body repeatedly until the state that it passes from one iteration to the next no
// longer changes, and returns the outputs of the body. What changes between iterations becomes
// unknown. A body that runs only once sees only the initial state. The state consists of the body's
// outputs from index skip on.
func (c *call) settled(attribute string, state []Value, skip int, feed func(f *frame, state []Value)) (outputs []Value) {
	var found *memory
	var first []Demand
	for round := 0; ; round++ {
		f := c.body(attribute)
		if f == nil {
			return nil
		}
		if found == nil {
			found = f.memory.orNew()
			found.loosen(state)
		}
		f.memory = found
		before := c.mark()
		feed(f, state)
		f.run()
		outputs = f.outputs()
		if round == 0 && c.memory == nil {
			first = slices.Clone(c.demands[len(before.demands):])
		}
		once, changed := f.times.Is(1), false
		for i, v := range state {
			state[i] = joinValues(v, at(outputs, skip+i))
			if !once && found.lose(v, state[i], i, 0) {
				changed = true
				if round >= maxRounds {
					state[i] = found.giveUp(state[i], i)
				}
			}
		}
		if !changed || c.err != nil {
			c.settle(before)
			c.addDemands(first, len(before.demands))
			return outputs
		}
		c.rewind(before)
	}
}

// addDemands adds the demands of the first iteration, in which the state is what was given to
// the node. In later rounds less is known about the state, so fewer demands are made.
func (c *call) addDemands(first []Demand, from int) {
	type key struct {
		place, node int
		relation    Relation
		a, b        string
	}
	keyOf := func(d Demand) key {
		return key{d.Place.ID, d.Node, d.Relation, d.A.Size.String(), d.B.Size.String()}
	}
	seen := map[key]bool{}
	for _, d := range c.demands[from:] {
		seen[keyOf(d)] = true
	}
	for _, d := range first {
		if k := keyOf(d); !seen[k] {
			seen[k] = true
			c.addDemand(d)
		}
	}
}

// memory records what inferences of a repeated place have found to change between iterations. An
// inner loop is inferred in each round of the outer loop, with less known each time, so what
// changed once changes again. Without this record the number of rounds would double with each level
// of nesting.
type memory struct {
	lost  map[position]bool
	inner map[entered]*memory
}

// position is a part of a loop's state: the index of a value, the depth in its type, and an
// axis, an element (after the axes), or a negative number for another part.
type position struct{ value, depth, part int }

// The parts of a position other than axes and elements.
const (
	kindPart = -1 - iota
	elemPart
	rankPart
	dataPart // whether elements are traced
	ofPart
)

// entered is a place that a node enters. A function may be entered by several nodes.
type entered struct {
	node  int
	place *graphops.Place
}

// of returns the memory of a place that a node enters, nil outside of loops.
func (m *memory) of(node int, p *graphops.Place) *memory {
	if m == nil {
		return nil
	}
	at := entered{node, p}
	if m.inner == nil {
		m.inner = map[entered]*memory{}
	}
	if m.inner[at] == nil {
		m.inner[at] = &memory{}
	}
	return m.inner[at]
}

func (m *memory) orNew() *memory {
	if m == nil {
		m = &memory{}
	}
	if m.lost == nil {
		m.lost = map[position]bool{}
	}
	return m
}

// lose records what differs between a and b, where b is what a has in common with the value after
// an iteration. It reports whether any of this was not recorded before. Only then can the body's
// result have less information than before.
func (m *memory) lose(a, b Value, value, depth int) bool {
	anything := false
	differs := func(part int, is bool) {
		if at := (position{value, depth, part}); is && !m.lost[at] {
			m.lost[at], anything = true, true
		}
	}
	differs(kindPart, a.Kind != b.Kind)
	differs(elemPart, a.Elem != b.Elem)
	differs(rankPart, len(a.Dims) != len(b.Dims) || (a.Dims == nil) != (b.Dims == nil))
	differs(dataPart, len(a.elems) != len(b.elems))
	differs(ofPart, (a.Of == nil) != (b.Of == nil))
	for i := range min(len(a.Dims), len(b.Dims)) {
		differs(i, !a.Dims[i].Equal(b.Dims[i]))
	}
	for i := range min(len(a.elems), len(b.elems)) {
		differs(maxRank+i, !a.elems[i].equal(b.elems[i]))
	}
	if a.Of != nil && b.Of != nil && m.lose(Value{Type: *a.Of}, Value{Type: *b.Of}, value, depth+1) {
		anything = true
	}
	return anything
}

// giveUp returns a value without its shape.
func (m *memory) giveUp(v Value, value int) Value {
	if v.Kind == graphops.TypeTensor {
		m.lost[position{value, 0, rankPart}] = true
	}
	m.lost[position{value, 0, dataPart}] = true
	return Value{Type: v.Type.withoutShape()}
}

// loosen removes what is lost from the initial state of a loop.
func (m *memory) loosen(state []Value) {
	if len(m.lost) == 0 {
		return
	}
	for i, v := range state {
		state[i] = m.loosened(v, i, 0)
	}
}

func (m *memory) loosened(v Value, value, depth int) Value {
	lost := func(part int) bool { return m.lost[position{value, depth, part}] }
	if lost(kindPart) {
		return Value{}
	}
	if lost(elemPart) {
		v.Elem = tensor.Undefined
	}
	if lost(rankPart) {
		v.Dims = nil
	}
	v.Dims = loosenedList(v.Dims, func(i int) bool { return lost(i) }, dim.Unknown)
	if lost(dataPart) {
		v.elems = nil
	}
	v.elems = loosenedList(v.elems, func(i int) bool { return lost(maxRank + i) }, unknownElem)
	switch {
	case lost(ofPart):
		v.Of = nil
	case v.Of != nil:
		of := m.loosened(Value{Type: *v.Of}, value, depth+1).Type
		v.Of = &of
	}
	return v
}

// loosenedList returns a list with the lost elements replaced by unknowns.
func loosenedList[T any](list []T, lost func(i int) bool, unknown func() T) []T {
	var out []T
	for i := range list {
		if !lost(i) {
			continue
		}
		if out == nil {
			out = append(out, list...)
		}
		out[i] = unknown()
	}
	if out == nil {
		return list
	}
	return out
}
