package shape

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// maxCalls is the maximum nesting of function calls.
const maxCalls = 1000

// enterFunction infers the content of a model-local function at a call.
func (c *call) enterFunction(p *graphops.Place) {
	key := p.Function.Key()
	if slices.Contains(c.calling, key) {
		c.endless(fmt.Sprintf("function %q calls itself", key.Name))
		return
	}
	if len(c.calling) >= maxCalls {
		c.endless(fmt.Sprintf("functions call each other more than %d levels deep", maxCalls))
		return
	}
	c.calling = append(c.calling, key)
	defer func() { c.calling = c.calling[:len(c.calling)-1] }()
	f := newFrame(c.engine, p, nil, versions(p.Function.Opsets()))
	f.times = c.allTimes()
	f.attrs, f.memory = c.arguments(p.Function), c.memory.of(c.pos, p)
	for i := range c.in {
		c.elems(i)
		f.feed(i, c.input(i))
	}
	f.run()
	for o, v := range f.outputs() {
		if o < len(c.out) {
			c.out[o] = v
		}
	}
}

func (c *call) endless(text string) {
	c.problems = append(c.problems, Problem{Place: c.place, Node: c.pos, Other: -1, Kind: Endless, Text: text})
}

// arguments returns the attributes of a call by name, including the function's defaults for omitted
// ones.
func (c *call) arguments(f *graphops.Function) map[string]*graphops.Attribute {
	out := map[string]*graphops.Attribute{}
	for _, a := range f.DefaultAttributes() {
		out[a.Name()] = a
	}
	for _, a := range c.ownAttributes() {
		if given, ok := c.attr(a.Name()); ok {
			out[a.Name()] = given
		}
	}
	return out
}
