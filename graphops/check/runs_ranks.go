package check

import (
	"fmt"
)

// listAt requires that an input is a list, also for constants, because the kernel checks it.
func listAt(input int) func(operands) string {
	return func(o operands) string {
		if d := o.dims(input); d != nil && len(d) != 1 {
			return fmt.Sprintf("%s has rank %d, expected a list", o.quoted(input), len(d))
		}
		return ""
	}
}

// listBefore is listAt for versions of the operator below the given one.
func listBefore(version int64, input int) func(operands) string {
	return func(o operands) string {
		if o.since >= version {
			return ""
		}
		return listAt(input)(o)
	}
}

// rankAt requires that an input has at least the given rank.
func rankAt(input, least int) func(operands) string {
	return func(o operands) string {
		if d := o.dims(input); d != nil && len(d) < least {
			return fmt.Sprintf("%s has rank %d, expected at least %d", o.quoted(input), len(d), least)
		}
		return ""
	}
}

// planes requires images with channels, which have rank 4.
func planes(o operands) string {
	if d := o.dims(0); d != nil && len(d) != 4 {
		return fmt.Sprintf("%s has rank %d, expected 4", o.quoted(0), len(d))
	}
	return ""
}

// axisWithin requires that attribute "axis", by default the last axis, is valid.
func axisWithin(o operands) string {
	d := o.dims(0)
	a, known := o.number("axis", -1)
	if _, ok := o.axis("axis", -1, len(d)); ok || !known || d == nil {
		return ""
	}
	return fmt.Sprintf("attribute \"axis\" is %d, but %s has rank %d", a, o.quoted(0), len(d))
}

// anyAxis requires that at least one number of attribute "axes" is a valid axis. The others are
// ignored.
func anyAxis(o operands) string {
	d := o.dims(0)
	axes, known := o.ints("axes")
	if d == nil || !known {
		return ""
	}
	if !o.has("axes") {
		axes = []int64{0, 2, 3}
	}
	rank := int64(len(d))
	for _, a := range axes {
		if -rank <= a && a < rank {
			return ""
		}
	}
	return fmt.Sprintf("attribute \"axes\" is %v, but none of these is an axis of %s, which has rank %d", axes, o.quoted(0), rank)
}
