package shape

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// sequences are lists of tensors. The type of the elements is what all have in
// common; a single one is looked up where the list is made (items.go).
var sequences = family{
	"SequenceConstruct": sequenceConstruct, "SequenceEmpty": sequenceEmpty, "SequenceAt": sequenceAt,
	"SequenceInsert": sequenceInsert, "SequenceErase": sequenceErase, "SequenceLength": sequenceLength,
	"ConcatFromSequence": concatFromSequence, "SplitToSequence": splitToSequence, "SequenceMap": sequenceMap,
}

// outSequence sets an output to a sequence of elements of a type.
func (c *call) outSequence(o int, of Type) {
	if o < len(c.out) {
		c.out[o] = Value{Type: Type{Kind: graphops.TypeSequence, Of: &of}}
	}
}

// elementOf is the type of an element of an input that is a sequence. Sizes that
// are not known may be others in each element.
func (c *call) elementOf(i int) Type {
	t := c.input(i).Type
	if t.Kind != graphops.TypeSequence || t.Of == nil {
		return Type{}
	}
	return t.Of.anew()
}

// anew is the type with other unknown sizes.
func (t Type) anew() Type {
	t.Dims = slices.Clone(t.Dims)
	for i, d := range t.Dims {
		if !d.Known() {
			t.Dims[i] = dim.Unknown()
		}
	}
	return t
}

// joinAll is what types have in common, nothing known of none.
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
	list, ok := c.items(0)
	at, known := c.position(1)
	if !ok || !known {
		return
	}
	if at < 0 {
		at += int64(len(list))
	}
	if at < 0 || at >= int64(len(list)) {
		c.problem(0, fmt.Sprintf("there is no element %d in a sequence of %d", at, len(list)))
		return
	}
	if v := c.itemValue(list[at]); v.Kind != graphops.TypeUnknown {
		c.out[0] = v
	}
}

func sequenceInsert(c *call) {
	of, t := c.elementOf(0), c.input(1).Type
	list, known := c.items(0)
	switch {
	case of.Elem != tensor.Undefined && t.Elem != tensor.Undefined && of.Elem != t.Elem:
		c.problem(1, fmt.Sprintf("%s does not go into %s", c.describe(1), c.describe(0)))
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
	if list, ok := c.items(0); ok && len(list) == 0 {
		c.problem(0, c.describe(0)+" has no elements to be erased")
	}
	c.pass(0, 0)
}

func sequenceLength(c *call) {
	c.outTensor(0, tensor.I64, numbers())
	if list, ok := c.items(0); ok {
		c.outElems(0, []elem{numberElem(int64(len(list)))})
	} else {
		c.outElems(0, []elem{unknownElem()})
	}
}

func concatFromSequence(c *call) {
	of := c.elementOf(0)
	c.outTensor(0, of.Elem, nil)
	types, all := []Type{of}, false
	if list, ok := c.items(0); ok {
		types, all = nil, true
		for _, x := range list {
			types = append(types, c.itemValue(x).Type)
		}
		of = joinAll(types)
		c.sameRanks(types)
	}
	stack := c.attrInt("new_axis", 0) != 0
	rank := len(of.Dims)
	if stack {
		rank++
	}
	if of.Dims == nil {
		return
	}
	axis, ok := c.axis(c.attrInt("axis", 0), rank)
	if !ok || !c.sameBut(types, axis, stack) {
		return
	}
	out := slices.Clone(of.Dims)
	if stack {
		out = slices.Insert(out, axis, dim.Unknown())
		if all {
			out[axis] = dim.Number(int64(len(types)))
		}
	} else {
		out[axis] = dim.Unknown()
		if all {
			out[axis] = sumOf(types, axis)
		}
	}
	c.outDims(0, out)
}

// sameBut reports whether tensors may have the same sizes, but for an axis unless
// they are stacked; that they cannot is a problem.
func (c *call) sameBut(types []Type, axis int, stack bool) bool {
	for k, t := range types {
		for i, d := range t.Dims {
			if (stack || i != axis) && apart(d, types[0].Dims[i]) {
				c.problem(0, fmt.Sprintf("elements 0 and %d of %s have the types %s and %s", k, c.describe(0), types[0], t))
				return false
			}
		}
	}
	return true
}

// sameRanks demands that tensors have one rank.
func (c *call) sameRanks(types []Type) {
	for k, t := range types {
		if first := types[0]; t.Dims != nil && first.Dims != nil && len(t.Dims) != len(first.Dims) {
			c.problem(0, fmt.Sprintf("elements 0 and %d of %s have the types %s and %s", k, c.describe(0), first, t))
			return
		}
	}
}

func sumOf(types []Type, axis int) dim.Dim {
	sum := dim.Number(0)
	for _, t := range types {
		sum = sum.Add(t.Dims[axis])
	}
	return sum
}

func splitToSequence(c *call) {
	d := c.dims(0)
	of := tensorOf(c.elem(0), nil)
	defer func() { c.outSequence(0, of) }()
	if d == nil {
		return
	}
	axis, ok := c.axis(c.attrInt("axis", 0), len(d))
	if !ok {
		return
	}
	if !c.has(1) && c.attrInt("keepdims", 1) == 0 {
		of.Dims = slices.Delete(slices.Clone(d), axis, axis+1)
		return
	}
	of.Dims = slices.Clone(d)
	of.Dims[axis] = c.commonPart(d[axis])
}

// commonPart is the size that all parts of an axis of n have, if it is one.
func (c *call) commonPart(n dim.Dim) dim.Dim {
	if !c.has(1) {
		return dim.Number(1)
	}
	sizes := c.elems(1)
	if len(sizes) == 0 || c.dims(1) == nil {
		return dim.Unknown()
	}
	size := sizes[0].size()
	if len(c.dims(1)) == 1 {
		c.demandSum(n, c.sizes(1))
		for _, e := range sizes {
			if !e.size().Equal(size) {
				return dim.Unknown()
			}
		}
		return size
	}
	if lo, hi := size.Bounds(); hi < 1 {
		c.problem(1, fmt.Sprintf("%s is %s, expected at least 1", c.describe(1), size))
	} else if _, whole := n.Quotient(size); whole && lo > 0 {
		return size
	}
	return dim.Unknown()
}

// sequenceMap runs its body for each element of the first input. Other inputs may
// be tensors, which every run takes whole.
func sequenceMap(c *call) {
	f := c.body("body")
	if f == nil {
		return
	}
	f.times = dim.Unknown()
	if list, ok := c.items(0); ok {
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
