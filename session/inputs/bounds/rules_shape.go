package bounds

import (
	"slices"

	"lathe/graphops"
)

// list returns the number of elements of the input. ok is true if the node reads them unchanged and
// in order, so that a rule can set each one.
func (u use) list() (n int64, ok bool) {
	return u.count, u.isWhole() && u.count >= 0 && u.count <= maxConstant
}

// output returns the shape of the node's first output, as far as it does not depend on the input:
// shape inference may know it from the declared shape. It is nil if a size is unknown.
func (u use) output() []int64 {
	if len(u.node.Outputs()) == 0 {
		return nil
	}
	return fixed(u.shape(u.frame(), u.node.Output(0)))
}

// fixed returns the sizes of a shape, or nil if one of them is not fixed.
func fixed(s graphops.Shape) []int64 {
	if s == nil {
		return nil
	}
	out := make([]int64, len(s))
	for i, d := range s {
		if !d.IsFixed() {
			return nil
		}
		out[i] = d.Value
	}
	return out
}

// data returns the shape of the node's first input, or nil if a size is unknown.
func (u use) data() []int64 {
	return fixed(u.shape(u.frame(), u.input(0)))
}

// reshape is the rule for the shape of a Reshape. It is the declared shape of the output, or else
// the shape of the data. If neither has the right rank, all elements are put along the last axis.
func reshape(u use) Allowed {
	n, ok := u.list()
	why := u.because("shape for %q", u.input(0))
	switch {
	case !ok:
		return oneOf(u.because("part of the shape for %q", u.input(0)), 1)
	case n == 0:
		return Allowed{}
	}
	for _, known := range [][]int64{u.output(), u.data()} {
		if known != nil && int64(len(known)) == n && !slices.Contains(known, 0) {
			return exactly(known, why)
		}
	}
	return exactly(append(filled(n-1, 1), -1), why)
}

func filled(n, v int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// shapeOfData is the rule for a shape that may be that of the data.
func shapeOfData(u use) Allowed {
	n, ok := u.list()
	data := u.data()
	switch {
	case !ok:
		return counts(1, 4, "part of a shape")(u)
	case int64(len(data)) == n && n > 0:
		return exactly(data, u.because("sizes that %q has", u.input(0)))
	}
	return counts(1, 4, "sizes")(u)
}

// shapeOfOutput is the rule for the shape of the output. It is the declared shape, or else has
// small sizes.
func shapeOfOutput(u use) Allowed {
	if n, ok := u.list(); ok && n > 0 {
		if known := u.output(); int64(len(known)) == n {
			return exactly(known, u.because("shape of the output"))
		}
	}
	return counts(1, 4, "sizes")(u)
}

// sliceEnds is the rule for the ends of a Slice, which are the sizes of the axes. So nothing is cut
// off.
func sliceEnds(u use) Allowed {
	n, ok := u.list()
	data := u.data()
	axes, given := u.frame().ints(u.input(3))
	if !ok || data == nil || n == 0 || u.input(3) != "" && (!given || int64(len(axes)) != n) {
		return oneOf(u.because("where to end"), 1)
	}
	ends := make([]int64, n)
	for i := range ends {
		axis := int64(i)
		if given {
			axis = axes[i]
		}
		if axis < 0 {
			axis += int64(len(data))
		}
		if axis < 0 || axis >= int64(len(data)) {
			return Allowed{}
		}
		ends[i] = data[axis]
	}
	return exactly(ends, u.because("where to end: behind the last element"))
}

// pads is the rule for the padding of a Pad. It is the difference between the declared shape of the
// output and the shape of the data. If that is unknown, it is 0 for the first two axes and 1 at
// both ends of the others.
func pads(u use) Allowed {
	n, ok := u.list()
	data, out := u.data(), u.output()
	if !ok || n%2 != 0 || data != nil && n != int64(2*len(data)) {
		return oneOf(u.because("padding"), 0)
	}
	list := make([]int64, n)
	rank := int(n / 2)
	for i := range rank {
		switch {
		case len(out) == rank && len(data) == rank:
			list[rank+i] = out[i] - data[i]
		case i >= 2:
			list[i], list[rank+i] = 1, 1
		}
	}
	return exactly(list, u.because("padding"))
}

// axes is the rule for axes of the data. They are 0, 1 and so on, so no axis occurs twice.
func axes(u use) Allowed {
	n, ok := u.list()
	rank := len(u.shape(u.frame(), u.input(0)))
	if !ok || n > 1 && rank < int(n) || n == 0 {
		return oneOf(u.because("axis"), 0)
	}
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return exactly(list, u.because("axes of %q", u.input(0)))
}

// squeezable is the rule for the axes of a Squeeze, which must have size 1.
func squeezable(u use) Allowed {
	n, ok := u.list()
	var list []int64
	for i, d := range u.shape(u.frame(), u.input(0)) {
		if d.IsFixed() && d.Value == 1 && int64(len(list)) < n {
			list = append(list, int64(i))
		}
	}
	if !ok || n == 0 || int64(len(list)) < n {
		return oneOf(u.because("axis"), 0)
	}
	return exactly(list, u.because("axes of %q that have size 1", u.input(0)))
}

// split is the rule for the sizes into which an axis is split. They are equal, except that the last
// one gets the remainder too.
func split(u use) Allowed {
	n, ok := u.list()
	size, known := u.dimOf(0, u.int("axis", 0))
	if !ok || !known || n == 0 {
		return oneOf(u.because("size of a part"), 1)
	}
	parts := filled(n, size/n)
	parts[n-1] += size % n
	return exactly(parts, u.because("parts of an axis of size %d of %q", size, u.input(0)))
}
