package layers

import (
	"bytes"
	"slices"

	"lathe/graphops"
)

// scaledReason is why a value that differs only by a factor is not judged.
const scaledReason = "b has a multiple of it, and the nodes that read it were changed so that they give a's values again"

// pardonScaled withdraws the judgement on values that B has in another scale. If an optimizer moves
// a factor into weights, all values between these weights and the node that had the factor are
// scaled. This is right if two conditions hold. Later values are right, and the region that
// returns to A's values computes in another way than in A. The second condition matters because a
// real fault can vanish too: for example, a normalization removes a factor. But then the
// normalization is the same in both models.
func (c *comparison) pardonScaled() {
	readers := readersOf(c.layers)
	x := c.m.A.Graph().Index()
	scaled := map[*layer]bool{}
	for i, l := range slices.Backward(c.layers) {
		if l.isFine() || !l.seen || !isMultiple(l.Accumulated) && l.scaled == noMultiple || x.IsOutput(l.Pair.A) || len(readers[i]) == 0 {
			continue
		}
		if !all(readers[i], func(r *layer) bool { return scaled[r] || r.isFine() && c.isChanged(r) }) {
			continue
		}
		scaled[l] = true
		if l.Judgement == Differs || l.Judgement == Noisy {
			l.Judgement, l.Reason = Unjudged, scaledReason
		}
	}
}

// readersOf returns, for each layer of the list, the layers that read its value.
func readersOf(list []*layer) [][]*layer {
	readers := make([][]*layer, len(list))
	for _, l := range list {
		for _, in := range l.Inputs {
			readers[in] = append(readers[in], l)
		}
	}
	return readers
}

// isChanged reports whether the layer's region in B differs from that in A: in its operators or in
// its constants. Constants that cannot be read count as equal.
func (c *comparison) isChanged(l *layer) bool {
	as, bs := computing(c.m.A, l.RegionA), computing(c.m.B, l.RegionB)
	ops, others := operators(as), operators(bs)
	if slices.Equal(ops, others) {
		for i := range as {
			if c.otherConstants(as[i], bs[i]) {
				return true
			}
		}
		return false
	}
	slices.Sort(ops)
	slices.Sort(others)
	return !slices.Equal(ops, others)
}

// computing returns the nodes of a region without Constants.
func computing(m *graphops.Model, region []int) []*graphops.Node {
	var out []*graphops.Node
	for _, i := range region {
		if n := m.Graph().Nodes()[i]; !n.IsConstant() {
			out = append(out, n)
		}
	}
	return out
}

func operators(nodes []*graphops.Node) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = n.OpType()
	}
	return out
}

// otherConstants reports whether two nodes read different constants.
func (c *comparison) otherConstants(a, b *graphops.Node) bool {
	for i := range min(len(a.Inputs()), len(b.Inputs())) {
		va, okA := c.m.A.Graph().Index().Value(a.Inputs()[i])
		vb, okB := c.m.B.Graph().Index().Value(b.Inputs()[i])
		if !okA || !okB {
			continue
		}
		ta, isA := constantOf(c.m.A, va)
		tb, isB := constantOf(c.m.B, vb)
		if isA != isB || isA && !sameConstant(ta, tb) {
			return true
		}
	}
	return false
}

func sameConstant(a, b *graphops.Tensor) bool {
	pa, errA := a.Data()
	pb, errB := b.Data()
	if errA == nil && errB == nil && a.DType() == b.DType() && pa.SameRange(pb) {
		return true
	}
	ta, errA := a.Read()
	tb, errB := b.Read()
	return errA != nil || errB != nil || ta.DType == tb.DType && slices.Equal(ta.Shape, tb.Shape) && bytes.Equal(ta.Data, tb.Data) && slices.Equal(ta.Strings, tb.Strings)
}

// multiple reports whether layer i differs only by a factor. The factor may differ from channel to
// channel.
func (c *comparison) multiple(i int) multiple {
	switch l := c.layers[i]; {
	case l.Reason != "":
		return noMultiple
	case isMultiple(l.Local) || isMultiple(l.Accumulated):
		return isChannelwise
	default:
		return max(l.scaled, l.localScaled)
	}
}
