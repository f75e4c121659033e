package shape

import (
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// shapes has the rules of operators that return the sizes of their operand.
var shapes = family{"Shape": shapeOf, "Size": sizeOf}

func shapeOf(c *call) {
	d := c.dims(0)
	if d == nil {
		c.outTensor(0, tensor.I64, unknownDims(1))
		return
	}
	rank := int64(len(d))
	from, to := clampAxis(c.attrInt("start", 0), rank), clampAxis(c.attrInt("end", rank), rank)
	d = d[from:max(from, to)]
	elems := make([]elem, len(d))
	for i, n := range d {
		elems[i] = intElem(n)
	}
	c.outTensor(0, tensor.I64, numbers(int64(len(d))))
	c.outElems(0, elems)
}

// clampAxis converts the end of a range of axes to a number from 0 and limits it to the rank.
func clampAxis(axis, rank int64) int64 {
	if axis < 0 {
		axis += rank
	}
	return min(max(axis, 0), rank)
}

func sizeOf(c *call) {
	c.outTensor(0, tensor.I64, numbers())
	if d := c.dims(0); d != nil {
		c.outElems(0, []elem{intElem(dim.Product(d...))})
	}
}
