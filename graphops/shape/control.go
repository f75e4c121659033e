package shape

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// control are the operators that hold bodies.
var control = family{"If": ifElse, "Loop": loop, "Scan": scan}

// maxRounds bounds how often a loop is inferred before the shapes of what it carries
// and still change are given up.
const maxRounds = 4

// body is a frame for a graph that an attribute of the node holds.
func (c *call) body(attribute string) *frame {
	for _, p := range c.place.Bodies {
		if p.Node == c.pos && p.Attribute == attribute {
			f := newFrame(c.engine, p, c.frame, c.opsets)
			f.attrs = c.frame.attrs
			return f
		}
	}
	return nil
}

// feed sets an input of a body, with what the body declares filled in.
func (f *frame) feed(i int, v Value) {
	inputs := f.place.Graph.Inputs()
	if i >= len(inputs) {
		return
	}
	if id, ok := f.index.Value(inputs[i].Name()); ok && !f.index.IsInitializer(id) {
		if said := FromFile(inputs[i].Type()); !f.options.Fresh && Contradiction(v.Type, said) == "" {
			v.Type = v.fill(said)
		}
		f.values[id] = v
	}
}

func ifElse(c *call) {
	taken, decided := false, false
	if cond := c.elems(0); len(cond) == 1 {
		taken, decided = cond[0].truth()
	}
	branches := make([][]Value, 2)
	for i, name := range []string{"else_branch", "then_branch"} {
		f := c.body(name)
		if f == nil {
			return
		}
		problems, demands := c.problems, c.demands
		dead := decided && taken != (i == 1)
		if dead {
			f.times = dim.Number(0)
		}
		f.run()
		if dead { // what cannot be there is no matter where nothing runs
			c.problems, c.demands = problems, demands
		}
		branches[i] = f.outputs()
	}
	for o := range c.out {
		switch no, yes := at(branches[0], o), at(branches[1], o); {
		case decided && taken:
			c.out[o] = yes
		case decided:
			c.out[o] = no
		default:
			c.out[o] = joinValues(yes, no)
		}
	}
}

func at(list []Value, i int) Value {
	if i >= len(list) {
		return Value{}
	}
	return list[i]
}

// settled runs a body until the state that it carries from one time to the next
// has a shape that does not change, and gives back that run's outputs. What does
// change is not known. What runs once sees only the first state. The body makes the
// state from output skip on.
func (c *call) settled(attribute string, state []Value, skip int, feed func(f *frame, state []Value)) (outputs []Value) {
	lost := map[position]bool{}
	for round := 0; ; round++ {
		f := c.body(attribute)
		if f == nil {
			return nil
		}
		before := c.mark()
		feed(f, state)
		f.run()
		outputs = f.outputs()
		changed := false
		for i, v := range state {
			next := joinValues(v, at(outputs, skip+i))
			if lose(v, next, i, 0, lost) {
				changed = true
				if round >= maxRounds {
					next = Value{Type: next.Type.withoutShape()}
				}
			}
			state[i] = next
		}
		if !changed || f.times.Is(1) || c.err != nil {
			c.settle(before)
			return outputs
		}
		c.rewind(before)
	}
}

// position is a part of what a loop carries: a value by number, how deep in the type
// of it, and an axis, an element (from the end of the axes) or, below 0, the rest.
type position struct{ value, depth, part int }

// lose records what is not the same in b, which was joined from a and something
// else, and reports whether anything was so far: only then can the body find less
// than the last time.
func lose(a, b Value, value, depth int, lost map[position]bool) bool {
	anything := false
	differs := func(part int, is bool) {
		if at := (position{value, depth, part}); is && !lost[at] {
			lost[at], anything = true, true
		}
	}
	differs(-1, a.Kind != b.Kind || a.Elem != b.Elem)
	differs(-2, len(a.Dims) != len(b.Dims) || (a.Dims == nil) != (b.Dims == nil))
	differs(-3, len(a.elems) != len(b.elems))
	differs(-4, (a.Of == nil) != (b.Of == nil))
	for i := range min(len(a.Dims), len(b.Dims)) {
		differs(i, !a.Dims[i].Equal(b.Dims[i]))
	}
	for i := range min(len(a.elems), len(b.elems)) {
		differs(maxRank+i, !a.elems[i].equal(b.elems[i]))
	}
	if a.Of != nil && b.Of != nil && lose(Value{Type: *a.Of}, Value{Type: *b.Of}, value, depth+1, lost) {
		anything = true
	}
	return anything
}

func loop(c *call) {
	var state []Value
	for i := 2; i < len(c.in); i++ {
		c.elems(i)
		state = append(state, c.input(i))
	}
	carried := len(state)
	trips := dim.Unknown()
	outputs := c.settled("body", state, 1, func(f *frame, state []Value) {
		f.times = c.trips()
		trips = f.times
		f.feed(0, Value{Type: tensorOf(tensor.I64, numbers())})
		f.feed(1, Value{Type: tensorOf(tensor.Bool, numbers()), elems: []elem{boolElem(true)}}) // or it would not run
		for i, v := range state {
			f.feed(2+i, v)
		}
	})
	if !c.keepsOn(outputs) {
		trips = dim.Unknown()
	}
	for o := range c.out {
		switch {
		case o < carried && trips.Is(1):
			c.out[o] = at(outputs, 1+o)
		case o < carried:
			c.out[o] = Value{Type: state[o].Type}
		default:
			c.out[o].Type = stackedOn(trips, at(outputs, 1+o).Type)
		}
	}
}

// keepsOn reports whether the condition of a Loop is true before the first time and
// after each: then nothing but the number of trips ends it.
func (c *call) keepsOn(outputs []Value) bool {
	return (!c.has(1) || isTrue(c.elems(1))) && isTrue(at(outputs, 0).elems)
}

func isTrue(elems []elem) bool {
	if len(elems) != 1 {
		return false
	}
	v, ok := elems[0].truth()
	return ok && v
}

// trips is how often a Loop runs its body, if its condition stays true.
func (c *call) trips() dim.Dim {
	if limit := c.elems(0); len(limit) == 1 {
		return limit[0].size().Max(dim.Number(0))
	}
	return dim.Unknown()
}

// stackedOn is the type of the results of n times, stacked on a new first axis.
func stackedOn(n dim.Dim, t Type) Type {
	if t.Kind == graphops.TypeTensor && t.Dims != nil {
		t.Dims = slices.Concat([]dim.Dim{n}, t.Dims)
	}
	return t
}
