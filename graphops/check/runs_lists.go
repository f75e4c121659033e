package check

import (
	"fmt"

	"lathe/graphops/dim"
)

// listAt demands that an input is a list, as constants too must be for kernels that look.
func listAt(input int) func(operands) string {
	return func(o operands) string {
		if d := o.dims(input); d != nil && len(d) != 1 {
			return fmt.Sprintf("%s has rank %d, expected a list", o.quoted(input), len(d))
		}
		return ""
	}
}

// listBefore is listAt for versions of the operator before one.
func listBefore(version int64, input int) func(operands) string {
	return func(o operands) string {
		if o.since >= version {
			return ""
		}
		return listAt(input)(o)
	}
}

// rankAt demands an input of a rank or a higher one.
func rankAt(input, least int) func(operands) string {
	return func(o operands) string {
		if d := o.dims(input); d != nil && len(d) < least {
			return fmt.Sprintf("%s has rank %d, expected %d or a higher one", o.quoted(input), len(d), least)
		}
		return ""
	}
}

// planes demands images with channels, which have rank 4.
func planes(o operands) string {
	if d := o.dims(0); d != nil && len(d) != 4 {
		return fmt.Sprintf("%s has rank %d, expected 4", o.quoted(0), len(d))
	}
	return ""
}

// axisWithin demands that attribute "axis", the last axis by default, names an axis.
func axisWithin(o operands) string {
	d := o.dims(0)
	a, known := o.number("axis", -1)
	if _, ok := o.axis("axis", -1, len(d)); ok || !known || d == nil {
		return ""
	}
	return fmt.Sprintf("attribute \"axis\" is %d, and %s has rank %d", a, o.quoted(0), len(d))
}

// anyAxis demands that at least one number of attribute "axes" names an axis. The others
// are passed over.
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
	return fmt.Sprintf("attribute \"axes\" is %v, and names no axis of %s, which has rank %d", axes, o.quoted(0), rank)
}

// scaledFeatures demands one number of a Scaler for all features, or one for each.
func scaledFeatures(o operands) string {
	size, ok := o.features()
	n, known := o.length("scale")
	if !ok || !known || n == 1 || !dim.Apart(size, dim.Number(int64(n))) {
		return ""
	}
	return fmt.Sprintf("attribute \"scale\" has %s for %s features of %s, expected 1 or as many", counted(n, "number"), size, o.quoted(0))
}

// features is how many features an operator of machine learning finds: the second size of
// its input, or the only one.
func (o operands) features() (dim.Dim, bool) {
	switch d := o.dims(0); len(d) {
	case 0:
		return dim.Dim{}, false
	case 1:
		return d[0], true
	default:
		return d[1], true
	}
}

// finiteRange demands a start, an end and a step from which a number of elements follows.
func finiteRange(o operands) string {
	for i, name := range []string{"start", "end", "step"} {
		p, ok := o.subject.profile(o.site, i)
		switch {
		case !ok || o.isReplaceable(i):
		case p.NaN > 0 || p.Inf > 0 && i < 2:
			return fmt.Sprintf("%s %s is not finite", name, o.quoted(i))
		case p.Zeros > 0 && i == 2:
			return fmt.Sprintf("%s %s is 0", name, o.quoted(i))
		}
	}
	return ""
}

// perAxis demands that an input has one element, or one for each along an axis of another.
// Negative axes count from the end.
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
		return fmt.Sprintf("%s has %s elements, and axis %d of %s is %s", o.quoted(input), last, at, o.quoted(of), whole[at])
	}
}
