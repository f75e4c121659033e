package layers

import (
	"slices"
	"sort"

	"lathe/graphops"
	"lathe/graphops/region"
)

// accumulate runs B by itself up to the values whose counterparts in A are there, and
// compares them. Nodes that do not run are left out, with all that needs them.
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

// targets are the layers whose accumulated error can be known and is not.
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

// living leaves out the layers that need a node that does not run.
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

// closure are the nodes of B that values need and that have not run.
func (c *comparison) closure(targets []*layer) map[int]bool {
	values := make([]graphops.ValueID, len(targets))
	for i, l := range targets {
		values[i] = l.Pair.B
	}
	return needsOf(c.m.B, values, func(node int) bool { return c.ranB[node] })
}

// needsOf are the nodes that values need, but for Constants and those that ran.
func needsOf(m *graphops.Model, values []graphops.ValueID, ran func(node int) bool) map[int]bool {
	g := m.Graph()
	x := g.Index()
	out := map[int]bool{}
	var stack []int
	push := func(v graphops.ValueID) {
		if p := x.Producer(v); p >= 0 && !out[p] && !ran(p) && !isConstantNode(g.Nodes()[p]) {
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

// advance runs B up to some values.
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
				value = c.values.get(l.Pair.A) // one copy for both
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

// needsAfter reports whether a node of B that has not run, and is none of those, reads a
// value that something needs.
func (c *comparison) needsAfter(w graphops.ValueID, nodes map[int]bool) bool {
	for _, r := range c.m.B.Graph().Index().Readers(w) {
		if i := int(r); c.neededB[i] && !c.ranB[i] && !nodes[i] {
			return true
		}
	}
	return false
}

// needsB reports whether a held value of B is needed any more.
func (c *comparison) needsB(w graphops.ValueID) bool {
	l := c.of[w]
	return l != nil && !l.seen || c.needsAfter(w, nil)
}

// needsOfB finds the nodes of B that shared values depend on.
func (c *comparison) needsOfB() {
	ran := c.ranB
	c.ranB = nil
	c.neededB = c.closure(c.layers)
	c.ranB = ran
}

// bury finds the first of some values that B does not come to, and leaves it out with all
// that needs its region.
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

// see takes in what B gives by itself.
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

// suspicious reports whether the error is one that another pair could explain.
func (l *layer) suspicious() bool {
	return l.seen && !l.same && !l.Quantizes && (l.AccumulatedReason != "" || l.Accumulated == nil || l.Accumulated.Mismatched > 0)
}

// consider takes another value of A or of B for the counterpart, if it is much closer.
func (l *layer) consider(a, b graphops.ValueID, g gap) {
	best := gap{metrics: l.Accumulated, reason: l.AccumulatedReason}
	if l.other != nil {
		best = l.other.gap
	}
	if closer(g, best) {
		l.other = &other{a, b, g}
	}
}

// other is another pair than the one that was found: -1 stands for what stays.
type other struct {
	a, b graphops.ValueID
	gap
}

// muchCloser is how much smaller an error must be to speak for another pair.
const muchCloser = 10

// closer reports whether x is so much smaller an error than y that the value compared for
// it must be the counterpart.
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
