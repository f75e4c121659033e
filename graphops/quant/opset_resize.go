package quant

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// opsetResize is the opset in which a Resize says how it finds the coordinates of what it
// reads; before, and of an Upsample, they are those of its output over the scales.
const opsetResize = 11

// maxAxes bounds the scales of a Resize that are read to choose how it rounds.
const maxAxes = 64

// isResize reports whether a node becomes a Resize of opset 11.
func (c *carrier) isResize(n *graphops.Node) bool {
	return c.to >= opsetResize && c.from < opsetResize && (n.OpType() == "Upsample" || n.OpType() == "Resize")
}

// resized is what an Upsample or Resize is from opset 11 on. ONNX Runtime rounds the
// coordinate of the nearest element down where the node enlarges and up where it makes
// smaller, per axis; a Resize of opset 11 does one of both for all axes. So scales have to
// be constant, and none below 1 beside one above.
func (c *carrier) resized(p *graphops.Place, n *graphops.Node) (*graphops.Node, bool) {
	mode := "nearest"
	scales := ""
	var known []float64
	for _, a := range n.Attributes() {
		switch a.Name() {
		case "mode":
			mode = a.Text()
		case "scales":
			for _, x := range a.Floats() {
				known = append(known, float64(x))
			}
			scales = c.constant(n, "scales", tensor.FromSlice(a.Floats(), int64(len(known))))
		default:
			return nil, false
		}
	}
	if len(n.Inputs()) > 1 {
		scales, known = n.Inputs()[1], scalesOf(p, n.Inputs()[1])
	}
	if len(n.Inputs()) == 0 || len(n.Inputs()) > 2 || scales == "" || len(n.Outputs()) != 1 {
		return nil, false
	}
	attrs := []*graphops.Attribute{graphops.TextAttribute("coordinate_transformation_mode", "asymmetric"), graphops.TextAttribute("mode", mode)}
	switch rounding, ok := roundingOf(known); {
	case mode == "linear":
	case mode != "nearest" || !ok:
		return nil, false
	default:
		attrs = append(attrs, graphops.TextAttribute("nearest_mode", rounding))
	}
	roi := c.constant(n, "roi", tensor.FromSlice([]float32{}, 0))
	next := graphops.NewNode(graphops.NodeSpec{
		Op: "Resize", Name: n.Name(), Inputs: []string{n.Inputs()[0], roi, scales}, Outputs: n.Outputs(), Attributes: attrs,
	})
	after, ok := opschema.Find(graphops.DefaultDomain, "Resize", c.to)
	return next, ok && takes(after, next)
}

// scalesOf are the numbers of a constant list, nil where a value is none.
func scalesOf(p *graphops.Place, name string) []float64 {
	id, ok := p.Graph.Index().Value(name)
	if !ok {
		return nil
	}
	t := p.Graph.Index().Initializer(id)
	if at := p.Graph.Index().Producer(id); t == nil && at >= 0 {
		t = constantOf(p.Graph.Nodes()[at])
	}
	if t == nil || p.Graph.Index().IsInput(id) || len(t.Dims()) != 1 || t.Dims()[0] > maxAxes {
		return nil
	}
	read, err := t.Read()
	if err != nil {
		return nil
	}
	found, err := read.Float64s()
	if err != nil {
		return nil
	}
	return found
}

// roundingOf is how the coordinates are rounded for such scales, if in one way for all.
func roundingOf(scales []float64) (mode string, ok bool) {
	smaller := slices.ContainsFunc(scales, func(x float64) bool { return x < 1 })
	larger := slices.ContainsFunc(scales, func(x float64) bool { return x > 1 })
	if smaller {
		return "ceil", !larger
	}
	return "floor", len(scales) > 0
}
