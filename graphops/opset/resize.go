package opset

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// twoScales turns the attributes height_scale and width_scale of an Upsample of version 1 into the
// list scales.
func twoScales(s *step) string {
	scales := []float32{1, 1, float32(s.required("height_scale")), float32(s.required("width_scale"))}
	s.n.DropAttributes("height_scale", "width_scale")
	s.n.SetAttribute(graphops.FloatsAttribute("scales", scales))
	return "scales of all axes"
}

// scalesInput turns the attribute scales of an Upsample into an input.
func scalesInput(s *step) string {
	a, ok := s.attribute("scales")
	if count := len(s.n.Inputs()); !ok || count != 1 {
		return s.fail("it has %d inputs, expected one; it has the attribute scales: %t", count, ok)
	}
	s.n.DropAttributes("scales")
	s.n.SetInput(1, s.scales("scales", a.Floats()))
	return "scales is an input"
}

func (s *step) scales(what string, list []float32) *rewrite.Value {
	return s.keep(what, tensor.FromSlice(list, int64(len(list))))
}

// upsampleResize replaces an Upsample by a Resize and records that its scales are at least 1.
func upsampleResize(s *step) string {
	s.enlarging[s.n.Out(0)] = true
	return renamed("Resize")(s)
}

// renamed returns an adapter that replaces an operator by one that has another name and is
// otherwise the same.
func renamed(op string) adapter {
	return func(s *step) string {
		s.n.SetOp(op)
		return "it is a " + op
	}
}

// coordinates adds attributes to a Resize that say how it maps coordinates and rounds them. Before
// version 11, the input coordinate is the output coordinate divided by the scale. ONNX Runtime
// rounds it down along axes that become larger, and up along axes that become smaller. From version
// 11 on, a node rounds in the same way along all axes. In mode "nearest" the scales must therefore
// be known. If some are below 1 and others above, the node is replaced by two nodes.
func coordinates(s *step) string {
	mode := s.text("mode", "nearest")
	if in, out := len(s.n.Inputs()), len(s.n.Outputs()); in != 2 || out != 1 {
		return s.fail("it has %d inputs, expected 2", in)
	}
	x, scales := s.n.In(0), s.n.In(1)
	switch mode {
	case "linear":
		s.become("Resize", values{x, s.roi(), scales}, placed(mode)...)
		return "coordinate mode added"
	case "nearest":
	default:
		return s.fail("mode %q does not exist before version 11", mode)
	}
	known, ok := s.floats(scales)
	if !ok && s.enlarging[s.n.Out(0)] {
		known, ok = []float64{1}, true
	}
	if !ok || len(known) == 0 {
		return s.fail("the scales %q are not constant, and scales below 1 need another rounding than those above", scales.Name())
	}
	rounding := "floor"
	if slices.ContainsFunc(known, func(x float64) bool { return x < 1 }) {
		rounding = "ceil"
		if slices.ContainsFunc(known, func(x float64) bool { return x > 1 }) {
			return s.twice(known)
		}
	}
	s.become("Resize", values{x, s.roi(), scales}, nearest(rounding)...)
	return "coordinate mode and rounding added"
}

// twice replaces a Resize by one that reduces and one that enlarges.
func (s *step) twice(known []float64) string {
	x := s.n.In(0)
	down, up := make([]float32, len(known)), make([]float32, len(known))
	for i, x := range known {
		down[i], up[i] = float32(min(x, 1)), float32(max(x, 1))
	}
	smaller, scales := s.value(s.n.Out(0), "smaller", s.typ(x).Elem), s.scales("scales_down", down)
	s.ahead("Resize", smaller, values{x, s.roi(), scales}, nearest("ceil")...)
	scales = s.scales("scales_up", up)
	s.become("Resize", values{smaller, s.roi(), scales}, nearest("floor")...)
	return "coordinate mode and rounding added; two nodes reduce and enlarge"
}

// roi creates the input that a Resize of version 11 has between its input and the scales. It has no
// elements.
func (s *step) roi() *rewrite.Value { return s.scales("roi", []float32{}) }

// placed returns the attributes of a Resize of version 11 whose input coordinate is the output
// coordinate divided by the scale.
func placed(mode string) []*graphops.Attribute {
	return []*graphops.Attribute{graphops.TextAttribute("coordinate_transformation_mode", "asymmetric"), graphops.TextAttribute("mode", mode)}
}

func nearest(rounding string) []*graphops.Attribute {
	return append(placed("nearest"), graphops.TextAttribute("nearest_mode", rounding))
}

// nearestOfHalf maps a way of rounding to the one that gives the same result if the coordinate is
// smaller by one half.
var nearestOfHalf = map[string]string{"floor": "round_prefer_ceil", "round_prefer_floor": "ceil"}

// halfPixels replaces the coordinate mode tf_half_pixel_for_nn, which version 13 removed, by
// half_pixel. The coordinate of half_pixel is smaller by one half, so the way of rounding changes
// too.
func halfPixels(s *step) string {
	if s.text("coordinate_transformation_mode", "half_pixel") != "tf_half_pixel_for_nn" {
		return ""
	}
	mode, rounding := s.text("mode", "nearest"), s.text("nearest_mode", "round_prefer_floor")
	of := nearestOfHalf[rounding]
	if mode != "nearest" || of == "" {
		return s.fail("coordinate_transformation_mode tf_half_pixel_for_nn was removed in version 13 and has no replacement with mode %q and nearest_mode %q", mode, rounding)
	}
	s.n.SetAttribute(graphops.TextAttribute("coordinate_transformation_mode", "half_pixel"))
	s.n.SetAttribute(graphops.TextAttribute("nearest_mode", of))
	return "tf_half_pixel_for_nn replaced by half_pixel with another rounding"
}
