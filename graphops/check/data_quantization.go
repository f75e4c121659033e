package check

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

var quantizationRules = []rule{
	{
		code: "scale-invalid", severity: Warning,
		title: "a scale of a quantization is no positive number",
		hint:  "quantize again with data that reaches the node, or leave it unquantized",
		about: `A quantized number stands for (q - zero point) · scale, with a scale above 0. ONNX Runtime takes any scale: 0 makes everything 0
on the way back and a division by zero on the way there, a negative one turns signs around (kernels that compute with integers alone do
not agree on it), NaN and infinity spread.

A scale of 0 comes from a calibration that saw only zeros: quantize again with data that reaches the node, or leave the node out.`,
		place: invalidScales,
	},
	{
		code: "zero-point-ignored", severity: Warning,
		title: "a zero point of 32 bits is not 0",
		hint:  "leave the zero point out, or make it 0",
		about: `What is dequantized from int32 is a bias or a sum, for which the standard has no zero point: it must be left out, or 0. ONNX Runtime
subtracts it all the same; others ignore it or refuse the model.`,
		node: wideZeroPoint,
	},
	{
		code: "quantization-length", severity: Error,
		title: "scales or zero points are not as many as the axis has elements",
		hint:  "set another axis, or give as many scales and zero points as the axis has elements",
		about: `Scale and zero point of QuantizeLinear and DequantizeLinear are scalars, or have one element for each position of the axis that the
attribute axis names (1 unless stated), and both have the same number of them. The scales of a QLinearConv's weight are one, or one for each
filter. ONNX Runtime loads the model, and every run fails.

It comes from a wrong axis (weights of Conv are quantized along 0, of MatMul along 1), or from a weight that was transposed after it was
quantized. "lathe attribute --set axis=N" sets another axis.`,
		node: quantizationLength,
	},
}

// quantized lists the indices of scale and zero point among the inputs of operators.
var quantized = map[string][][2]int{
	"QuantizeLinear":   {{1, 2}},
	"DequantizeLinear": {{1, 2}},
	"QLinearConv":      {{1, 2}, {4, 5}, {6, 7}},
	"QLinearMatMul":    {{1, 2}, {4, 5}, {6, 7}},
	"QLinearAdd":       {{1, 2}, {4, 5}, {6, 7}},
	"QLinearMul":       {{1, 2}, {4, 5}, {6, 7}},
	"QGemm":            {{1, 2}, {4, 5}, {7, 8}},
}

func invalidScales(s *subject, p *graphops.Place, report reporter) {
	seen := map[constant]bool{}
	for i, n := range p.Graph.Nodes() {
		for _, at := range quantized[n.OpType()] {
			c, t := constantInput(site{n, p, i}, at[0])
			if t == nil || seen[c] || t.DType().Kind() != tensor.KindFloat {
				continue
			}
			seen[c] = true
			if what := s.invalidScale(site{n, p, i}, at[0]); what != "" {
				found := of(site{n, p, i}, "scale %q %s, expected numbers above 0", n.Inputs()[at[0]], what)
				found.Value = n.Inputs()[at[0]]
				report(found)
			}
		}
	}
}

func (s *subject) invalidScale(n site, input int) string {
	p, ok := s.profile(n, input)
	switch {
	case !ok:
	case p.NaN > 0:
		return "holds NaN"
	case p.Inf > 0:
		return "holds infinity"
	case p.Min < 0:
		return fmt.Sprintf("holds %s", p.MinText)
	case p.Zeros > 0:
		return "holds 0"
	}
	return ""
}

func wideZeroPoint(s *subject, n site, report reporter) {
	if n.OpType() != "DequantizeLinear" {
		return
	}
	if _, t := constantInput(n, 2); t == nil || t.DType() != tensor.I32 {
		return
	}
	if p, ok := s.profile(n, 2); ok && p.Zeros < p.Count {
		found := of(n, "zero point %q is of type i32 and not 0", n.Inputs()[2])
		found.Value = n.Inputs()[2]
		report(found)
	}
}

func quantizationLength(s *subject, n site, report reporter) {
	if n.Domain() != graphops.DefaultDomain || quantized[n.OpType()] == nil || s.schema(n) == nil {
		return
	}
	what, value := "", ""
	switch n.OpType() {
	case "QuantizeLinear", "DequantizeLinear":
		what, value = s.linearLength(n)
	case "QLinearConv":
		what, value = s.filterLength(n)
	}
	if what == "" {
		return
	}
	p := of(n, "%s", what)
	p.Value = value
	if !s.isLive(n.place, n.index) {
		p.Severity = Warning
	}
	report(p)
}

// linearLength returns what does not fit at a QuantizeLinear or DequantizeLinear, and the value.
func (s *subject) linearLength(n site) (what, value string) {
	if version, _ := s.resolved(n.place, n.Domain()); version < 13 {
		return "", "" // there is no axis
	}
	if block, ok := n.Attribute("block_size"); ok && block.Int() != 0 {
		return "", "" // one scale for each block
	}
	x, scale, zero := s.sizes(n, 0), s.sizes(n, 1), s.sizes(n, 2)
	if scale == nil {
		return "", ""
	}
	if len(n.Inputs()) > 2 && zero != nil && !alike(scale, zero) {
		return fmt.Sprintf("zero point %q is of %s, and scale %q of %s", n.Inputs()[2], elements(zero), n.Inputs()[1], elements(scale)), n.Inputs()[2]
	}
	if len(scale) > 1 {
		return fmt.Sprintf("scale %q has rank %d, expected a scalar or rank 1", n.Inputs()[1], len(scale)), n.Inputs()[1]
	}
	count, ok := dim.Product(scale...).Number()
	if x == nil || !ok || len(scale) != 1 || count == 1 {
		return "", ""
	}
	axis := int64(1)
	if a, ok := n.Attribute("axis"); ok {
		axis = a.Int()
	}
	at := axis
	if at < 0 {
		at += int64(len(x))
	}
	if at < 0 || at >= int64(len(x)) {
		return fmt.Sprintf("axis %d is none of %q, which has rank %d", axis, n.Inputs()[0], len(x)), n.Inputs()[0]
	}
	if size, ok := x[at].Number(); ok && size != count {
		return fmt.Sprintf("scale %q has %d elements, and axis %d of %q has %d", n.Inputs()[1], count, axis, n.Inputs()[0], size), n.Inputs()[1]
	}
	return "", ""
}

// filterLength returns what does not fit at the weight of a QLinearConv, and the value.
func (s *subject) filterLength(n site) (what, value string) {
	w, scale := s.sizes(n, 3), s.sizes(n, 4)
	if len(w) == 0 || len(scale) != 1 {
		return "", ""
	}
	filters, ok := w[0].Number()
	count, known := scale[0].Number()
	if !ok || !known || count == 1 || count == filters {
		return "", ""
	}
	return fmt.Sprintf("scale %q has %d elements, and weight %q has %d filters", n.Inputs()[4], count, n.Inputs()[3], filters), n.Inputs()[4]
}

// alike reports whether shapes can be those of a scale and its zero point, which must have the
// same number of elements.
func alike(a, b []dim.Dim) bool {
	x, known := dim.Product(a...).Number()
	y, also := dim.Product(b...).Number()
	return !known || !also || x == y
}

// elements returns the number of elements of a shape in words.
func elements(dims []dim.Dim) string {
	n := dim.Product(dims...)
	if n.Is(1) {
		return "1 element"
	}
	return n.String() + " elements"
}
