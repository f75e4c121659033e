package layers

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session/text"
)

// attributedReason is why a value that is off is not judged.
const attributedReason = "b has other values than a where a factor or a shift went into constants, and what reads them makes a's values"

const (
	// maxTried is how many layers of a group are tried as the origin of the error.
	maxTried = 4
	// maxGrowth is how often a group is extended by its readers and tried again.
	maxGrowth = 12
)

// group is a set of connected layers, most of them off, in the order of A. A layer is off if its
// value is outside of the tolerance.
type group struct {
	members []*layer
	readers []*layer // layers that read members but are not members
}

// attribute finds out by trial which of several layers that are off causes the error. An optimizer
// may move factors into constants; values in between then differ in B although they have the same
// names. Normally this is recognized because B returns to A's values later, but a second fault can
// hide that. So B is run across the whole group at once, on A's values. If the readers of the group
// are right then, the group makes no error. If they are right once a layer that reads no other
// member gets A's value, that layer is the origin. Only such layers are tried, because feeding a
// later layer would skip everything before it. Only the group of the layer that would be named
// first is tried, as long as trials change which layer that is. If the trials leave no layer, the
// error only fades in later layers, and the earlier judgements are restored.
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

// isOff reports whether a layer computes in floating point and its local error fails.
func (l *layer) isOff() bool {
	return l.Judgement == Differs && !l.Quantizes && len(l.RegionB) > 0 && l.Local != nil
}

// isDoubtful reports whether another layer than the first may be the origin of the error: at least
// one layer is off by factors.
func (g group) isDoubtful() bool {
	return len(g.members) > 1 && slices.ContainsFunc(g.members, func(l *layer) bool {
		return isMultiple(l.Local) || l.scaled == isChannelwise || l.localScaled == isChannelwise
	})
}

// groupOf returns the group of some layers: they and all layers that are off and connected to them
// through layers that are off.
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

// around returns the layers whose values a trial needs: those of the group and their inputs.
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

// try tries a group, first as a whole, then with single layers fed with A's value.
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

// tryFed runs B across a group, where one layer may be fed with A's value. It adds the readers that
// are wrong to the group and repeats until none is. Then the group is judged again.
func (c *comparison) tryFed(g group, fed *layer) (right bool, err error) {
	x := c.m.A.Graph().Index()
	for range maxGrowth {
		if len(g.readers) == 0 || slices.ContainsFunc(g.members, func(l *layer) bool { return l != fed && x.IsOutput(l.Pair.A) }) {
			return false, nil // nothing can show that the members have another meaning
		}
		if bytes, most := g.bytes(c), c.segmentMemory()/valueCopies; bytes > most {
			c.unseen = append(c.unseen, fmt.Sprintf("%s beside each other are off, and %s of values are too many for the memory to try which of them makes the error: it may be another than the one that is named", text.Plural(len(g.members), "layer"), text.Bytes(bytes)))
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

// fetch computes A's values around a group.
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

// wrongBehind returns the readers of a group for which B, run across the group, does not give A's
// values. ran is false if B does not run this way.
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

// acquit marks the group as not the origin of the error, except the layer that was fed.
func (g group) acquit(fed *layer) {
	for _, l := range g.members {
		if l != fed && l.Judgement == Differs {
			l.Judgement, l.Reason = Unjudged, attributedReason
		}
	}
}
