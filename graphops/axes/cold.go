package axes

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// shaping lists the operators of the default domain whose second input determines the shape of the
// output. If that input is computed from data, inference cannot follow a freed axis through the
// node.
var shaping = map[string]bool{
	"Reshape": true, "Expand": true, "Squeeze": true, "Unsqueeze": true, "Tile": true,
	"ReduceL1": true, "ReduceL2": true, "ReduceLogSum": true, "ReduceLogSumExp": true, "ReduceMax": true, "ReduceMean": true,
	"ReduceMin": true, "ReduceProd": true, "ReduceSum": true, "ReduceSumSquare": true,
}

// warnOfCold warns about each node behind which a freed axis cannot be followed. The reason is that
// the node's output shape depends on data, or that it removes an axis only if its size is 1.
func (c *changer) warnOfCold(visits []shape.Visit) {
	for _, symbol := range c.tagger.symbols() {
		for _, v := range visits {
			name := shape.NodeName(v.Index, v.Node)
			switch {
			case byData(v, symbol):
				c.warnOnce("%s: whether it works with other sizes of %q depends on %q, which is computed from data", name, symbol, v.Node.Input(1))
			case c.report.Sizes[symbol] == 1 && bySize(v, symbol):
				c.warnOnce("%s: it names no axes and removes one only if %s = 1, so its rank differs at other sizes", name, symbol)
			}
		}
	}
}

// bySize reports whether a node is a Squeeze without axes that reads an axis with the symbol. Such
// a Squeeze removes all axes of size 1.
func bySize(v shape.Visit, symbol string) bool {
	if !v.Node.Is("Squeeze") || len(v.In) == 0 || v.In[0] == nil || len(v.In) > 1 && v.In[1] != nil {
		return false
	}
	_, given := v.Attribute("axes")
	return !given && slices.ContainsFunc(v.In[0].Dims, func(d dim.Dim) bool { return mentions(d, symbol) })
}

// byData reports whether a node reads an axis with the symbol, and whether its output has that axis
// depends on elements that are not known before a run.
func byData(v shape.Visit, symbol string) bool {
	if v.Node.Domain() != graphops.DefaultDomain || !shaping[v.Node.OpType()] || len(v.In) < 2 || v.In[0] == nil || v.In[1] == nil || len(v.Out) == 0 {
		return false
	}
	has := func(d dim.Dim) bool { return mentions(d, symbol) }
	sizes := v.In[1].Sizes()
	open := sizes == nil || slices.ContainsFunc(sizes, func(d dim.Dim) bool { return !d.Known() })
	return open && slices.ContainsFunc(v.In[0].Dims, has) && !slices.ContainsFunc(v.Out[0].Dims, has)
}
