package shape

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
)

// layout says where the channels of an image are: on axis 1, or last. The other axes except the
// batch, such as height and width, are called the plane.
type layout struct{ last bool }

// parts returns the sizes of an image: the batch, the channels, and the plane (height, width and so
// on).
func (l layout) parts(d []dim.Dim) (batch, channels dim.Dim, plane []dim.Dim) {
	if l.last {
		return d[0], d[len(d)-1], d[1 : len(d)-1]
	}
	return d[0], d[1], d[2:]
}

func (l layout) image(batch, channels dim.Dim, plane []dim.Dim) []dim.Dim {
	if l.last {
		return slices.Concat([]dim.Dim{batch}, plane, []dim.Dim{channels})
	}
	return slices.Concat([]dim.Dim{batch, channels}, plane)
}

// channelAxis returns the axis of the channels in an image of a rank.
func (l layout) channelAxis(rank int) int {
	if l.last {
		return rank - 1
	}
	return 1
}

// image returns the sizes of an input that must have a batch axis, a channel axis and at least one
// more. If it has fewer axes, it reports a problem and ok is false. The sizes are nil if the rank
// is unknown.
func (c *call) image(i int) (d []dim.Dim, ok bool) {
	if d = c.dims(i); d != nil && len(d) < 3 {
		c.problem(i, c.describe(i)+" should have a batch, channels and at least one more axis")
		return nil, false
	}
	return d, true
}

// windows describe how a kernel slides over a plane. There is one number for each axis of the
// plane.
type windows struct {
	kernel             []dim.Dim // sizes along each axis
	strides, dilations []int64
	before, after      []dim.Dim // padding, 0 if autoPad determines it
	autoPad            string    // empty if the pads are given
	ceil               bool
}

// same reports whether the output size depends only on the stride, because of the padding.
func (w windows) same() bool { return w.autoPad == "SAME_UPPER" || w.autoPad == "SAME_LOWER" }

// windows reads the attributes of a kernel. If they do not fit it, it reports a problem and ok
// is false.
func (c *call) windows(kernel []dim.Dim) (w windows, ok bool) {
	w = windows{kernel: kernel, autoPad: c.attrText("auto_pad", ""), ceil: c.attrInt("ceil_mode", 0) != 0}
	if w.autoPad == "NOTSET" {
		w.autoPad = ""
	}
	if w.autoPad != "" && w.autoPad != "VALID" && !w.same() {
		c.problem(-1, fmt.Sprintf("auto_pad is %q, expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", w.autoPad))
		return w, false
	}
	n := len(kernel)
	pads, okPads := c.perAxis("pads", 2*n, 0)
	strides, okStrides := c.perAxis("strides", n, 1)
	dilations, okDilations := c.perAxis("dilations", n, 1)
	if w.autoPad != "" {
		pads = make([]int64, 2*n)
	} else if !okPads {
		return w, false
	}
	w.strides, w.dilations, w.before, w.after = strides, dilations, numbers(pads[:n]...), numbers(pads[n:]...)
	return w, okStrides && okDilations
}

// perAxis returns n numbers of an attribute, none below least, which is also their default.
func (c *call) perAxis(name string, n int, least int64) ([]int64, bool) {
	list, _ := c.attrInts(name)
	if len(list) == 0 {
		return slices.Repeat([]int64{least}, n), true
	}
	if len(list) != n || slices.Min(list) < least {
		c.problem(-1, fmt.Sprintf("%s is %v, expected %d numbers of at least %d", name, list, n, least))
		return nil, false
	}
	return list, true
}

// reach returns the extent of the kernel along an axis, including gaps.
func (w windows) reach(axis int) dim.Dim {
	one := dim.Number(1)
	return w.kernel[axis].Sub(one).Mul(dim.Number(w.dilations[axis])).Add(one)
}

// least returns the minimum size of an axis, including padding, for a window. With ceil_mode the
// window may be cut by up to stride-1 elements.
func (w windows) least(axis int) dim.Dim {
	if w.ceil {
		return w.reach(axis).Sub(dim.Number(w.strides[axis] - 1))
	}
	return w.reach(axis)
}

// places returns how many positions a window has along each axis of a plane.
func (w windows) places(plane []dim.Dim) []dim.Dim {
	out := make([]dim.Dim, len(plane))
	for i, n := range plane {
		out[i] = w.placesAlong(i, n)
	}
	return out
}

// placesAlong returns how many positions a window has along an axis of size n:
// floor((n+pads-reach)/stride)+1. With ceil_mode a window may end after the padding, but each must
// start before it. Both limits have the form floor((n+k)/stride), and the smaller k counts. If no
// window fits into an axis of known size, runtimes round towards zero. If the size is an
// expression, at least one window is assumed to fit.
func (w windows) placesAlong(axis int, n dim.Dim) dim.Dim {
	stride := dim.Number(w.strides[axis])
	if w.same() {
		return n.CeilDiv(stride)
	}
	inside := w.after[axis].Sub(w.reach(axis)).Add(stride)
	room, fixed := n.Add(w.before[axis]).Add(inside).Sub(stride).Number()
	switch {
	case w.ceil:
		inside = inside.Min(dim.Number(0)).Add(stride).Sub(dim.Number(1))
	case fixed && room < 0:
		return dim.Number(room/w.strides[axis] + 1)
	}
	return n.Add(w.before[axis]).Add(inside).FloorDiv(stride)
}

// covered returns the sizes of the plane that windows at the given numbers of positions cover, plus
// more elements at the ends. With SAME padding, elements are removed, and never added, to reach the
// size that the stride gives.
func (w windows) covered(places []dim.Dim, more []int64) []dim.Dim {
	out := make([]dim.Dim, len(places))
	for i, n := range places {
		stride := dim.Number(w.strides[i])
		last := w.reach(i).Add(dim.Number(more[i]))
		if w.same() {
			last = last.Min(stride)
		}
		out[i] = n.Sub(dim.Number(1)).Mul(stride).Add(last).Sub(w.before[i]).Sub(w.after[i])
	}
	return out
}
