package check

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
)

var runtimeDiffers = rule{
	code: "runtime-differs", severity: Warning, kernels: true,
	title: "the result of ONNX Runtime has another shape than the standard defines",
	about: `In a few rare cases, ONNX Runtime produces another shape than the standard defines, without a
message. If a Split without sizes has fewer outputs than its attribute num_outputs, each part has
ceil(size / num_outputs) elements by the standard, and the last parts are omitted. ONNX Runtime up
to 1.31 divides by the number of outputs instead, and since 1.32 the run fails. If the list of axes
of a Squeeze is empty, it squeezes nothing by the standard; ONNX Runtime up to 1.32 squeezes every
axis of size 1, as if there was no list.

Lathe shows the shapes that the standard defines, so the sizes in a run differ from them.

The causes are outputs that were removed because nothing reads them, and lists of axes that are
computed. Name all outputs of the Split, or give the sizes. Omit the list of axes, or replace the
Squeeze by its input.`,
	node: differing,
}

func differing(s *subject, n site, report reporter) {
	if n.Domain() != graphops.DefaultDomain || !n.Is("Split") && !n.Is("Squeeze") {
		return
	}
	schema := s.schema(n)
	if schema == nil {
		return
	}
	o := operands{settings{n}, s, schema.Since}
	text, hint := o.fewerParts(), "name all outputs, or give the sizes of the parts as an input"
	if n.Is("Squeeze") {
		text, hint = o.noAxes(), "omit the list if all axes of size 1 are meant, or else remove the node"
	}
	if text != "" {
		problem := of(n, "%s", text)
		problem.Hint = hint
		report(problem)
	}
}

// fewerParts reports a Split that omits parts.
func (o operands) fewerParts() string {
	stated, omits := o.statedParts()
	if !omits || o.subject.isSince("1.32") {
		return ""
	}
	parts := len(o.Outputs())
	sizes := ""
	if d := o.dims(0); d != nil {
		if axis, ok := o.axis("axis", 0, len(d)); ok {
			by := func(n int64) dim.Dim { return d[axis].CeilDiv(dim.Number(n)) }
			sizes = fmt.Sprintf(": the first part is %s there, but %s by the standard", by(int64(parts)), by(stated))
		}
	}
	return fmt.Sprintf("has %s, but attribute \"num_outputs\" is %d: ONNX Runtime divides by the number of outputs%s", countedOutputs(o.site), stated, sizes)
}

// statedParts returns the number of parts that a Split states, and whether it has fewer outputs.
func (o operands) statedParts() (stated int64, omits bool) {
	stated, known := o.number("num_outputs", 0)
	parts := len(o.Outputs())
	return stated, o.Is("Split") && known && o.since >= 18 && !o.hasInput(1) && parts > 0 && stated > int64(parts)
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
	return fmt.Sprintf("the list of axes %s is empty: by the standard nothing is squeezed, but ONNX Runtime squeezes all axes of size 1", o.quoted(1))
}
