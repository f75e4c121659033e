package check

import (
	"fmt"

	"lathe/graphops/dim"
)

// scalarAt requires that given inputs have no axes, or one axis of size 1.
func scalarAt(inputs ...int) func(operands) string {
	return func(o operands) string {
		for _, i := range inputs {
			if text := o.notScalar(i); text != "" {
				return text
			}
		}
		return ""
	}
}

// namedAt requires that inputs are not omitted by an empty name. Omitting the end of the list is
// allowed.
func namedAt(inputs ...int) func(operands) string {
	return func(o operands) string {
		for _, i := range inputs {
			if i < len(o.Inputs()) && !o.hasInput(i) {
				return fmt.Sprintf("input %d has an empty name, which ONNX Runtime does not accept here", i)
			}
		}
		return ""
	}
}

// perAxis requires that an input has one element, or one for each position of an axis of another
// input. Negative axes count from the end.
func perAxis(input, of, axis int) func(operands) string {
	return func(o operands) string {
		d, whole := o.dims(input), o.dims(of)
		at := axis
		if at < 0 {
			at += len(whole)
		}
		if len(d) == 0 || at < 0 || at >= len(whole) {
			return ""
		}
		last := d[len(d)-1]
		if !dim.Apart(last, dim.Number(1)) || !dim.Apart(last, whole[at]) {
			return ""
		}
		return fmt.Sprintf("%s has %s elements, but axis %d of %s has size %s", o.quoted(input), last, at, o.quoted(of), whole[at])
	}
}
