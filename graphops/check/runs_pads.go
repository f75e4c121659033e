package check

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
)

// padded is an axis with what a Pad adds around it; negative numbers remove elements.
type padded struct {
	axis          int
	size          dim.Dim
	before, after int64
}

// left returns the size of the axis after elements are removed, before others are added.
func (p padded) left() dim.Dim {
	return p.size.Add(dim.Number(min(p.before, 0))).Add(dim.Number(min(p.after, 0)))
}

// grows returns the largest number of elements added at one side.
func (p padded) grows() int64 { return max(p.before, p.after, 0) }

// remains returns the end of a message: how many elements of the axis are left after negative pads
// removed some.
func (p padded) remains() string {
	if min(p.before, p.after) >= 0 {
		return ""
	}
	return fmt.Sprintf(", of which %s remain", p.left())
}

func padFault(o operands) string {
	mode, known := o.text("mode", "constant")
	if d := o.dims(0); known && d != nil && len(d) == 0 && mode != "constant" {
		return fmt.Sprintf("mode %s is impossible for %s, which is a scalar", mode, o.quoted(0))
	}
	list := o.paddedAxes()
	if !known || list == nil {
		return ""
	}
	isEmpty := slices.ContainsFunc(o.dims(0), func(d dim.Dim) bool { return d.Is(0) })
	for _, p := range list {
		if text := o.padAxisFault(p, mode, isEmpty); text != "" {
			return text
		}
	}
	if isEmpty && mode == "wrap" {
		return fmt.Sprintf("mode wrap is impossible for %s, which has no elements", o.quoted(0))
	}
	return ""
}

func (o operands) padAxisFault(p padded, mode string, isEmpty bool) string {
	is := fmt.Sprintf("axis %d of %s is %s", p.axis, o.quoted(0), p.size)
	left := largest(p.left())
	switch {
	case largest(p.size.Add(dim.Number(p.before)).Add(dim.Number(p.after))) < 0:
		return fmt.Sprintf("pads of %d and %d remove more elements than there are: %s", p.before, p.after, is)
	case mode == "constant":
		return ""
	case isEmpty && largest(p.size) == 0 && p.grows() > 0:
		return fmt.Sprintf("mode %s has no elements to repeat: %s", mode, is)
	case isEmpty:
		return ""
	case left < 1 && (p.before != 0 || p.after != 0):
		return fmt.Sprintf("pads of %d and %d leave no elements to repeat in mode %s: %s", p.before, p.after, mode, is)
	case mode == "reflect" && p.grows() >= left:
		return fmt.Sprintf("a pad of %d in mode reflect needs more than %d elements: %s%s", p.grows(), p.grows(), is, p.remains())
	default:
		return ""
	}
}

// paddedAxes returns the axes of a Pad; nil if something is unknown or inconsistent.
func (o operands) paddedAxes() []padded {
	d := o.dims(0)
	pads, axes, ok := o.padLists(len(d))
	if !ok || len(pads) != 2*len(axes) {
		return nil
	}
	var list []padded
	for i, a := range axes {
		if a < 0 {
			a += int64(len(d))
		}
		if a < 0 || a >= int64(len(d)) {
			return nil
		}
		list = append(list, padded{int(a), d[a], pads[i], pads[i+len(axes)]})
	}
	return list
}

func (o operands) padLists(rank int) (pads, axes []int64, ok bool) {
	for a := range rank {
		axes = append(axes, int64(a))
	}
	if o.Domain() == "" && o.since < 11 {
		name := "pads"
		if o.since < 2 {
			name = "paddings"
		}
		pads, ok = o.ints(name)
		return pads, axes, ok
	}
	if o.hasInput(3) {
		if axes, ok = o.integers(3); !ok {
			return nil, nil, false
		}
	}
	pads, ok = o.integers(1)
	return pads, axes, ok
}

// integers returns the elements of an input if all of them are known.
func (o operands) integers(i int) (out []int64, ok bool) {
	list := o.elements(i)
	for _, e := range list {
		n, isNumber := e.Number()
		if !isNumber {
			return nil, false
		}
		out = append(out, n)
	}
	return out, list != nil
}
