package simplify

import (
	"math"
	"slices"

	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

var foldSlices = &pass{
	name:   "fold-slices",
	title:  "Slices that take everything are removed, consecutive ones become one, and computed positions at a fixed distance from the end of an axis become constants",
	reason: "the same elements are taken",
	ops:    []string{"Slice"},
	node: func(_ *job, n *rewrite.Node) string {
		if !n.Is("Slice") || n.Out(0) == nil {
			return ""
		}
		if takesAll(n) && n.PassOn(n.In(0)) {
			return "removed, it takes everything"
		}
		if told := mergeSlices(n); told != "" {
			return told
		}
		return slicedByNumbers(n)
	},
}

// takesAll reports whether a Slice takes all elements of every axis in order.
func takesAll(n *rewrite.Node) bool {
	if !n.In(0).SameSizes(n.Out(0)) {
		return false
	}
	strides, ok := sliceNumbers(n, "", 4)
	return ok && (n.Graph().Opset("") < sinceSliceInput || !slices.ContainsFunc(strides, func(s int64) bool { return s < 1 }))
}

// mergeSlices merges a Slice into the Slices that are its only readers.
func mergeSlices(n *rewrite.Node) string {
	first, ok := slicingOf(n)
	if !ok {
		return ""
	}
	var merged []slicing
	readers := n.Out(0).OnlyReaders(0, func(r *rewrite.Node) bool {
		next, ok := slicingOf(r)
		if !ok {
			return false
		}
		both, ok := first.and(next, n.In(0).Dims())
		merged = append(merged, both)
		return ok
	})
	if readers == nil {
		return ""
	}
	for i, r := range readers {
		setSlicing(r, n.In(0), merged[i])
		r.Stands(n)
	}
	n.Remove()
	return "merged with the Slice after it"
}

// slicedByNumbers replaces starts and ends that are computed from their axis's size: a distance
// from the end becomes a negative number, and the end itself the largest number.
func slicedByNumbers(n *rewrite.Node) string {
	dims := n.In(0).Dims()
	if dims == nil || n.Graph().Opset("") < sinceSliceInput {
		return ""
	}
	axes, ok := sliceNumbers(n, "axes", 3)
	strides, ok2 := sliceNumbers(n, "", 4)
	if !ok || !ok2 || slices.ContainsFunc(strides, func(s int64) bool { return s < 1 }) {
		return ""
	}
	told := ""
	for i, name := range []string{"_starts", "_ends"} {
		input := i + 1
		v := n.In(input)
		if v == nil || v.Producer() == nil {
			continue
		}
		if _, known := v.Ints(); known {
			continue
		}
		far := int64(math.MaxInt64)
		if v.Type().Elem == tensor.I32 { // the same type as the other inputs
			far = math.MaxInt32
		}
		list := fromOwnSize(v.Known().Sizes(), axes, dims, input == 2, far)
		if t, err := tensor.FromInt64s(v.Type().Elem, list, int64(len(list))); list != nil && err == nil {
			n.SetInput(input, n.Graph().NewConstant(n.Out(0).Name()+name, t))
			told = "positions computed from the size of their own axis became constants"
		}
	}
	return told
}

// fromOwnSize returns positions that are computed from the size of their axis as constants, or nil
// if this is not possible. far is a number greater than any position.
func fromOwnSize(positions []dim.Dim, axes []int64, dims []dim.Dim, end bool, far int64) []int64 {
	if axes == nil {
		for i := range positions {
			axes = append(axes, int64(i))
		}
	}
	at, ok := fromZero(axes, len(dims))
	if !ok || len(at) != len(positions) {
		return nil
	}
	var list []int64
	for i, p := range positions {
		size := dims[at[i]]
		n, number := p.Number()
		away, fixed := size.Sub(p).Number()
		switch {
		case number:
		case end && fixed && away <= 0:
			n = far
		case fixed && away > 0 && p.AtLeast(dim.Number(0)):
			n = -away
		default:
			return nil
		}
		list = append(list, n)
	}
	return list
}
