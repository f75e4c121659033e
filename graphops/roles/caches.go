package roles

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// findOutputs pairs the outputs that come from a past, or from the slot of an operator with a cache.
func (f *finder) findOutputs() {
	for out, v := range f.out {
		x := f.o.at(v)
		if x == nil {
			continue
		}
		switch x.from {
		case fromSlot:
			f.pairSlot(out, *x)
		case fromJoin:
			f.pairJoin(int(x.port), out, *x)
		case fromScatter:
			f.pairScatter(int(x.port), out, *x)
		case fromUpdate:
			f.pairUpdate(int(x.port), out, *x)
		case fromLoop:
			f.pairLoop(int(x.port), out, *x)
		case fromPort:
			f.pairUnchanged(int(x.port), out)
		}
	}
}

// pairSlot pairs the output of an operator with a cache and the input that the operator reads.
func (f *finder) pairSlot(out int, x origin) {
	n := &f.nodes[x.node]
	form := operators()[n.op.Op()]
	for _, s := range form.operator(n.op.Op()).caches {
		if s.present == x.slot {
			in := -1
			if past := f.o.at(at(n.in, s.past)); past != nil && past.port >= 0 {
				in = int(past.port)
			}
			f.pair(in, out, f.slotFound(form, x.node, s))
		}
	}
}

// slotFound describes a cache that is a slot of an operator.
func (f *finder) slotFound(form *Form, i int32, s slots) found {
	n := &f.nodes[i]
	out := found{form: form, content: s.content, axis: s.axis, node: i}
	out.past = append(out.past, byOperator("it is %s of %s", slotName(n.op, s.past, false), f.node(i)))
	out.present = append(out.present, byOperator("it is %s of %s", slotName(n.op, s.present, true), f.node(i)))
	windowed, _ := integer(n.op, "local_window_size", -1)
	if windowed > 0 {
		out.window = windowed
		out.past = append(out.past, byOperator("local_window_size is %d", windowed))
	}
	sliding, _ := integer(n.op, "sliding_window_cache", 0)
	shared, _ := integer(n.op, "past_present_share_buffer", 0)
	switch {
	case form == groupQuery && sliding != 0:
		out.growth = Slides
		out.past = append(out.past, byOperator("sliding_window_cache is %d", sliding))
	case shared != 0:
		out.growth = Shares
		out.past = append(out.past, byOperator("past_present_share_buffer is %d", shared))
	case form == multiHead && at(n.in, pastLengthSlot(form, n.op)) != nothing:
		out.growth = Shares
		out.past = append(out.past, byOperator("past_sequence_length is given"))
	}
	return out
}

// pastLengthSlot returns the slot of an operator that has the length of the past.
func pastLengthSlot(form *Form, n *graphops.Node) int {
	for slot, u := range form.operator(n.Op()).reads {
		if u == usePastLength {
			return slot
		}
	}
	return -1
}

// contentOf returns what a cache holds, by its uses.
func contentOf(u use) Content {
	switch {
	case u&useKey != 0 && u&useValue != 0:
		return KeyAndValue
	case u&useKey != 0:
		return Key
	case u&useValue != 0:
		return Value
	default:
		return NoContent
	}
}

// reading says which products read keys and values.
func reading(c Content) string {
	switch c {
	case Key:
		return "the product before a Softmax reads it as keys"
	case Value:
		return "the product after a Softmax reads it as values"
	case KeyAndValue:
		return "products before and after a Softmax read it as keys and values"
	default:
		return ""
	}
}

// pairJoin pairs an input with the output that has it joined with something new.
func (f *finder) pairJoin(in, out int, x origin) {
	u := f.r.use[f.in[in]]
	if !holdsNumbers(f.types[in]) || u&useQuery != 0 {
		return
	}
	c := f.joinFound(in, x)
	if u&useKernel == 0 && (c.content == NoContent && u&(useInto|useSeen) != 0 || contentOf(u) == NoContent && !f.joinsAnother(in, x)) {
		return // what stands in place of tokens, or parts of one input in another order
	}
	c.present = []Evidence{structure("it is the result of %s", f.node(x.node))}
	f.pair(in, out, c)
}

// joinsAnother reports whether a join contains something that another input of the model makes. What
// is made from an input alone does not continue it.
func (f *finder) joinsAnother(in int, x origin) bool {
	fed := map[value]bool{}
	for i, v := range f.in {
		fed[v] = i != in
	}
	queue := slices.Clone(f.nodes[x.node].in)
	seen := map[value]bool{nothing: true}
	for len(queue) > 0 {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		switch {
		case seen[v]:
			continue
		case fed[v]:
			return true
		case f.maker[v] >= 0:
			queue = append(queue, f.nodes[f.maker[v]].in...)
		}
		seen[v] = true
	}
	return false
}

func (f *finder) joinFound(in int, x origin) found {
	u := f.r.use[f.in[in]]
	c := found{form: concat, content: contentOf(u), node: x.node, axis: x.axis}
	c.past = []Evidence{structure("%s joins it with something new", f.node(x.node))}
	switch {
	case c.content == NoContent && u&useKernel != 0:
		c.form, c.content = convCat, ConvState
		c.past = append(c.past, structure("a convolution reads the result"))
	case c.content == NoContent && x.sliced:
		c.form, c.content = convCat, ConvState
		c.past = append(c.past, structure("a Slice drops positions"))
		c.assumed = append(c.assumed, "that it is for a convolution: no attention reads it")
	case x.sliced:
		c.form, c.window = window, f.size(f.in[in], x.axis)
		c.past = append(c.past, structure("a Slice drops positions"))
	}
	if text := reading(c.content); text != "" {
		c.past = append(c.past, structure("%s", text))
	}
	if c.content == NoContent {
		c.content = f.byNames(in, &c)
	}
	return c
}

// byNames decides by the name of an input whether it has keys or values.
func (f *finder) byNames(in int, c *found) Content {
	name := f.roles.Inputs[in].Name
	content := contentInName(name)
	switch content {
	case NoContent:
		c.assumed = append(c.assumed, "whether it has keys or values is not known")
	default:
		c.past = append(c.past, Evidence{ByName, fmt.Sprintf("its name has %q", content.String())})
		c.assumed = append(c.assumed, fmt.Sprintf("%s: only its name says so", content))
	}
	return content
}

func (f *finder) pairScatter(in, out int, x origin) {
	u := f.r.use[f.in[in]]
	if !holdsNumbers(f.types[in]) || u&(useQuery|useInto) != 0 || len(f.dims(f.in[in])) == 1 {
		return
	}
	c := found{form: indexed, content: contentOf(u), node: x.node, axis: f.writtenAxis(x)}
	c.past = []Evidence{structure("%s replaces some of its positions", f.node(x.node))}
	c.present = []Evidence{structure("it is the result of %s", f.node(x.node))}
	if n := f.nodes[x.node].op; n.Is("TensorScatter") {
		c.past = []Evidence{byOperator("it is past_cache of %s", f.node(x.node))}
		c.present = []Evidence{byOperator("it is present_cache of %s", f.node(x.node))}
		c.inPlace = true
		if a, ok := n.Attribute("mode"); ok && a.Text() == "circular" {
			c.growth, c.window = Slides, f.size(f.in[in], c.axis)
		}
	}
	if text := reading(c.content); text != "" {
		c.past = append(c.past, structure("%s", text))
	} else {
		if !f.sameSizes(in, out) {
			return
		}
		c.content = f.byNames(in, &c)
	}
	f.pair(in, out, c)
}

// writtenAxis returns the axis of an input along which a scattering node writes, or -1.
func (f *finder) writtenAxis(x origin) int {
	n := &f.nodes[x.node]
	if n.op.Is("ScatterND") && f.size(at(n.in, 1), -1) != 1 {
		return -1
	}
	return x.axis
}

// sameSizes reports whether an input and an output certainly have the same type.
func (f *finder) sameSizes(in, out int) bool {
	a, b := f.dims(f.in[in]), f.dims(f.out[out])
	if a == nil || len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}

// pairUpdate pairs a state with what additions and multiplications make of it.
func (f *finder) pairUpdate(in, out int, x origin) {
	if f.r.use[f.in[in]]&(useQuery|useInto|useSeen|useMask) != 0 || !f.sameSizes(in, out) || len(f.dims(f.in[in])) < 2 || f.hasTokens(in) {
		return
	}
	f.pair(in, out, found{
		form: updated, content: State, node: x.node, axis: -1,
		past:    []Evidence{structure("elements of it are multiplied and added to, last by %s", f.node(x.node))},
		present: []Evidence{structure("it has the type of input %s, from which it is computed by elements", graphops.ShortQuoted(f.roles.Inputs[in].Name))},
	})
}

// hasTokens reports whether an input has an axis, after the batch, whose size is that of an axis of
// integer inputs, or whether there are no such inputs to compare it with.
func (f *finder) hasTokens(in int) bool {
	own := f.dims(f.in[in])
	compared := false
	for i, v := range f.in {
		d := f.dims(v)
		if i == in || !isInteger(f.types[i]) || len(d) < 2 {
			continue
		}
		compared = true
		for _, a := range d[1:] {
			for _, b := range own[1:] {
				if _, fixed := a.Number(); !fixed && a.Equal(b) {
					return true
				}
			}
		}
	}
	return !compared
}

func (f *finder) pairLoop(in, out int, x origin) {
	n := f.nodes[x.node].op
	if n.Is("Loop") && !holdsNumbers(f.types[in]) {
		return
	}
	f.pair(in, out, found{
		form: looped, content: State, node: x.node, axis: -1,
		past:    []Evidence{structure("it is the initial value of a state of %s", f.node(x.node))},
		present: []Evidence{structure("it is the final value of a state of %s", f.node(x.node))},
	})
}

// pairUnchanged pairs an input with the output that returns it.
func (f *finder) pairUnchanged(in, out int) {
	u := f.r.use[f.in[in]]
	if u&(useKey|useValue) == 0 || u&(useQuery|useInto) != 0 || f.queriesAreInputs() {
		return
	}
	c := f.crossFound(in)
	c.present = []Evidence{structure("it returns input %s unchanged", graphops.ShortQuoted(f.roles.Inputs[in].Name))}
	f.pair(in, out, c)
}

// maxHops limits how far is looked back from an output.
const maxHops = 64

// usesOf returns the uses of what an output has.
func (f *finder) usesOf(v value) use { return f.r.use[f.source(v)] }

// source returns the value with keys or values that an output has in another layout, or in one of
// the branches. Otherwise it is the output itself.
func (f *finder) source(out value) value {
	v := out
	for range maxHops {
		if f.r.use[v]&(useKey|useValue) != 0 {
			return v
		}
		m := f.maker[v]
		switch {
		case m < 0:
			return out
		case f.nodes[m].op == nil:
			next := nothing
			for _, in := range f.nodes[m].in {
				if next == nothing || f.constant[next] {
					next = in
				}
			}
			v = next
		case classes()[f.nodes[m].op.Op()] == passing:
			v = at(f.nodes[m].in, 0)
		default:
			return out
		}
		if v == nothing {
			return out
		}
	}
	return out
}

// encoded marks the values that are computed from what an encoder returned, up to an attention.
func (f *finder) encoded() []bool {
	out := make([]bool, len(f.homes))
	for i, v := range f.in {
		if v != nothing && f.roles.Inputs[i].Kind == Encoded {
			out[v] = true
		}
	}
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.op != nil && (classes()[n.op.Op()] == softmax || operators()[n.op.Op()] != nil || f.r.isProduct(n)) {
			continue
		}
		if f.r.any(out, n.in) {
			for _, v := range n.out {
				f.r.mark(out, v)
			}
		}
	}
	return out
}

// schemaSlot returns the name of a slot in the newest schema of an operator.
func schemaSlot(n *graphops.Node, slot int, output bool) string {
	versions := opschema.Versions(n.Domain(), n.OpType())
	if len(versions) == 0 {
		return ""
	}
	s := versions[len(versions)-1]
	find := s.Input
	if output {
		find = s.Output
	}
	p, _ := find(slot)
	return p.Name
}
