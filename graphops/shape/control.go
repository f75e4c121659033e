package shape

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// control are the operators that hold bodies.
var control = family{"If": ifElse, "Loop": loop, "Scan": scan}

// maxRounds bounds how often a loop is inferred before what still changes is given
// up.
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
		if said := FromFile(inputs[i].Type()); !f.options.Fresh && contradiction(v.Type, said) == "" {
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
		if decided && taken != (i == 1) {
			f.times = dim.Number(0)
		}
		f.run()
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
// change is not known. The body makes the state from output skip on.
func (c *call) settled(attribute string, state []Value, skip int, feed func(f *frame, state []Value)) (outputs []Value) {
	for round := 0; ; round++ {
		before := c.mark()
		f := c.body(attribute)
		if f == nil {
			return nil
		}
		feed(f, state)
		f.run()
		outputs = f.outputs()
		changed := false
		for i, v := range state {
			next := joinValues(v, at(outputs, skip+i))
			if round >= maxRounds {
				next = Value{Type: next.Type.withoutShape()}
			}
			changed = changed || !sameKnowledge(v, next)
			state[i] = next
		}
		if !changed || c.err != nil {
			return outputs
		}
		c.rewind(before)
	}
}

// sameKnowledge reports whether as much is known of b as of a: unknown sizes need
// not be the same ones.
func sameKnowledge(a, b Value) bool {
	if a.Kind != b.Kind || a.Elem != b.Elem || (a.Dims == nil) != (b.Dims == nil) || len(a.Dims) != len(b.Dims) || len(a.elems) != len(b.elems) {
		return false
	}
	for i := range a.Dims {
		if a.Dims[i].Known() != b.Dims[i].Known() {
			return false
		}
	}
	for i := range a.elems {
		if a.elems[i].known() != b.elems[i].known() {
			return false
		}
	}
	return (a.Of == nil) == (b.Of == nil) && (a.Of == nil || sameKnowledge(Value{Type: *a.Of}, Value{Type: *b.Of}))
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
		f.feed(1, Value{Type: tensorOf(tensor.Bool, numbers())})
		for i, v := range state {
			f.feed(2+i, v)
		}
	})
	if len(outputs) > 0 && c.has(1) {
		if keep := outputs[0].elems; len(keep) != 1 || !isTrue(keep[0]) {
			trips = dim.Unknown()
		}
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

func isTrue(e elem) bool {
	v, ok := e.truth()
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
