package shape

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// control has the rules of the operators with bodies, except SequenceMap.
var control = family{"If": ifElse, "Loop": loop, "Scan": scan}

// body returns a frame for a graph in an attribute of the node.
func (c *call) body(attribute string) *frame {
	p := c.bodyPlace(attribute)
	if p == nil {
		return nil
	}
	f := newFrame(c.engine, p, c.frame, c.opsets)
	f.attrs, f.memory = c.frame.attrs, c.memory.of(c.pos, p)
	return f
}

// bodyPlace returns the graph in an attribute of the node, or nil.
func (c *call) bodyPlace(attribute string) *graphops.Place {
	// Bodies are in the order of their nodes.
	first, _ := slices.BinarySearchFunc(c.place.Bodies, c.pos, func(p *graphops.Place, node int) int { return p.Node - node })
	for _, p := range c.place.Bodies[first:] {
		if p.Node != c.pos {
			break
		}
		if p.Attribute == attribute {
			return p
		}
	}
	return nil
}

// feed sets an input of a body, completed by the body's declaration.
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

// fits requires that the declaration of a body's input agrees with the node's input i that is
// passed to it.
func (c *call) fits(body *graphops.Place, at, i int, t Type) {
	if body == nil || at >= len(body.Graph.Inputs()) || c.options.Fresh {
		return
	}
	inputs := body.Graph.Inputs()
	said := FromFile(inputs[at].Type())
	if said.Kind != t.Kind || said.Elem != t.Elem { // reported by the type check
		return
	}
	if text := Contradiction(t, said); text != "" {
		c.problem(i, fmt.Sprintf("%s is passed, but input %q of the body is %s: %s", c.describe(i), inputs[at].Name(), said.brief(), text))
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
		if dead { // problems do not matter in a branch that never runs
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

func loop(c *call) {
	var state []Value
	for i := 2; i < len(c.in); i++ {
		c.elems(i)
		state = append(state, c.input(i))
	}
	carried := len(state)
	given := c.givenByLoop()
	c.lists(0, dim.Number(1))
	if c.has(1) {
		c.lists(1, dim.Number(1))
		c.fits(c.bodyPlace("body"), 1, 1, c.input(1).Type)
	}
	trips := dim.Unknown()
	outputs := c.settled("body", state, 1, func(f *frame, state []Value) {
		f.times = c.trips()
		trips = f.times
		f.feed(0, Value{Type: given[0]})
		f.feed(1, Value{Type: given[1], elems: []elem{boolElem(true)}}) // otherwise it would not run
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

// givenByLoop returns the types of the iteration number and of the condition in the body of a Loop.
// Each has one element. The standard requires scalars. ONNX Runtime creates a tensor with one axis
// if the body declares one, and gives the condition the type of the node's input.
func (c *call) givenByLoop() [2]Type {
	given := [2]Type{tensorOf(tensor.I64, numbers()), tensorOf(tensor.Bool, numbers())}
	if d := c.dims(1); d != nil {
		given[1].Dims = d
	}
	body := c.bodyPlace("body")
	if body == nil {
		return given
	}
	for i, in := range body.Graph.Inputs()[:min(2, len(body.Graph.Inputs()))] {
		switch s := in.Type().Shape; {
		case s == nil:
		case len(s) == 0:
			given[i].Dims = numbers()
		default:
			given[i].Dims = numbers(1) // for any other rank the runtime creates a vector
		}
	}
	return given
}

// keepsOn reports whether the condition of a Loop is always true. Then only the number of trips
// ends it.
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

// trips returns how often a Loop runs its body if its condition stays true.
func (c *call) trips() dim.Dim {
	if limit := c.elems(0); len(limit) == 1 {
		return limit[0].size().Max(dim.Number(0))
	}
	return dim.Unknown()
}

// stackedOn returns the type of n results stacked along a new first axis.
func stackedOn(n dim.Dim, t Type) Type {
	if t.Kind == graphops.TypeTensor && t.Dims != nil {
		t.Dims = slices.Concat([]dim.Dim{n}, t.Dims)
	}
	return t
}
