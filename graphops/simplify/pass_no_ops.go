package simplify

import (
	"slices"

	"lathe/graphops/rewrite"
)

var noOps = &pass{
	name:   "no-ops",
	title:  "nodes that do nothing because of their parameters are removed: padding by zero, splitting into one part, joining one input, resizing by one, dropout in inference",
	reason: "their output is their input",
	ops: []string{
		"Pad", "Expand", "Tile", "Resize", "Upsample", "Concat", "Split", "Gather", "Dropout", "Sum", "Max", "Min", "Mean",
		"DepthToSpace", "SpaceToDepth",
	},
	node: func(_ *job, n *rewrite.Node) string {
		is := doesNothing[n.Op()]
		if is == nil || !n.Is(n.Op()) || n.In(0) == nil || n.Out(0) == nil || !isTensor(n.In(0)) || !is(n) || !n.PassOn(n.In(0)) {
			return ""
		}
		return "removed"
	},
}

// doesNothing has, by operator, a condition under which the first output equals the first input.
var doesNothing = map[string]func(n *rewrite.Node) bool{
	"Pad":      padsNothing,
	"Expand":   sizesStay,
	"Tile":     sizesStay,
	"Resize":   resizesNothing,
	"Upsample": func(n *rewrite.Node) bool { return scalesAreOne(n, "scales", 1) },
	"Concat":   func(n *rewrite.Node) bool { return len(n.Inputs()) == 1 },
	"Split":    func(n *rewrite.Node) bool { return len(n.Outputs()) == 1 && sizesStay(n) },
	"Gather":   gathersAll,
	"Dropout":  dropsNothing,
	"Sum":      hasOneInput, "Max": hasOneInput, "Min": hasOneInput, "Mean": hasOneInput,
	"DepthToSpace": hasBlocksOfOne, "SpaceToDepth": hasBlocksOfOne,
}

// sizesStay reports whether the output has the sizes of the input. For operators that only repeat
// elements or divide them into parts, the output then equals the input.
func sizesStay(n *rewrite.Node) bool { return n.In(0).SameSizes(n.Out(0)) }

func hasOneInput(n *rewrite.Node) bool { return len(n.Inputs()) == 1 }

func hasBlocksOfOne(n *rewrite.Node) bool { return n.Int("blocksize", 0) == 1 }

func padsNothing(n *rewrite.Node) bool {
	version := n.Graph().Opset("")
	if version < 2 {
		return false
	}
	list, ok := n.Ints("pads")
	if version >= sincePadInput && n.In(1) != nil {
		list, ok = n.In(1).Ints()
	}
	return ok && !slices.ContainsFunc(list, func(p int64) bool { return p != 0 })
}

// resizesNothing checks the scales, because unchanged sizes may also result from scales close to
// one. Coordinate modes that move elements without scaling, or use a region, are excluded.
func resizesNothing(n *rewrite.Node) bool {
	version := n.Graph().Opset("")
	switch n.Text("coordinate_transformation_mode", "half_pixel") {
	case "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric":
	default:
		return false
	}
	switch {
	case version < 11:
		return scalesAreOne(n, "", 1)
	case n.In(3) != nil:
		return sizesStay(n) && n.Text("keep_aspect_ratio_policy", "stretch") == "stretch"
	}
	return scalesAreOne(n, "", 2)
}

func scalesAreOne(n *rewrite.Node, attribute string, input int) bool {
	if a, ok := n.Attribute(attribute); ok {
		list := a.Floats()
		return len(list) > 0 && !slices.ContainsFunc(list, func(s float32) bool { return s != 1 })
	}
	list, ok := n.In(input).Floats()
	return ok && len(list) > 0 && !slices.ContainsFunc(list, func(s float64) bool { return s != 1 })
}

func gathersAll(n *rewrite.Node) bool {
	list, ok := n.In(1).Ints()
	dims := n.In(0).Dims()
	if !ok || len(n.In(1).Dims()) != 1 || dims == nil {
		return false
	}
	axis, ok := fromZero([]int64{n.Int("axis", 0)}, len(dims))
	if !ok || !dims[axis[0]].Is(int64(len(list))) {
		return false
	}
	for i, x := range list {
		if x != int64(i) && x != int64(i-len(list)) {
			return false
		}
	}
	return true
}

// dropsNothing reports whether a Dropout is in inference mode, which is the default.
func dropsNothing(n *rewrite.Node) bool {
	switch version := n.Graph().Opset(""); {
	case version < 7:
		return n.Int("is_test", 0) != 0
	case version < 12 || n.In(2) == nil:
		return true
	}
	return filledWith(n.In(2), 0)
}
