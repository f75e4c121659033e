package shape

import "lathe/graphops/dim"

// fusedWindows has the rules of com.microsoft's convolutions and pools, which are fused, quantized
// or have their channels last.
var fusedWindows = family{
	"FusedConv":     convolution{weights: 1, bias: 2}.rule,
	"NhwcConv":      convolution{weights: 1, last: always, hidden: true}.rule,
	"NhwcFusedConv": convolution{weights: 1, bias: 2, last: always}.rule,
	"QLinearConv":   convolution{weights: 3, bias: 8, last: byAttribute}.rule,
	"NhwcMaxPool":   pool(always), "MaxpoolWithMask": maskedPool, "QLinearAveragePool": pool(byAttribute),
	"ConvTransposeWithDynamicPads": transposedWithPads,
}

// blocked has the rules of the operators of the layout in which channels are in blocks. The length
// of a block depends on the machine.
var blocked = family{
	"Conv": convolution{weights: 1, blocked: true}.rule, "MaxPool": pool(never), "AveragePool": pool(never),
	"GlobalMaxPool": globalPool(never), "GlobalAveragePool": globalPool(never),
	"ReorderInput": reorderInput, "ReorderOutput": reorderOutput, "Upsample": upsampleBlocked,
}

// channelsLast has the rules of the standard's operators in the layout with channels last.
var channelsLast = family{
	"Conv": convolution{weights: 1, last: always}.rule, "QLinearConv": convolution{weights: 3, last: always}.rule,
	"MaxPool": pool(always), "AveragePool": pool(always), "LpPool": pool(always), "QLinearAveragePool": pool(always),
	"GlobalMaxPool": globalPool(always), "GlobalAveragePool": globalPool(always), "GlobalLpPool": globalPool(always),
	"BatchNormalization": copies(0, 0, 1, 3, 2, 4, 3, 3, 4, 4), "InstanceNormalization": firstShape, "LRN": firstShape,
	"DepthToSpace": blocksLast(true), "SpaceToDepth": blocksLast(false), "GridSample": gridSampleLast,
}

// maskedPool is the rule of MaxpoolWithMask. It skips the elements selected by a mask of the same
// height and width.
func maskedPool(c *call) {
	pool(never)(c)
	if d := c.dims(0); d != nil && c.rankIn(1, len(d)) != nil {
		for axis := 2; axis < len(d); axis++ {
			c.agree(0, axis, 1, axis)
		}
	}
}

func always(*call) bool { return true }
func never(*call) bool  { return false }
func byAttribute(c *call) bool {
	return c.attrInt("channels_last", 0) != 0
}

// transposedWithPads is the rule of ConvTransposeWithDynamicPads, whose pads are an input.
func transposedWithPads(c *call) {
	transposed(c, func(w *windows) bool {
		n, pads := len(w.kernel), c.sizes(2)
		c.lists(2, dim.Number(int64(2*n)))
		if len(pads) != 2*n {
			return false
		}
		w.before, w.after = pads[:n], pads[n:]
		return true
	})
}
