package layers

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session/text"
)

// attributedReason is why a value that is wrong is not judged: it is not the origin of the error.
const attributedReason = "in b, a factor or a shift was moved into constants, and the nodes that read this value give a's values again"

const (
	// maxTried is how many layers of a group are tried as the origin of its error.
	maxTried = 4
	// maxGrowth is how often a group is extended by the layers that read it, and tried again.
	maxGrowth = 12
)

// group is a set of layers that are connected to each other. Nearly all of them are wrong by
// themselves, see isOff. The layers are in the order of A.
type group struct {
	members []*layer
	readers []*layer // layers that read members but are not members
}

// attribute finds the origin of an error if several connected layers are wrong, by running them
// together.
//
// An optimizer may move factors into constants. The values in between then differ in B, although
// they have the same names and there is no fault. Usually that is recognized because B returns to
// A's values later (pardonScaled). A real fault behind them hides that. So B is run across the
// whole group at once, from A's values. If the layers that read the group are right then, no layer
// of the group is at fault. If they are right only if one layer gets A's value instead of its own,
// that layer is the origin. Only layers that read no other layer of the group are tried in this
// way: feeding a later one would skip everything before it.
//
// This is done only for the group of the layer that would be reported as the first divergence. If
// that changes which layer is the first, it is done again for the group of the new one. If no layer
// is left to blame in the end, the earlier judgements are restored: later layers were right only
// because the error fades in them.
func (c *comparison) attribute() error {
	before := make([]Layer, len(c.layers))
	for i, l := range c.layers {
		before[i] = l.Layer
	}
	for tried := map[*layer]bool{}; ; {
		i, local := first(c.layers, c.multiple)
		if i < 0 {
			for i, l := range c.layers {
				l.Layer = before[i]
			}
			return nil
		}
		if !local || tried[c.layers[i]] {
			return nil
		}
		g := c.groupOf(c.layers[i])
		for _, l := range g.members {
			tried[l] = true
		}
		if !g.isDoubtful() {
			return nil
		}
		if err := c.try(g); err != nil {
			return err
		}
	}
}

// isOff reports whether a layer is wrong by itself: it computes in floating point, and its local
// error is outside of the tolerance.
func (l *layer) isOff() bool {
	return l.Judgement == Differs && !l.Quantizes && len(l.RegionB) > 0 && l.Local != nil
}

// isDoubtful reports whether the first layer of a group may not be the origin of the error. That is
// so if there are several layers and at least one differs only by factors, which an optimizer may
// have moved.
func (g group) isDoubtful() bool {
	return len(g.members) > 1 && slices.ContainsFunc(g.members, func(l *layer) bool {
		return isMultiple(l.Local) || l.scaled == isChannelwise || l.localScaled == isChannelwise
	})
}

// groupOf returns the group of some layers. It has these layers, and all layers that are connected
// to them and wrong by themselves, directly or through other such layers.
func (c *comparison) groupOf(list ...*layer) group {
	readers := readersOf(c.layers)
	at := map[*layer]int{}
	for i, l := range c.layers {
		at[l] = i
	}
	in, read := map[*layer]bool{}, map[*layer]bool{}
	for _, l := range list {
		in[l] = true
	}
	for stack := slices.Clone(list); len(stack) > 0; {
		l := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		next := slices.Clone(readers[at[l]])
		for _, r := range next {
			read[r] = true
		}
		for _, i := range l.Inputs {
			next = append(next, c.layers[i])
		}
		for _, n := range next {
			if n.isOff() && !in[n] {
				in[n] = true
				stack = append(stack, n)
			}
		}
	}
	var g group
	for _, l := range c.layers {
		switch {
		case in[l]:
			g.members = append(g.members, l)
		case read[l]:
			g.readers = append(g.readers, l)
		}
	}
	return g
}

// around returns the layers whose values are needed to run B across the group: the group, the
// layers that read it, and the inputs of both.
func (g group) around(c *comparison) map[*layer]bool {
	out := map[*layer]bool{}
	for _, l := range slices.Concat(g.members, g.readers) {
		out[l] = true
		for _, i := range l.Inputs {
			out[c.layers[i]] = true
		}
	}
	return out
}

func (g group) bytes(c *comparison) int64 {
	total := int64(0)
	for l := range g.around(c) {
		total += l.Bytes
	}
	return total
}

// try runs B across a group. If the result is wrong, it tries again with one layer after the other
// fed with A's value.
func (c *comparison) try(g group) error {
	begins := slices.DeleteFunc(slices.Clone(g.members), func(l *layer) bool {
		return slices.ContainsFunc(l.Inputs, func(i int) bool { return slices.Contains(g.members, c.layers[i]) })
	})
	for _, fed := range append([]*layer{nil}, begins[:min(len(begins), maxTried)]...) {
		if right, err := c.tryFed(g, fed); right || err != nil {
			return err
		}
	}
	return nil
}

// tryFed runs B across a group. If fed is not nil, this layer gets A's value. If layers that read
// the group are wrong then, they are added to the group, and it is run again. right is true once
// all of them are right; the group is then no longer blamed, except for fed.
func (c *comparison) tryFed(g group, fed *layer) (right bool, err error) {
	x := c.m.A.Graph().Index()
	for range maxGrowth {
		if len(g.readers) == 0 || slices.ContainsFunc(g.members, func(l *layer) bool { return l != fed && x.IsOutput(l.Pair.A) }) {
			return false, nil // nothing can show that the members have another meaning
		}
		if bytes, most := g.bytes(c), c.segmentMemory()/valueCopies; bytes > most {
			c.unseen = append(c.unseen, fmt.Sprintf("%s next to each other are wrong; their values, %s, are too large for the memory to find out which of them makes the error, so it may be another one than the one named", text.Plural(len(g.members), "layer"), text.Bytes(bytes)))
			return false, nil
		}
		if err := c.fetch(g); err != nil {
			return false, err
		}
		wrong, ran, err := c.wrongBehind(g, fed)
		switch {
		case err != nil || !ran:
			return false, err
		case len(wrong) == 0:
			g.acquit(fed)
			return true, nil
		}
		g = c.groupOf(append(wrong, g.members...)...)
	}
	return false, nil
}

// fetch computes the values of A that are needed to run B across the group.
func (c *comparison) fetch(g group) error {
	x := c.m.A.Graph().Index()
	wanted := map[graphops.ValueID]bool{}
	var values []graphops.ValueID
	for l := range g.around(c) {
		if v := l.Pair.A; x.Producer(v) >= 0 && !c.values.has(v) {
			wanted[v] = true
			values = append(values, v)
		}
	}
	nodes := needsOf(c.m.A, values, func(int) bool { return false })
	s := newSlice(c.m.A, nodes, func(v graphops.ValueID) bool { return wanted[v] }, c.values)
	return s.run(c, c.a, nil, c.values.put)
}

// wrongBehind runs B across the group and returns the layers reading the group that do not get A's
// values. ran is false if B cannot be run in this way.
func (c *comparison) wrongBehind(g group, fed *layer) (wrong []*layer, ran bool, err error) {
	_, cut, err := c.cutAt(slices.DeleteFunc(slices.Clone(c.layers), func(l *layer) bool { return l != fed && slices.Contains(g.members, l) }))
	if err != nil {
		return nil, false, err
	}
	err = c.runRegions(cut, g.readers, func(l *layer, value graphops.Value) {
		got := c.gap(l, c.values.get(l.Pair.A), value)
		if !got.same && (got.reason != "" || got.metrics == nil || got.metrics.Mismatched > 0) {
			wrong = append(wrong, l)
		}
	})
	if err != nil && c.ctx.Err() == nil {
		return nil, false, nil
	}
	return wrong, true, err
}

// acquit marks the layers of the group, except fed, as not judged, because they are not the origin
// of the error.
func (g group) acquit(fed *layer) {
	for _, l := range g.members {
		if l != fed && l.Judgement == Differs {
			l.Judgement, l.Reason = Unjudged, attributedReason
		}
	}
}
