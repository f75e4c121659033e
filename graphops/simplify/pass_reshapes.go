package simplify

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
)

var foldReshapes = &pass{
	name:   "fold-reshapes",
	title:  "Reshape, Flatten, Squeeze and Unsqueeze that change nothing are removed, and consecutive ones become one",
	reason: "elements and their order do not change, and only the last shape counts",
	ops:    []string{"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose"},
	node: func(_ *job, n *rewrite.Node) string {
		if !isView(n) || n.Out(0) == nil {
			return ""
		}
		if n.In(0).SameSizes(n.Out(0)) && n.PassOn(n.In(0)) {
			return "removed, the shape is the same"
		}
		return mergeViews(n)
	},
}

// mergeViews makes the views that read a view's output read its input, if nothing else reads it.
func mergeViews(n *rewrite.Node) string {
	var merges []func()
	readers := n.Out(0).OnlyReaders(0, func(r *rewrite.Node) bool {
		if !isView(r) || n.Is("Transpose") && r.Is("Transpose") { // these are about axes, not shapes
			return false
		}
		merge := mergedView(n, r)
		merges = append(merges, merge)
		return merge != nil
	})
	if readers == nil {
		return ""
	}
	for i, r := range readers {
		merges[i]()
		if !r.Gone() {
			r.Stands(n)
		}
	}
	n.Remove()
	return fmt.Sprintf("%s merged into %s", n.Op(), readers[0].Op())
}

// mergedView returns a function that makes r, which reads n's output, do what both do; nil if
// there is no such form.
func mergedView(n, r *rewrite.Node) func() {
	from := n.In(0)
	if made := axesOfBoth(n, r); made != nil {
		if merge := byAxes(r, from, made); merge != nil {
			return merge
		}
	}
	if from.Dims() == nil {
		return nil
	}
	if r.Is("Reshape") && shapeStandsAlone(r) {
		return func() { r.SetInput(0, from) }
	}
	return toReshape(r, from)
}

// axesOfBoth returns, for each output axis of view r, the axis of view n's input that it comes
// from. r reads n's output.
func axesOfBoth(n, r *rewrite.Node) []int {
	first, second := axesMade(n), axesMade(r)
	if first == nil || second == nil {
		return nil
	}
	made := slices.Clone(second)
	for i, axis := range made {
		if axis != added {
			made[i] = first[axis]
		}
	}
	return made
}

// byAxes makes a view into one Squeeze or Unsqueeze of from, or removes it. made has the input axis
// for each output axis. It returns a function that does this, or nil if one node is not enough.
func byAxes(r *rewrite.Node, from *rewrite.Value, made []int) func() {
	if staysAsItIs(made, len(from.Dims())) {
		return func() {
			if !r.PassOn(from) {
				r.Become("Identity", []*rewrite.Value{from})
			}
		}
	}
	var gone, put []int64
	next := 0
	for i, axis := range made {
		if axis == added {
			put = append(put, int64(i))
			continue
		}
		if axis < next {
			return nil // it moves
		}
		for ; next < axis; next++ {
			gone = append(gone, int64(next))
		}
		next = axis + 1
	}
	for ; next < len(from.Dims()); next++ {
		gone = append(gone, int64(next))
	}
	switch {
	case put == nil:
		return func() { withAxes(r, "Squeeze", from, gone) }
	case gone == nil:
		return func() { withAxes(r, "Unsqueeze", from, put) }
	}
	return nil
}

// shapeStandsAlone reports whether the shape of a Reshape has the same meaning for inputs of
// another shape: it has no 0, which copies an axis.
func shapeStandsAlone(n *rewrite.Node) bool {
	if n.Graph().Opset("") < sinceReshapeInput {
		return false
	}
	if n.Int("allowzero", 0) != 0 {
		return true
	}
	if sizes, ok := n.In(1).Ints(); ok {
		return !slices.Contains(sizes, 0)
	}
	sizes := n.In(1).Known().Sizes()
	return sizes != nil && !slices.ContainsFunc(sizes, func(d dim.Dim) bool { return !d.Known() || !d.AtLeast(dim.Number(1)) })
}

// toReshape makes a node a Reshape of a value to a constant shape.
func toReshape(n *rewrite.Node, from *rewrite.Value) func() {
	shape, ok := statedShape(from.Dims(), n.Out(0).Dims())
	if !ok || n.Graph().Opset("") < sinceReshapeInput {
		return nil
	}
	return func() {
		n.Become("Reshape", []*rewrite.Value{from, newInts(n, n.Out(0).Name()+"_shape", shape...)})
	}
}
