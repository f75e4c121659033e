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
		title: "a quantization scale is not a positive number",
		hint:  "quantize again with data that reaches the node, or exclude the node",
		about: `A quantized number q represents (q - zero point) · scale, with a scale above 0. ONNX Runtime accepts
any scale. With a scale of 0, quantizing divides by zero and dequantizing returns only 0. A negative
scale reverses signs, and kernels that compute only with integers do not agree on the result. NaN
and infinity spread to everything that is computed from the value.

A scale of 0 comes from a calibration that only saw zeros: quantize again with data that reaches the
node, or exclude the node from quantization.`,
		place: invalidScales,
	},
	{
		code: "zero-point-ignored", severity: Warning,
		title: "a 32-bit zero point is not 0",
		hint:  "remove the zero point, or set it to 0",
		about: `A value that is dequantized from int32 is a bias or a sum. For these the standard allows no zero
point other than 0: it must be omitted or be 0. ONNX Runtime subtracts another zero point
nevertheless, while other tools ignore it or reject the model.`,
		node: wideZeroPoint,
	},
	{
		code: "quantization-length", severity: Error,
		title: "the number of scales or zero points does not match the size of the axis",
		hint:  "set another axis, or give one scale and zero point for each position of the axis",
		about: `Scale and zero point of QuantizeLinear and DequantizeLinear are scalars, or have one element for
each position along the axis in attribute axis (default 1). Both have the same number of elements.
The weight of a QLinearConv has one scale, or one for each filter. Otherwise ONNX Runtime loads the
model, but every run fails.

The cause is a wrong axis (weights of Conv are quantized along axis 0, those of MatMul along axis
1), or a weight that was transposed after it was quantized. "lathe attribute --set axis=N" sets
another axis.`,
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
		found := of(n, "zero point %q of type i32 is not 0", n.Input(2))
		found.Value = n.Input(2)
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

// linearLength returns a message if the scales or zero points of a QuantizeLinear or
// DequantizeLinear do not match its axis, with the name of the value to report. Both are empty if
// nothing is wrong.
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
		return fmt.Sprintf("zero point %q has %s, but scale %q has %s", n.Input(2), elements(zero), n.Input(1), elements(scale)), n.Input(2)
	}
	if len(scale) > 1 {
		return fmt.Sprintf("scale %q has rank %d, expected a scalar or rank 1", n.Input(1), len(scale)), n.Input(1)
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
		return fmt.Sprintf("axis %d does not exist in %q, which has rank %d", axis, n.Input(0), len(x)), n.Input(0)
	}
	if size, ok := x[at].Number(); ok && size != count {
		return fmt.Sprintf("scale %q has %d elements, but axis %d of %q has %d", n.Input(1), count, axis, n.Input(0), size), n.Input(1)
	}
	return "", ""
}

// filterLength returns a message if the scales of a QLinearConv's weight do not match its filters,
// with the name of the value to report. Both are empty if nothing is wrong.
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
	return fmt.Sprintf("scale %q has %d elements, but weight %q has %d filters", n.Input(4), count, n.Input(3), filters), n.Input(4)
}

// alike reports whether two shapes can be those of a scale and its zero point. These must have the
// same number of elements.
func alike(a, b []dim.Dim) bool {
	x, known := dim.Product(a...).Number()
	y, also := dim.Product(b...).Number()
	return !known || !also || x == y
}

// elements returns the number of elements of a shape as text for a message.
func elements(dims []dim.Dim) string {
	n := dim.Product(dims...)
	if n.Is(1) {
		return "1 element"
	}
	return n.String() + " elements"
}
