package check

import (
	"fmt"
	"math"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// operands are the inputs and attributes of a node, as far as they are the same in every run.
// What may differ between runs is unknown.
type operands struct {
	settings
	subject *subject
	since   int64 // version of the operator
}

// hasInput reports whether an input is given.
func (o operands) hasInput(i int) bool { return i < len(o.Inputs()) && o.Inputs()[i] != "" }

// dims returns the sizes of an input, nil if its rank is unknown.
func (o operands) dims(i int) []dim.Dim {
	if !o.hasInput(i) {
		return nil
	}
	return o.subject.sizes(o.site, i)
}

// out returns the sizes of an output.
func (o operands) out(i int) []dim.Dim {
	if i >= len(o.Outputs()) {
		return nil
	}
	return o.subject.inferred(o.place, o.Outputs()[i]).Dims
}

// axis returns the axis in an attribute, counted from 0. known is false if the attribute is unknown
// or out of range.
func (o operands) axis(name string, otherwise int64, rank int) (int, bool) {
	a, known := o.number(name, otherwise)
	if a < 0 {
		a += int64(rank)
	}
	return int(a), known && a >= 0 && a < int64(rank)
}

// elements returns the integers in an input, each as far as it is known; nil if they are not
// traced, or if a run may replace them.
func (o operands) elements(i int) []dim.Dim {
	if !o.hasInput(i) || o.isReplaceable(i) {
		return nil
	}
	if list := o.subject.storedIntegers(o.site, i); list != nil {
		return list
	}
	return o.subject.inferred(o.place, o.Inputs()[i]).Sizes()
}

// storedIntegers returns the elements of a small constant that a node reads; nil if the input is
// not such a constant. The elements are unknown if they are not integers.
func (s *subject) storedIntegers(n site, input int) []dim.Dim {
	c, t := constantInput(n, input)
	if t == nil {
		return nil
	}
	list, read := s.integers[c]
	if !read {
		list = s.readIntegers(t)
		s.integers[c] = list
	}
	return list
}

func (s *subject) readIntegers(t *graphops.Tensor) []dim.Dim {
	size, ok := s.readableBytes(t)
	if !ok || size > scalarBytes || t.IsExternal() {
		return nil
	}
	v, err := t.Read()
	if err != nil {
		return nil
	}
	if list, err := v.Int64s(); err == nil {
		return numbersOf64(list)
	}
	list, err := v.Float64s()
	if err != nil {
		return nil
	}
	out := make([]dim.Dim, len(list))
	for i, f := range list {
		if out[i] = dim.UnknownInteger(); math.Abs(f) < 1<<53 {
			out[i] = dim.Number(int64(f)) // ONNX Runtime truncates it too
		}
	}
	return out
}

// isReplaceable reports whether an input is an initializer that is an input of the model.
func (o operands) isReplaceable(i int) bool {
	name := o.Inputs()[i]
	for p := o.place; p != nil; p = p.Parent {
		x := p.Graph.Index()
		v, ok := x.Value(name)
		if ok && x.IsDefined(v) {
			return x.IsInitializer(v) && x.IsInput(v) && o.subject.model.IRVersion() > listedUntil
		}
	}
	return false
}

// quoted returns the name of an input for a message.
func (o operands) quoted(i int) string { return fmt.Sprintf("%q", o.Inputs()[i]) }

// bounds returns numbers between which all elements of an input are. Constants that are too large
// for shape inference are read from the file.
func (o operands) bounds(i int) (least, most int64, known bool) {
	list := o.elements(i)
	if list == nil && o.hasInput(i) && !o.isReplaceable(i) {
		p, ok := o.subject.profile(o.site, i)
		return int64(p.Min), int64(p.Max), ok && p.Count > 0 && p.NaN+p.Inf == 0
	}
	for k, e := range list {
		lo, hi := e.Bounds()
		if k == 0 {
			least, most = hi, lo
		}
		// The smallest element is at most the upper bound of each.
		least, most = min(least, hi), max(most, lo)
	}
	return least, most, len(list) > 0
}

// outside returns an element of an input that is certainly less than from or greater than to.
func (o operands) outside(i int, from, to int64) (element int64, found bool) {
	least, most, known := o.bounds(i)
	switch {
	case !known:
		return 0, false
	case most > to:
		return most, true
	default:
		return least, least < from
	}
}

// largest returns the upper bound of a size.
func largest(d dim.Dim) int64 {
	_, hi := d.Bounds()
	return hi
}

// elementType returns the type of an input, as far as it is known.
func (o operands) elementType(i int) graphops.Type {
	return withoutShape(o.subject.inferred(o.place, o.Inputs()[i]).Type)
}
