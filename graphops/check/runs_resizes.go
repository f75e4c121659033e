package check

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
)

// resizable reports whether an interpolating mode supports a change of these axes. changes says for
// each axis whether its size changes. Only the axes of an image may change, with the channels
// before or after them.
func resizable(mode string, changes []bool) bool {
	switch rank := len(changes); {
	case rank == 2, rank == 3 && mode == "linear":
		return true
	case rank == 4:
		return !changes[0] && (!changes[1] || !changes[3])
	default:
		return rank == 5 && mode == "linear" && !changes[0] && !changes[1]
	}
}

// resizedSizes requires that a tensor with elements has elements after resizing.
func resizedSizes(o operands) string {
	d, sizes := o.dims(0), o.elements(3)
	if len(sizes) != len(d) {
		return ""
	}
	for a, n := range sizes {
		if lo, _ := d[a].Bounds(); lo > 0 && largest(n) < 1 || d[a].Is(0) && !n.Is(0) && n.Known() {
			return fmt.Sprintf("axis %d of %s has size %s, and cannot be resized to %s", a, o.quoted(0), d[a], n)
		}
	}
	return ""
}

// resizedCounts requires one scale or size for each axis to resize.
func resizedCounts(o operands) string {
	d := o.dims(0)
	axes, known := o.ints("axes")
	if d == nil || !known {
		return ""
	}
	want := len(d)
	if o.has("axes") {
		want = len(axes)
	}
	scales := 2
	if o.since < 11 {
		scales = 1
	}
	for _, i := range []int{scales, 3} {
		if text := o.resizedCount(i, want); text != "" {
			return text
		}
	}
	if mode, known := o.text("coordinate_transformation_mode", ""); known && mode == "tf_crop_and_resize" {
		return o.resizedCount(1, 2*want)
	}
	return ""
}

// resizedCount requires a number of elements, or none.
func (o operands) resizedCount(input, want int) string {
	list := o.dims(input)
	n := dim.Product(list...)
	if list == nil || !dim.Apart(n, dim.Number(0)) || !dim.Apart(n, dim.Number(int64(want))) {
		return ""
	}
	return fmt.Sprintf("%s has %s elements, expected %d", o.quoted(input), n, want)
}

// enlarged requires scales of at least 1, as for Upsample.
func enlarged(o operands) string {
	least, known := 1.0, false
	if a, ok := o.Attribute("scales"); ok && len(a.Floats()) > 0 {
		least, known = float64(slices.Min(a.Floats())), true
	} else if p, ok := o.subject.profile(o.site, 1); ok && !o.isReplaceable(1) {
		least, known = float64(p.Min), p.Count > 0
	}
	if !known || least >= 1 {
		return ""
	}
	return fmt.Sprintf("a scale is %v, expected 1 or more", least)
}

func resizedAxes(o operands) string {
	d, out := o.dims(0), o.out(0)
	mode, known := o.text("mode", "nearest")
	if d == nil || !known || mode != "linear" && mode != "cubic" {
		return ""
	}
	changes := make([]bool, len(d))
	for a := range min(len(d), len(out)) {
		changes[a] = dim.Apart(d[a], out[a])
	}
	if resizable(mode, changes) {
		return ""
	}
	return fmt.Sprintf("mode %s can only resize the axes of an image with channels before or after them, not these axes of %s, which has rank %d", mode, o.quoted(0), len(d))
}
