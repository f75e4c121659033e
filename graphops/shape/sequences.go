package shape

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// sequences has the rules of operators on sequences of tensors. The type of a sequence's elements
// is what all elements have in common. What is known of a single element is found where the
// sequence is created (items.go).
var sequences = family{
	"SequenceConstruct": sequenceConstruct, "SequenceEmpty": sequenceEmpty, "SequenceAt": sequenceAt,
	"SequenceInsert": sequenceInsert, "SequenceErase": sequenceErase, "SequenceLength": sequenceLength,
	"SequenceMap": sequenceMap,
}

// outSequence sets an output to a sequence with elements of a type.
func (c *call) outSequence(o int, of Type) {
	if o < len(c.out) {
		c.out[o] = Value{Type: Type{Kind: graphops.TypeSequence, Of: &of}}
	}
}

// elementOf returns the type of an element of a sequence. Unknown sizes may differ between
// elements.
func (c *call) elementOf(i int) Type {
	t := c.input(i).Type
	if t.Kind != graphops.TypeSequence || t.Of == nil {
		return Type{}
	}
	return t.Of.anew()
}

// anew returns the type with its unknown sizes replaced by new ones, which need not equal the old.
func (t Type) anew() Type {
	t.Dims = slices.Clone(t.Dims)
	for i, d := range t.Dims {
		if !d.Known() {
			t.Dims[i] = dim.Unknown()
		}
	}
	return t
}

// joinAll returns what types have in common, unknown for an empty list.
func joinAll(types []Type) Type {
	if len(types) == 0 {
		return Type{}
	}
	out := types[0]
	for _, t := range types[1:] {
		out = join(out, t)
	}
	return out
}

func sequenceConstruct(c *call) {
	var types []Type
	for _, i := range c.present() {
		types = append(types, c.input(i).Type)
		if a, b := c.elem(0), c.elem(i); a != b && a != tensor.Undefined && b != tensor.Undefined {
			c.problem(i, fmt.Sprintf("%s and %s have different types", c.describe(0), c.describe(i)))
		}
	}
	c.outSequence(0, joinAll(types))
}

func sequenceEmpty(c *call) { c.outSequence(0, tensorOf(c.elemOr("dtype", tensor.F32), nil)) }

func sequenceAt(c *call) {
	if len(c.out) == 0 {
		return
	}
	c.out[0].Type = c.elementOf(0)
	list, ok := c.items()
	at, known := c.position(1)
	if !ok || !known {
		return
	}
	if at < 0 {
		at += int64(len(list))
	}
	if at < 0 || at >= int64(len(list)) {
		c.problem(0, fmt.Sprintf("there is no element %d in a sequence of length %d", at, len(list)))
		return
	}
	if v := c.itemValue(list[at]); v.Kind != graphops.TypeUnknown {
		c.out[0] = v
	}
}

func sequenceInsert(c *call) {
	of, t := c.elementOf(0), c.input(1).Type
	list, known := c.items()
	switch {
	case of.Elem != tensor.Undefined && t.Elem != tensor.Undefined && of.Elem != t.Elem:
		c.problem(1, fmt.Sprintf("%s cannot be inserted into %s", c.describe(1), c.describe(0)))
		c.outSequence(0, of.withoutShape())
	case t.Kind == graphops.TypeUnknown:
		c.outSequence(0, of.withoutShape())
	case known && len(list) == 0:
		c.outSequence(0, t)
	case of.Kind == graphops.TypeUnknown:
		c.outSequence(0, t.withoutShape())
	default:
		c.outSequence(0, join(of, t))
	}
}

func sequenceErase(c *call) {
	if list, ok := c.items(); ok && len(list) == 0 {
		c.problem(0, c.describe(0)+" has no elements that could be removed")
	}
	c.pass()
}

func sequenceLength(c *call) {
	c.outTensor(0, tensor.I64, numbers())
	if list, ok := c.items(); ok {
		c.outElems(0, []elem{numberElem(int64(len(list)))})
	} else {
		c.outElems(0, []elem{unknownElem()})
	}
}

// sequenceMap is the rule of SequenceMap. It runs its body for each element of the first input.
// Other inputs may be tensors, which are passed unchanged to every run.
func sequenceMap(c *call) {
	f := c.body("body")
	if f == nil {
		return
	}
	f.times = dim.Unknown()
	if list, ok := c.items(); ok {
		f.times = dim.Number(int64(len(list)))
	}
	for i := range c.in {
		v := c.input(i)
		if i == 0 || v.Kind == graphops.TypeSequence {
			v = Value{Type: c.elementOf(i)}
		} else {
			v.elems = c.elems(i)
		}
		f.feed(i, v)
	}
	f.run()
	for o, v := range f.outputs() {
		c.outSequence(o, v.Type)
	}
}
