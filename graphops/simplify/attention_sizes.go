package simplify

import (
	"slices"

	"lathe/graphops/rewrite"
)

// sizedScores is a Shape node that reads the scores, if only some of the sizes are used. The
// attention operator does not return the scores, but the rows are as many as the steps of the
// queries, and the columns as many as those of the keys.
type sizedScores struct {
	node *rewrite.Node
	rows bool
}

// axes of scores: batch × heads × steps of queries × steps of keys.
const (
	axisRows    = 2
	axisColumns = 3
)

// readForSize reports whether one node reads the scores and all others only use sizes that
// queries or keys have too.
func (a *attended) readForSize(v *rewrite.Value) bool {
	var sized []sizedScores
	others := 0
	for _, r := range v.Readers() {
		taken := sizesTaken(r)
		switch {
		case r.Graph() != v.Graph():
			return false
		case !r.Is("Shape"):
			others++
		case taken == nil || slices.Contains(taken, axisRows) && slices.Contains(taken, axisColumns):
			return false
		default:
			sized = append(sized, sizedScores{r, slices.Contains(taken, axisRows)})
		}
	}
	if v.IsOutput() || others != 1 || v.Uses() != len(sized)+1 {
		return false
	}
	a.sized = append(a.sized, sized...)
	return true
}

// sizesTaken returns the axes, of four, whose sizes are used of a Shape's output, or nil if
// unknown.
func sizesTaken(shape *rewrite.Node) []int {
	out := shape.Out(0)
	if !shape.Is("Shape") || out == nil || out.IsOutput() || len(shape.Attributes()) > 0 || len(shape.In(0).Dims()) != 4 {
		return nil
	}
	taken := []int{}
	for _, r := range out.Readers() {
		axes := elementsTaken(r, out)
		if axes == nil {
			return nil
		}
		taken = append(taken, axes...)
	}
	return taken
}

// elementsTaken returns the indices of the elements that a node takes from a list of four elements,
// or nil if they are unknown.
func elementsTaken(n *rewrite.Node, list *rewrite.Value) []int {
	if n.In(0) != list || n.Reads(list) != 1 {
		return nil
	}
	switch {
	case n.Is("Gather"):
		at, ok := n.In(1).Ints()
		if !ok {
			return nil
		}
		axes := make([]int, len(at))
		for i, a := range at {
			if a < 0 {
				a += 4
			}
			if a < 0 || a > 3 {
				return nil
			}
			axes[i] = int(a)
		}
		return axes
	case n.Is("Slice"):
		s, ok := slicingOf(n)
		if !ok || len(s.axes) != 1 {
			return nil
		}
		cut, ok := interval(s.starts[0], s.ends[0], s.strides[0], 4, true)
		if !ok || !cut.exact {
			return nil
		}
		axes := []int{}
		for i := range cut.length {
			axes = append(axes, int(cut.start+i))
		}
		return axes
	}
	return nil
}

// takeSizes makes the readers of the scores' shape read that of the queries or keys.
func (a *attended) takeSizes() {
	for _, s := range a.sized {
		if s.rows {
			s.node.SetInput(0, a.q.headed)
		} else {
			s.node.SetInput(0, a.keys)
		}
	}
}

// keysSized reports whether a node reads the shape of the keys, so that they are still needed.
func (a *attended) keysSized() bool {
	return slices.ContainsFunc(a.sized, func(s sizedScores) bool { return !s.rows })
}
