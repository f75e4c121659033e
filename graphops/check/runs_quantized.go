package check

import "fmt"

// scalarAt demands that inputs which are given have no axes, or a single one of size 1.
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

// namedAt demands that inputs are not left out by an empty name. Leaving out the end of
// the list is another matter.
func namedAt(inputs ...int) func(operands) string {
	return func(o operands) string {
		for _, i := range inputs {
			if i < len(o.Inputs()) && !o.hasInput(i) {
				return fmt.Sprintf("input %d is left out by an empty name, which ONNX Runtime does not take here", i)
			}
		}
		return ""
	}
}
