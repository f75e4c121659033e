package opset

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// twoScales turns the attributes height_scale and width_scale of an Upsample of version 1 into the
// list scales.
func twoScales(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	scales := []float32{1, 1}
	for _, name := range []string{"height_scale", "width_scale"} {
		a, ok, err := told(n, name)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("attribute %q is missing", name)
		}
		scales = append(scales, a.Float())
	}
	return s.one(with(without(n, "height_scale", "width_scale"), graphops.FloatsAttribute("scales", scales)), "scales of all axes")
}

// scalesInput turns the attribute scales of an Upsample into an input.
func scalesInput(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	a, ok, err := told(n, "scales")
	switch {
	case err != nil:
		return nil, err
	case !ok || len(n.Inputs()) != 1:
		return nil, fmt.Errorf("it has %d inputs, expected one; it has the attribute scales: %t", len(n.Inputs()), ok)
	}
	scales := s.keep(n, "scales", tensor.FromSlice(a.Floats(), int64(len(a.Floats()))))
	return s.one(without(n, "scales").WithInputs([]string{n.Inputs()[0], scales}), "scales is an input")
}

// upsampleResize replaces an Upsample by a Resize and records that its scales are at least 1.
func upsampleResize(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	s.c.enlarging[n.Outputs()[0]] = true
	return s.one(become(n, "Resize", n.Inputs(), n.Attributes()), "it is a Resize")
}

// coordinates adds attributes to a Resize that say how it maps coordinates and rounds them. Before
// version 11, the input coordinate is the output coordinate divided by the scale. ONNX Runtime
// rounds it down along axes that become larger, and up along axes that become smaller. From version
// 11 on, a node rounds in the same way along all axes. In mode "nearest" the scales must therefore
// be known. If some are below 1 and others above, the node is replaced by two nodes.
func coordinates(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	mode, err := textOr(n, "mode", "nearest")
	if err != nil {
		return nil, err
	}
	if len(n.Inputs()) != 2 || len(n.Outputs()) != 1 {
		return nil, fmt.Errorf("it has %d inputs, expected 2", len(n.Inputs()))
	}
	x, scales := n.Inputs()[0], n.Inputs()[1]
	switch mode {
	case "linear":
		return s.one(s.placed(n, x, scales, n.Outputs()[0], graphops.TextAttribute("mode", mode)), "coordinate mode added")
	case "nearest":
	default:
		return nil, fmt.Errorf("mode %q does not exist before version 11", mode)
	}
	known, ok := s.floats(scales)
	if !ok && s.c.enlarging[n.Outputs()[0]] {
		known, ok = []float64{1}, true
	}
	if !ok || len(known) == 0 {
		return nil, fmt.Errorf("the scales %q are not constant, and scales below 1 need another rounding than those above", scales)
	}
	nearest := func(x, scales, y, rounding string) *graphops.Node {
		return s.placed(n, x, scales, y, graphops.TextAttribute("mode", mode), graphops.TextAttribute("nearest_mode", rounding))
	}
	smaller := slices.ContainsFunc(known, func(x float64) bool { return x < 1 })
	larger := slices.ContainsFunc(known, func(x float64) bool { return x > 1 })
	switch {
	case !smaller:
		return s.one(nearest(x, scales, n.Outputs()[0], "floor"), "coordinate mode and rounding added")
	case !larger:
		return s.one(nearest(x, scales, n.Outputs()[0], "ceil"), "coordinate mode and rounding added")
	}
	down, up := make([]float32, len(known)), make([]float32, len(known))
	for i, x := range known {
		down[i], up[i] = float32(min(x, 1)), float32(max(x, 1))
	}
	half := s.fresh(n.Outputs()[0]+"_smaller", shape.Type{Kind: graphops.TypeTensor, Elem: s.typ(x).Elem})
	s.said = "coordinate mode and rounding added; two nodes reduce and enlarge"
	first := nearest(x, s.keep(n, "scales_down", tensor.FromSlice(down, int64(len(down)))), half, "ceil")
	if n.Name() != "" {
		first = first.WithName(s.c.names.Node(n.Name() + "_Resize"))
	}
	return []*graphops.Node{first, nearest(half, s.keep(n, "scales_up", tensor.FromSlice(up, int64(len(up)))), n.Outputs()[0], "floor")}, nil
}

// placed returns a Resize of version 11 from x to y. Its input coordinate is the output coordinate
// divided by the scale.
func (s *step) placed(n *graphops.Node, x, scales, y string, attributes ...*graphops.Attribute) *graphops.Node {
	roi := s.keep(n, "roi", tensor.FromSlice([]float32{}, 0))
	attributes = append([]*graphops.Attribute{graphops.TextAttribute("coordinate_transformation_mode", "asymmetric")}, attributes...)
	return n.WithInputs([]string{x, roi, scales}).WithOutputs([]string{y}).WithAttributes(attributes)
}

// nearestOfHalf maps a way of rounding to the one that gives the same result if the coordinate is
// smaller by one half.
var nearestOfHalf = map[string]string{"floor": "round_prefer_ceil", "round_prefer_floor": "ceil"}

// halfPixels replaces the coordinate mode tf_half_pixel_for_nn, which version 13 removed, by
// half_pixel. The coordinate of half_pixel is smaller by one half, so the way of rounding changes
// too.
func halfPixels(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	mode, err := textOr(n, "coordinate_transformation_mode", "half_pixel")
	if err != nil || mode != "tf_half_pixel_for_nn" {
		return []*graphops.Node{n}, err
	}
	kind, err := textOr(n, "mode", "nearest")
	if err != nil {
		return nil, err
	}
	rounding, err := textOr(n, "nearest_mode", "round_prefer_floor")
	if err != nil {
		return nil, err
	}
	of := nearestOfHalf[rounding]
	if kind != "nearest" || of == "" {
		return nil, fmt.Errorf("coordinate_transformation_mode tf_half_pixel_for_nn was removed in version 13 and has no replacement with mode %q and nearest_mode %q", kind, rounding)
	}
	next := with(with(n, graphops.TextAttribute("coordinate_transformation_mode", "half_pixel")), graphops.TextAttribute("nearest_mode", of))
	return s.one(next, "tf_half_pixel_for_nn replaced by half_pixel with another rounding")
}
