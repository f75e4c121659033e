package axes

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// shaping are the operators of the standard whose second input decides about axes. Where
// its elements come from data, nobody knows what becomes of a freed axis.
var shaping = map[string]bool{
	"Reshape": true, "Expand": true, "Squeeze": true, "Unsqueeze": true, "Tile": true,
	"ReduceL1": true, "ReduceL2": true, "ReduceLogSum": true, "ReduceLogSumExp": true, "ReduceMax": true, "ReduceMean": true,
	"ReduceMin": true, "ReduceProd": true, "ReduceSum": true, "ReduceSumSquare": true,
}

// warnOfData warns of the nodes behind which a freed axis is not followed, because data
// tell what they make of it.
func (c *changer) warnOfData(visits []shape.Visit) {
	for _, symbol := range c.tagger.symbols() {
		for _, v := range visits {
			if byData(v, symbol) {
				c.warnOnce("%s: whether it takes other sizes of %q depends on %q, which is data",
					shape.NodeName(v.Index, v.Node), symbol, v.Node.Inputs()[1])
			}
		}
	}
}

// byData reports whether a node reads an axis of a size, and elements that are not known
// tell whether its output has it.
func byData(v shape.Visit, symbol string) bool {
	if v.Node.Domain() != graphops.DefaultDomain || !shaping[v.Node.OpType()] || len(v.In) < 2 || v.In[0] == nil || v.In[1] == nil {
		return false
	}
	has := func(d dim.Dim) bool { return mentions(d, symbol) }
	sizes := v.In[1].Sizes()
	open := sizes == nil || slices.ContainsFunc(sizes, func(d dim.Dim) bool { return !d.Known() })
	return open && slices.ContainsFunc(v.In[0].Dims, has) && !slices.ContainsFunc(v.Out[0].Dims, has)
}
