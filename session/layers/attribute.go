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
	// maxTried is how many layers of a group are tried as the one that makes the error.
	maxTried = 4
	// maxGrowth is how often a group takes in what reads it, and is tried anew.
	maxGrowth = 12
)

// group are layers, most of them off, that read each other, in the order of A.
type group struct {
	members []*layer
	readers []*layer // that are none of them
}

// attribute finds out by trial which of several layers that are off makes the error. Where
// an optimizer puts factors into constants, values between that bear the same names are
// others in B; and a fault elsewhere hides that B comes back to A's values, by which that
// is told otherwise. So B is run across a group of them at once, on A's values: if what
// reads the group is right then, none of it makes an error. If it is right once a layer that
// reads none of the others is fed A's value, that layer makes it; of one behind others
// nothing would be shown, since all that they do is left out then. Only the group of the
// layer that would be named first is tried, as long as trials change which that is. Where
// they leave none, the error only fades in what reads it, and all is as it was.
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

// isOff reports whether a layer is one that computes in floating point and fails.
func (l *layer) isOff() bool {
	return l.Judgement == Differs && !l.Quantizes && len(l.RegionB) > 0 && l.Local != nil
}

// isDoubtful reports whether it may be another layer than the first that makes the error:
// one at least is off by factors.
func (g group) isDoubtful() bool {
	return len(g.members) > 1 && slices.ContainsFunc(g.members, func(l *layer) bool {
		return isMultiple(l.Local) || l.scaled == isChannelwise || l.localScaled == isChannelwise
	})
}

// groupOf are some layers with those that are off and read them or are read by them, over
// others that are off.
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

// around are the layers whose values a trial needs: of the group, and of what it reads.
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

// try tries a group, first as a whole and then with layers at which it begins fed.
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

// tryFed runs B across a group, but for a layer that is fed A's value, and takes what is
// wrong behind it into the group until nothing is: then the group is judged anew.
func (c *comparison) tryFed(g group, fed *layer) (right bool, err error) {
	x := c.m.A.Graph().Index()
	for range maxGrowth {
		if len(g.readers) == 0 || slices.ContainsFunc(g.members, func(l *layer) bool { return l != fed && x.IsOutput(l.Pair.A) }) {
			return false, nil // nothing shows that it stands for another value
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

// wrongBehind are the layers that read a group and of which B does not make A's values
// across it. Ran is false where B does not run so.
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

// acquit says of a group that none of it makes the error, but for the layer that was fed.
func (g group) acquit(fed *layer) {
	for _, l := range g.members {
		if l != fed && l.Judgement == Differs {
			l.Judgement, l.Reason = Unjudged, attributedReason
		}
	}
}
