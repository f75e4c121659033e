package check

import (
	"fmt"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// maskedLength demands that the mask of an Attention covers the keys of the past and of
// this run. The standard lets it be shorter; the kernel does not, and there is one for
// these types.
func maskedLength(o operands) string {
	mask, keys := o.dims(3), o.dims(1)
	if len(mask) == 0 || len(keys) < 3 || len(o.Inputs()) == 0 {
		return ""
	}
	if t := o.elementType(0).Elem; t != tensor.F32 && t != tensor.F16 {
		return ""
	}
	total := keys[len(keys)-2]
	if o.hasInput(4) {
		past := o.dims(4)
		if len(past) != 4 {
			return ""
		}
		total = total.Add(past[2])
	}
	last := mask[len(mask)-1]
	if !dim.Apart(last, total) {
		return ""
	}
	return fmt.Sprintf("mask %s is for %s keys, and there are %s", o.quoted(3), last, total)
}
