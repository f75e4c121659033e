package shape

import "slices"

// added has the rules of operators that ONNX Runtime adds to the standard's domain: copies between
// devices, which it writes into optimized models, and former experimental operators of the
// standard.
var added = family{
	"MemcpyFromHost": func(c *call) { c.pass() }, "MemcpyToHost": func(c *call) { c.pass() },
	"DynamicSlice": dynamicSlice, "GivenTensorFill": givenTensorFill,
}

// dynamicSlice is the rule of DynamicSlice, a Slice whose ranges are inputs. ONNX Runtime added it
// when the standard's Slice had only attributes for them.
func dynamicSlice(c *call) {
	d := c.dims(0)
	if d == nil {
		return
	}
	starts, ends := c.sizes(1), c.sizes(2)
	list, known := c.ints(3)
	if !c.has(3) {
		known = true
		for i := range starts {
			list = append(list, int64(i))
		}
	}
	axes, ok := c.axes(list, len(d))
	if !known || !ok || starts == nil || len(starts) != len(ends) || len(axes) != len(starts) {
		c.outDims(0, unknownDims(len(d)))
		return
	}
	out := slices.Clone(d)
	for i, a := range axes {
		out[a] = cut{start: starts[i], end: ends[i], step: 1}.length(d[a])
	}
	c.outDims(0, out)
}

// givenTensorFill is the rule of GivenTensorFill. It creates a tensor whose shape is given by an
// attribute, or is that of its input with additional axes.
func givenTensorFill(c *call) {
	shape, given := c.attrInts("shape")
	switch {
	case given:
		c.outDims(0, numbers(shape...))
	case c.attrInt("input_as_shape", 0) != 0:
		c.outDims(0, c.sizes(0))
	case c.dims(0) != nil:
		more, _ := c.attrInts("extra_shape")
		c.outDims(0, append(slices.Clone(c.dims(0)), numbers(more...)...))
	}
}
