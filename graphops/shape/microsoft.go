package shape

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// The domains of ONNX Runtime's own operators: those that its optimizer, its quantizers and its
// transformer tools write into models, and those of its layouts.
const (
	nchwc = "com.microsoft.nchwc"
	nhwc  = "com.ms.internal.nhwc"
)

// extent returns the size of an axis, counted from the end if negative; unknown if there is no
// such axis.
func (c *call) extent(i, axis int) dim.Dim { return c.axisSource(i, axis).Size }

// axisSource returns the size of an axis and its source, with axis -1 and an unknown size if
// there is no such axis.
func (c *call) axisSource(i, axis int) Source {
	d := c.dims(i)
	if axis < 0 {
		axis += len(d)
	}
	if axis < 0 || axis >= len(d) {
		return Source{dim.Unknown(), i, -1}
	}
	return Source{d[axis], i, axis}
}

// agree requires that two axes have the same size, if both inputs have such an axis, and returns
// that size.
func (c *call) agree(i, axis, j, other int) dim.Dim {
	a, b := c.axisSource(i, axis), c.axisSource(j, other)
	switch {
	case a.Axis < 0:
		return b.Size
	case b.Axis < 0:
		return a.Size
	default:
		return c.demand(a, b)
	}
}

// holds requires that an axis, if the input has it, has a size that follows from something else,
// and returns that size.
func (c *call) holds(i, axis int, told string, n dim.Dim) dim.Dim {
	a := c.axisSource(i, axis)
	if a.Axis < 0 {
		return n
	}
	if dim.Apart(a.Size, n) {
		c.problem(i, fmt.Sprintf("%s: %s should be %s (%s)", c.describe(i), axisText(a), n, told))
	}
	c.note(a, Source{n, i, -1}, Equals, told)
	return known(a.Size, n)
}

// vector requires that an input, if it is given, is a vector with the length of an axis of
// another one.
func (c *call) vector(i, j, axis int) {
	if c.has(i) && c.rankIn(i, 1) != nil {
		c.agree(j, axis, i, 0)
	}
}

// positive returns an attribute that is a count: unknown if it is not given, or below 1, which
// is a problem.
func (c *call) positive(name string) dim.Dim {
	a, ok := c.attr(name)
	switch {
	case !ok:
		return dim.Unknown()
	case a.Kind() != graphops.AttrInt || a.Int() < 1:
		c.problem(-1, fmt.Sprintf("%s is %d, expected at least 1", name, a.Int()))
		return dim.Unknown()
	default:
		return dim.Number(a.Int())
	}
}

// single returns the only element of an input as a size; unknown if it is not traced.
func (c *call) single(i int) dim.Dim {
	if elems := c.elems(i); len(elems) == 1 {
		return elems[0].size()
	}
	return dim.Unknown()
}

// copies returns the rule of an operator whose outputs have the sizes of inputs. The arguments are
// pairs of an output and an input.
func copies(pairs ...int) rule {
	return func(c *call) {
		for k := 0; k+1 < len(pairs); k += 2 {
			c.outDims(pairs[k], c.dims(pairs[k+1]))
		}
	}
}

// lastAs returns the sizes of an input with n as the last one.
func lastAs(d []dim.Dim, n dim.Dim) []dim.Dim {
	if len(d) == 0 {
		return nil
	}
	return append(slices.Clone(d[:len(d)-1]), n)
}
