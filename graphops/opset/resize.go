package opset

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// twoScales makes a list of the two scales of an Upsample of version 1.
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

// scalesInput makes an input of the scales of an Upsample.
func scalesInput(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	a, ok, err := told(n, "scales")
	switch {
	case err != nil:
		return nil, err
	case !ok || len(n.Inputs()) != 1:
		return nil, fmt.Errorf("it has %d inputs and scales, expected one and scales: %t", len(n.Inputs()), ok)
	}
	scales := s.keep(n, "scales", tensor.FromSlice(a.Floats(), int64(len(a.Floats()))))
	return s.one(without(n, "scales").WithInputs([]string{n.Inputs()[0], scales}), "scales is an input")
}

// upsampleResize makes a Resize of an Upsample, whose scales are 1 at least.
func upsampleResize(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	s.c.enlarging[n.Outputs()[0]] = true
	return s.one(become(n, "Resize", n.Inputs(), n.Attributes()), "it is a Resize")
}

// coordinates tells how a Resize finds what it reads, and rounds. Before version 11, the
// place is that of the output over the scale, rounded down along an axis that is made
// larger and up along one that is made smaller, as ONNX Runtime does it; from 11 on one
// node rounds all in one way. So scales have to be known where the mode is "nearest", and
// those below 1 beside some above become two nodes.
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
		return s.one(s.placed(n, x, scales, n.Outputs()[0], graphops.TextAttribute("mode", mode)), "coordinates are told")
	case "nearest":
	default:
		return nil, fmt.Errorf("mode %q is none before version 11", mode)
	}
	known, ok := s.floats(scales)
	if !ok && s.c.enlarging[n.Outputs()[0]] {
		known, ok = []float64{1}, true
	}
	if !ok || len(known) == 0 {
		return nil, fmt.Errorf("the scales %q are no constant, and those below 1 round otherwise than those above", scales)
	}
	nearest := func(x, scales, y, rounding string) *graphops.Node {
		return s.placed(n, x, scales, y, graphops.TextAttribute("mode", mode), graphops.TextAttribute("nearest_mode", rounding))
	}
	smaller := slices.ContainsFunc(known, func(x float64) bool { return x < 1 })
	larger := slices.ContainsFunc(known, func(x float64) bool { return x > 1 })
	switch {
	case !smaller:
		return s.one(nearest(x, scales, n.Outputs()[0], "floor"), "coordinates and rounding are told")
	case !larger:
		return s.one(nearest(x, scales, n.Outputs()[0], "ceil"), "coordinates and rounding are told")
	}
	down, up := make([]float32, len(known)), make([]float32, len(known))
	for i, x := range known {
		down[i], up[i] = float32(min(x, 1)), float32(max(x, 1))
	}
	half := s.fresh(n.Outputs()[0]+"_smaller", shape.Type{Kind: graphops.TypeTensor, Elem: s.typ(x).Elem})
	s.said = "coordinates and rounding are told, and it is made smaller and larger by two nodes"
	first := nearest(x, s.keep(n, "scales_down", tensor.FromSlice(down, int64(len(down)))), half, "ceil")
	if n.Name() != "" {
		first = first.WithName(s.c.names.Node(n.Name() + "_Resize"))
	}
	return []*graphops.Node{first, nearest(half, s.keep(n, "scales_up", tensor.FromSlice(up, int64(len(up)))), n.Outputs()[0], "floor")}, nil
}

// placed is a Resize of version 11 that reads at the place of its output over the scale.
func (s *step) placed(n *graphops.Node, x, scales, y string, attributes ...*graphops.Attribute) *graphops.Node {
	roi := s.keep(n, "roi", tensor.FromSlice([]float32{}, 0))
	attributes = append([]*graphops.Attribute{graphops.TextAttribute("coordinate_transformation_mode", "asymmetric")}, attributes...)
	return n.WithInputs([]string{x, roi, scales}).WithOutputs([]string{y}).WithAttributes(attributes)
}

// nearestOfHalf are the roundings of a place by those of one half an element further.
var nearestOfHalf = map[string]string{"floor": "round_prefer_ceil", "round_prefer_floor": "ceil"}

// halfPixels says what tf_half_pixel_for_nn did, which version 13 withdrew: its place is
// that of half_pixel half an element further, so that it is half_pixel rounded otherwise.
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
		return nil, fmt.Errorf("coordinate_transformation_mode tf_half_pixel_for_nn is gone in version 13, and nothing stands for it with mode %q and nearest_mode %q", kind, rounding)
	}
	next := with(with(n, graphops.TextAttribute("coordinate_transformation_mode", "half_pixel")), graphops.TextAttribute("nearest_mode", of))
	return s.one(next, "tf_half_pixel_for_nn is half_pixel, rounded otherwise")
}
