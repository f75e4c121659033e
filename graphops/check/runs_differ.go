package check

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
)

var runtimeDiffers = rule{
	code: "runtime-differs", severity: Warning, kernels: true,
	title: "ONNX Runtime computes something else than the standard says",
	about: `In a few corners the standard says what a node makes, and ONNX Runtime makes another shape without a word. Both were tried with release
1.30. A Split without sizes and with fewer outputs than its attribute num_outputs makes parts of ceil(size / num_outputs) by the
standard, of which the last ones are left out; ONNX Runtime divides by the number of outputs instead. A Squeeze whose list of axes is empty
squeezes nothing by the standard; ONNX Runtime takes every axis of size 1, as if there was no list.

What Lathe says of shapes is what the standard says, so that the sizes of a run differ from it.

It comes from removing outputs that nothing reads, and from lists of axes that are computed. Name all outputs, or state the sizes; leave
the list of axes out, or put the tensor itself in the place of the Squeeze.`,
	node: differing,
}

func differing(s *subject, n site, report reporter) {
	if n.Domain() != graphops.DefaultDomain || n.OpType() != "Split" && n.OpType() != "Squeeze" {
		return
	}
	schema := s.schema(n)
	if schema == nil {
		return
	}
	o := operands{settings{n}, s, schema.Since}
	text, hint := o.fewerParts(), "name all outputs, or give the sizes of the parts as an input"
	if n.OpType() == "Squeeze" {
		text, hint = o.noAxes(), "leave the list out if all axes of size 1 are meant, or take the node out"
	}
	if text != "" {
		problem := of(n, "%s", text)
		problem.Hint = hint
		report(problem)
	}
}

// fewerParts reports a Split that omits parts.
func (o operands) fewerParts() string {
	stated, known := o.number("num_outputs", 0)
	parts := len(o.Outputs())
	if o.OpType() != "Split" || !known || o.since < 18 || o.hasInput(1) || parts == 0 || stated <= int64(parts) {
		return ""
	}
	sizes := ""
	if d := o.dims(0); d != nil {
		if axis, ok := o.axis("axis", 0, len(d)); ok {
			by := func(n int64) dim.Dim { return d[axis].CeilDiv(dim.Number(n)) }
			sizes = fmt.Sprintf(": the first part is %s there, and %s by the standard", by(int64(parts)), by(stated))
		}
	}
	return fmt.Sprintf("has %s for \"num_outputs\" of %d, and ONNX Runtime divides by the outputs%s", countedOutputs(o.site), stated, sizes)
}

// noAxes reports a Squeeze with an empty list of axes.
func (o operands) noAxes() string {
	if o.since < 13 || !o.hasInput(1) {
		return ""
	}
	list := o.dims(1)
	if len(list) != 1 || !list[0].Is(0) {
		return ""
	}
	d := o.dims(0)
	if d != nil && !slices.ContainsFunc(d, func(n dim.Dim) bool { return !dim.Apart(n, dim.Number(1)) }) {
		return ""
	}
	return fmt.Sprintf("the list of axes %s is empty: by the standard nothing is squeezed, and ONNX Runtime takes all axes of size 1", o.quoted(1))
}
