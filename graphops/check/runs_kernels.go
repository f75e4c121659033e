package check

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
)

// window is a kernel along one axis of an image.
type window struct {
	axis     int // of the input
	size     dim.Dim
	kernel   dim.Dim
	stride   int64
	dilation int64
	pads     int64 // before and after
}

// reach returns the extent of the kernel, including gaps.
func (w window) reach() dim.Dim {
	return w.kernel.Sub(dim.Number(1)).Mul(dim.Number(w.dilation)).Add(dim.Number(1))
}

// room returns the size of the padded input minus the extent of the kernel.
func (w window) room() dim.Dim { return w.size.Add(dim.Number(w.pads)).Sub(w.reach()) }

func (o operands) tooSmall(w window) string {
	padding := ""
	if w.pads > 0 {
		padding = fmt.Sprintf(" and padding of %d", w.pads)
	}
	return fmt.Sprintf("the kernel spans %s elements along axis %d, but %s has %s%s", w.reach(), w.axis, o.quoted(0), w.size, padding)
}

// unpooledFits requires that a MaxUnpool writes elements inside its result.
func unpooledFits(o operands) string {
	d := o.dims(0)
	for axis, n := range o.elements(2) {
		if axis < 2 && axis < len(d) && dim.Apart(n, d[axis]) {
			return fmt.Sprintf("%s requests %s elements along axis %d, but %s has %s", o.quoted(2), n, axis, o.quoted(0), d[axis])
		}
	}
	total, known := dim.Product(o.out(0)...).Number()
	if index, wrong := o.outside(1, 0, total-1); known && o.out(0) != nil && wrong {
		return fmt.Sprintf("index %d in %s is outside of the result, which has %s", index, o.quoted(1), counted(int(total), "element"))
	}
	return ""
}

// windows returns the windows of a kernel, one for each axis of the image. The sizes of the kernel
// are the last axes of input number weights, or attribute kernel_shape if weights is 0. It returns
// none if something is unknown or inconsistent, or if the padding depends on the sizes.
func (o operands) windows(weights int) []window {
	d := o.dims(0)
	n := len(d) - 2
	auto, known := o.text("auto_pad", "NOTSET")
	if n < 1 || !known || auto == "SAME_UPPER" || auto == "SAME_LOWER" {
		return nil
	}
	plane := 2
	if last, known := o.number("channels_last", 0); !known || last != 0 || o.OpType() == "NhwcMaxPool" {
		plane = 1
	}
	kernel := o.kernel(weights, n)
	strides, dilations, pads := o.perAxis("strides", n, 1), o.perAxis("dilations", n, 1), o.perAxis("pads", 2*n, 0)
	if kernel == nil || strides == nil || dilations == nil || pads == nil {
		return nil
	}
	if auto == "VALID" {
		pads = make([]int64, 2*n)
	}
	out := make([]window, n)
	for i := range out {
		out[i] = window{plane + i, d[plane+i], kernel[i], strides[i], dilations[i], pads[i] + pads[i+n]}
	}
	return out
}

// kernel returns the sizes of a kernel.
func (o operands) kernel(weights, n int) []dim.Dim {
	if list, known := o.ints("kernel_shape"); !known || len(list) == n {
		return numbersOf64(list)
	}
	if w := o.dims(weights); weights > 0 && len(w) == n+2 {
		return w[2:]
	}
	return nil
}

func numbersOf64(list []int64) (out []dim.Dim) {
	for _, n := range list {
		out = append(out, dim.Number(n))
	}
	return out
}

// perAxis returns the n numbers of an attribute, or n times the default if it is omitted. It
// returns nil if they are unknown or invalid.
func (o operands) perAxis(name string, n int, otherwise int64) []int64 {
	switch list, known := o.ints(name); {
	case !known:
		return nil
	case len(list) == 0:
		return slices.Repeat([]int64{otherwise}, n)
	case len(list) != n || slices.Min(list) < otherwise:
		return nil
	default:
		return list
	}
}

// kernelFits requires that a kernel fits into its padded input at least once.
func kernelFits(weights int) func(operands) string {
	return func(o operands) string {
		for _, w := range o.windows(weights) {
			if largest(w.room()) < 0 {
				return o.tooSmall(w)
			}
		}
		return ""
	}
}

// poolFits checks the requirements of pools: the number of windows, rounded towards zero, must not
// be negative, and no axis except the batch may be empty.
func poolFits(o operands) string {
	for _, w := range o.windows(0) {
		room, number := w.room().Number()
		switch {
		case largest(w.size) == 0:
			return fmt.Sprintf("axis %d of %s is empty", w.axis, o.quoted(0))
		case number && room/w.stride+1 < 0:
			return o.tooSmall(w)
		}
	}
	return ""
}

// emptyPlane requires that no axis except the batch is empty.
func emptyPlane(o operands) string {
	for axis, n := range o.dims(0) {
		if axis > 0 && largest(n) == 0 {
			return fmt.Sprintf("axis %d of %s is empty", axis, o.quoted(0))
		}
	}
	return ""
}

// transposedFits requires that the result of a transposed convolution has elements, and that the
// kernel has as many positions in it as the input has elements.
func transposedFits(o operands) string {
	windows := o.windows(1)
	more, sizes := o.perAxis("output_padding", len(windows), 0), o.perAxis("output_shape", len(windows), 0)
	if len(more) != len(windows) || len(sizes) != len(windows) {
		return ""
	}
	for i, w := range windows {
		if text := o.transposedFault(w, more[i], sizes[i]); text != "" {
			return text
		}
	}
	return ""
}

// transposedFault returns what is wrong along one axis. size is 0 if it depends on the input.
func (o operands) transposedFault(w window, more, size int64) string {
	n, number := w.size.Number()
	reach, also := w.reach().Number()
	whole := (n-1)*w.stride + reach + more
	switch {
	case more >= max(w.stride, w.dilation):
		return fmt.Sprintf("attribute \"output_padding\" is %d at axis %d, expected less than the stride or dilation, %d", more, w.axis, max(w.stride, w.dilation))
	case !number || !also:
		return ""
	case size > 0:
		w.pads = max(0, whole-size)
	default:
		size = whole - w.pads
	}
	if size < 1 {
		return fmt.Sprintf("the result would have %d elements along axis %d: attribute \"pads\" removes %d of %d", size, w.axis, w.pads, whole)
	}
	if places := (size+w.pads-reach)/w.stride + 1; places != n {
		return fmt.Sprintf("a result of size %d along axis %d needs %d elements, but %s has %d: check \"output_shape\" and \"output_padding\"", size, w.axis, places, o.quoted(0), n)
	}
	return ""
}

func sampledRank(o operands) string {
	mode, known := o.text("mode", "")
	switch d := o.dims(0); {
	case d == nil:
	case len(d) != 4 && len(d) != 5:
		return fmt.Sprintf("input %s has rank %d, expected 4 or 5", o.quoted(0), len(d))
	case len(d) == 5 && known && (mode == "cubic" || mode == "bicubic"):
		return fmt.Sprintf("mode %s is for images of rank 4, but input %s has rank 5", mode, o.quoted(0))
	}
	return ""
}
