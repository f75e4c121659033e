package layers

import (
	"slices"
	"sort"

	"lathe/graphops"
	"lathe/graphops/region"
)

// accumulate runs B by itself, up to the values that A has computed before position end, and
// compares these. If a node does not run, it and everything that depends on it are left out.
func (c *comparison) accumulate(end int) error {
	targets := c.targets(end)
	for len(targets) > 0 {
		err := c.advance(targets)
		if err == nil {
			return nil
		}
		if c.ctx.Err() != nil {
			return err
		}
		targets = c.bury(targets, err)
	}
	return nil
}

// targets returns the layers whose accumulated error is not known yet and that can be computed in
// this segment.
func (c *comparison) targets(end int) []*layer {
	var out []*layer
	for _, l := range c.layers {
		if l.seen || l.at >= end {
			continue
		}
		if c.valuesB.has(l.Pair.B) {
			c.see(l, c.valuesB.get(l.Pair.B))
			continue
		}
		if len(l.RegionB) > 0 {
			out = append(out, l)
		}
	}
	return c.living(out)
}

// living removes the layers that depend on a node that does not run.
func (c *comparison) living(targets []*layer) []*layer {
	if len(c.deadB) == 0 {
		return targets
	}
	return slices.DeleteFunc(targets, func(l *layer) bool {
		for i := range c.closure([]*layer{l}) {
			if why, dead := c.deadB[i]; dead {
				l.seen, l.AccumulatedReason = true, why
				return true
			}
		}
		return false
	})
}

// closure returns the nodes of B that have to run to compute the values of the targets. Nodes that
// have run already are left out.
func (c *comparison) closure(targets []*layer) map[int]bool {
	values := make([]graphops.ValueID, len(targets))
	for i, l := range targets {
		values[i] = l.Pair.B
	}
	return needsOf(c.m.B, values, func(node int) bool { return c.ranB[node] })
}

// needsOf returns the nodes that have to run to compute the values. Constant nodes and nodes that
// have run already are left out.
func needsOf(m *graphops.Model, values []graphops.ValueID, ran func(node int) bool) map[int]bool {
	g := m.Graph()
	x := g.Index()
	out := map[int]bool{}
	var stack []int
	push := func(v graphops.ValueID) {
		if p := x.Producer(v); p >= 0 && !out[p] && !ran(p) && !g.Nodes()[p].IsConstant() {
			out[p] = true
			stack = append(stack, p)
		}
	}
	for _, v := range values {
		push(v)
	}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for v := range region.Reads(g, i) {
			push(v)
		}
	}
	return out
}

// advance runs B up to the values of the targets.
func (c *comparison) advance(targets []*layer) error {
	nodes := c.closure(targets)
	wanted := map[graphops.ValueID]bool{}
	for _, l := range targets {
		wanted[l.Pair.B] = true
		for _, w := range c.m.AlternatesOfB(l.Pair) {
			if p := c.m.B.Graph().Index().Producer(w); nodes[p] {
				wanted[w] = true
			}
		}
	}
	wants := func(w graphops.ValueID) bool { return wanted[w] || c.of[w] != nil || c.needsAfter(w, nodes) }
	s := newSlice(c.m.B, nodes, wants, c.valuesB)
	came := map[graphops.ValueID]graphops.Value{}
	like := func(w graphops.ValueID) graphops.Value {
		if l := c.of[w]; l != nil {
			return c.values.get(l.Pair.A)
		}
		return graphops.Value{}
	}
	err := s.run(c, c.b, like, func(w graphops.ValueID, value graphops.Value) {
		l := c.of[w]
		if l != nil && slices.Contains(targets, l) {
			c.see(l, value)
			if l.same {
				value = c.values.get(l.Pair.A) // one copy for both models
			}
		}
		if l == nil || !l.seen || c.needsAfter(w, nodes) {
			came[w] = value
		}
	})
	if err != nil {
		for _, l := range targets {
			l.seen = false
		}
		return err
	}
	for i := range nodes {
		c.ranB[i] = true
	}
	for w, value := range came {
		c.valuesB.put(w, value)
	}
	return nil
}

// needsAfter reports whether a value of B is still needed after the given nodes have run: another
// node that is needed and has not run reads it.
func (c *comparison) needsAfter(w graphops.ValueID, nodes map[int]bool) bool {
	for _, r := range c.m.B.Graph().Index().Readers(w) {
		if i := int(r); c.neededB[i] && !c.ranB[i] && !nodes[i] {
			return true
		}
	}
	return false
}

// needsB reports whether a stored value of B is still needed.
func (c *comparison) needsB(w graphops.ValueID) bool {
	l := c.of[w]
	return l != nil && !l.seen || c.needsAfter(w, nil)
}

// needsOfB finds the nodes of B on which the shared values depend.
func (c *comparison) needsOfB() {
	ran := c.ranB
	c.ranB = nil
	c.neededB = c.closure(c.layers)
	c.ranB = ran
}

// bury is called if B fails with err on the way to the targets. It finds the first target that
// cannot be computed, by running B up to fewer targets. It leaves out this target and everything
// that depends on the same nodes, and returns the targets that are left.
func (c *comparison) bury(targets []*layer, err error) []*layer {
	reason := err.Error()
	n := sort.Search(len(targets)-1, func(n int) bool {
		again := c.advance(targets[:n+1])
		if again != nil {
			reason = again.Error()
		}
		return again != nil || c.ctx.Err() != nil
	})
	if c.ctx.Err() != nil {
		return targets
	}
	for _, i := range targets[n].RegionB {
		if !c.ranB[i] {
			c.deadB[i] = reason
		}
	}
	rest := slices.DeleteFunc(slices.Clone(targets), func(l *layer) bool { return l.seen })
	return c.living(rest)
}

// see takes the value that B, run by itself, computes for a layer, and compares it with A's value.
func (c *comparison) see(l *layer, value graphops.Value) {
	l.seen, l.TypeB = true, value.Type
	got := c.gap(l, c.values.get(l.Pair.A), value)
	l.same, l.Accumulated, l.AccumulatedReason, l.ownTolerance = got.same, got.metrics, got.reason, got.tolerance
	if !l.suspicious() {
		return
	}
	if l.AccumulatedReason == "" && l.Accumulated != nil {
		l.scaled = multipleOf(c.values.get(l.Pair.A), value)
	}
	for _, v := range c.m.Alternates(l.Pair) {
		if c.values.has(v) {
			l.consider(v, -1, c.gap(l, c.values.get(v), value))
		}
	}
}

// suspicious reports whether a layer has an error that may come from pairing the wrong values.
func (l *layer) suspicious() bool {
	return l.seen && !l.same && !l.Quantizes && (l.AccumulatedReason != "" || l.Accumulated == nil || l.Accumulated.Mismatched > 0)
}

// consider notes another value of A or of B as a better counterpart, if it is much closer than the
// best one so far.
func (l *layer) consider(a, b graphops.ValueID, g gap) {
	best := gap{metrics: l.Accumulated, reason: l.AccumulatedReason}
	if l.other != nil {
		best = l.other.gap
	}
	if closer(g, best) {
		l.other = &other{a, b, g}
	}
}

// other is a better pair for a layer. One of a and b is the new value; the other is -1, because
// that side keeps its value.
type other struct {
	a, b graphops.ValueID
	gap
}

// muchCloser is how many times smaller the error must be for another pair to be the right one.
const muchCloser = 10

// closer reports whether the error x is so much smaller than y that x must belong to the right
// pair.
func closer(x, y gap) bool {
	switch {
	case x.same:
		return !y.same
	case x.reason != "" || x.metrics == nil || x.metrics.NaNMismatched+x.metrics.InfMismatched > 0:
		return false
	case y.reason != "" || y.metrics == nil:
		return x.metrics.Mismatched == 0
	}
	return muchCloser*x.metrics.RMS < y.metrics.RMS
}
