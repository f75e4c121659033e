package check

import (
	"fmt"

	"lathe/graphops/dim"
)

// oneElementAt requires that given inputs have exactly one element, with any number of axes.
func oneElementAt(inputs ...int) func(operands) string {
	return func(o operands) string {
		for _, i := range inputs {
			d := o.dims(i)
			if d != nil && dim.Apart(dim.Product(d...), dim.Number(1)) {
				return fmt.Sprintf("%s has %s elements, expected one", o.quoted(i), dim.Product(d...))
			}
		}
		return ""
	}
}

// notScalar reports an input that is neither a scalar nor a single element on one axis.
func (o operands) notScalar(i int) string {
	d := o.dims(i)
	if len(d) > 1 || len(d) == 1 && dim.Apart(d[0], dim.Number(1)) {
		return fmt.Sprintf("%s has rank %d and %s elements, expected a scalar", o.quoted(i), len(d), dim.Product(d...))
	}
	return ""
}

// equalShapes requires operands with the same shape, as in early versions of Sum, Max, Min and
// Mean, which do not broadcast.
func equalShapes(o operands) string {
	first := o.dims(0)
	for i := range o.Inputs() {
		d := o.dims(i)
		if o.since >= 8 || first == nil || d == nil {
			continue
		}
		if len(d) != len(first) || anyApart(d, first) {
			return fmt.Sprintf("%s and %s differ in shape, but version %d of the operator does not broadcast", o.quoted(0), o.quoted(i), o.since)
		}
	}
	return ""
}

func anyApart(a, b []dim.Dim) bool {
	for i := range a {
		if dim.Apart(a[i], b[i]) {
			return true
		}
	}
	return false
}

// targetsWithin requires that the classes of a loss are in range, except for the ignored one.
func targetsWithin(o operands) string {
	d := o.dims(0)
	if len(d) < 2 {
		return ""
	}
	ignored, known := o.number("ignore_index", 0)
	n := largest(d[1])
	for _, e := range o.elements(1) {
		lo, hi := e.Bounds()
		if isIgnored := !known || o.has("ignore_index") && lo <= ignored && ignored <= hi; !isIgnored && (lo >= n || hi < -n) {
			return o.indexText(lo, 1, 0, 1, n)
		}
	}
	return ""
}
