package simplify

import (
	"math"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
)

// slicing has the ranges that a Slice with constant parameters takes from some axes.
type slicing struct {
	axes                  []int
	starts, ends, strides []int64
}

// slicingOf reads a Slice of a tensor with known rank. ok is false if a parameter is unknown.
func slicingOf(n *rewrite.Node) (s slicing, ok bool) {
	dims := n.In(0).Dims()
	if !n.Is("Slice") || dims == nil {
		return s, false
	}
	starts, ok1 := sliceNumbers(n, "starts", 1)
	ends, ok2 := sliceNumbers(n, "ends", 2)
	axes, ok3 := sliceNumbers(n, "axes", 3)
	strides, ok4 := sliceNumbers(n, "", 4)
	if !ok1 || !ok2 || !ok3 || !ok4 || starts == nil || len(starts) != len(ends) {
		return s, false
	}
	if axes == nil {
		for i := range starts {
			axes = append(axes, int64(i))
		}
	}
	if strides == nil {
		for range starts {
			strides = append(strides, 1)
		}
	}
	s = slicing{starts: starts, ends: ends, strides: strides}
	s.axes, ok = fromZero(axes, len(dims))
	return s, ok && len(axes) == len(starts) && len(strides) == len(starts)
}

// sliceNumbers returns one parameter, which is an attribute in old versions; nil if it is not
// given.
func sliceNumbers(n *rewrite.Node, attribute string, input int) (list []int64, ok bool) {
	if n.Graph().Opset("") < sinceSliceInput {
		list, _ = n.Ints(attribute)
		return list, true
	}
	if v := n.In(input); v != nil {
		return v.Ints()
	}
	return nil, true
}

// and returns the slicing that does two slicings one after the other. ok is false if the result
// depends on unknown sizes.
func (s slicing) and(next slicing, dims []dim.Dim) (both slicing, ok bool) {
	both = s
	for i, axis := range next.axes {
		start, end, stride := next.starts[i], next.ends[i], next.strides[i]
		at := -1
		for k, a := range s.axes {
			if a == axis {
				at = k
			}
		}
		if at < 0 {
			both = both.with(axis, start, end, stride)
			continue
		}
		size, known := dims[axis].Number()
		first, ok := interval(s.starts[at], s.ends[at], s.strides[at], size, known)
		if !ok {
			return both, false
		}
		second, ok := interval(start, end, stride, first.length, first.exact)
		if !ok {
			return both, false
		}
		both = both.set(at, first.start+second.start, min(first.start+second.start+second.length, first.start+first.length))
	}
	return both, true
}

func (s slicing) with(axis int, start, end, stride int64) slicing {
	return slicing{
		append(append([]int{}, s.axes...), axis), append(append([]int64{}, s.starts...), start),
		append(append([]int64{}, s.ends...), end), append(append([]int64{}, s.strides...), stride),
	}
}

func (s slicing) set(i int, start, end int64) slicing {
	out := s.with(0, 0, 0, 0)
	out.axes, out.starts, out.ends, out.strides = out.axes[:len(s.axes)], out.starts[:len(s.axes)], out.ends[:len(s.axes)], out.strides[:len(s.axes)]
	out.starts[i], out.ends[i] = start, end
	return out
}

// farEnd is larger than any axis.
const farEnd = math.MaxInt64 / 4

// part is the range that a Slice with a stride of 1 takes from an axis: length elements from start,
// or fewer if the axis ends before.
type part struct {
	start, length int64
	exact         bool // there are exactly this many
}

// interval returns the range that a Slice takes from an axis. If known is not set, the axis may be
// smaller than size. ok is false if the range depends on the size.
func interval(start, end, stride, size int64, known bool) (part, bool) {
	if stride != 1 {
		return part{}, false
	}
	if known {
		if start < 0 {
			start += size
		}
		if end < 0 {
			end += size
		}
		start, end = min(max(start, 0), size), min(max(end, 0), size)
		return part{start, max(end-start, 0), true}, true
	}
	if start < 0 || end < 0 {
		return part{}, false
	}
	start, end = min(start, farEnd), min(end, farEnd)
	return part{start, max(end-start, 0), false}, true
}

// setSlicing makes n a Slice of a value with the given parameters.
func setSlicing(n *rewrite.Node, of *rewrite.Value, s slicing) {
	axes := make([]int64, len(s.axes))
	plain := true
	for i, a := range s.axes {
		axes[i] = int64(a)
		plain = plain && s.strides[i] == 1
	}
	if n.Graph().Opset("") < sinceSliceInput {
		n.SetAttributes(graphops.IntsAttribute("starts", s.starts), graphops.IntsAttribute("ends", s.ends), graphops.IntsAttribute("axes", axes))
		n.SetInput(0, of)
		return
	}
	name := n.Out(0).Name()
	in := []*rewrite.Value{of, newInts(n, name+"_starts", s.starts...), newInts(n, name+"_ends", s.ends...), newInts(n, name+"_axes", axes...)}
	if !plain {
		in = append(in, newInts(n, name+"_steps", s.strides...))
	}
	n.SetInputs(in...)
}
