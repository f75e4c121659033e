package layers

import "lathe/graphops/counterpart"

// remap replaces pairs for which a much closer counterpart was found, and cuts the models again.
// The comparison with the new counterpart has been made already and is kept.
func (c *comparison) remap(end int) error {
	c.considerOfB(end)
	paired := map[any]bool{}
	for _, l := range c.layers {
		paired[ofA(l.Pair.A)], paired[ofB(l.Pair.B)] = true, true
	}
	changed := false
	for _, l := range c.layers {
		o := l.other
		l.other = nil
		if o == nil || l.done || o.a >= 0 && paired[ofA(o.a)] || o.b >= 0 && paired[ofB(o.b)] {
			continue
		}
		if o.a >= 0 {
			l.Pair.A = o.a
		} else {
			l.Pair.B, l.TypeB = o.b, c.valuesB.get(o.b).Type
		}
		paired[ofA(l.Pair.A)], paired[ofB(l.Pair.B)] = true, true
		l.Pair.How = counterpart.ByContent
		l.scaled = noMultiple
		l.same, l.Accumulated, l.AccumulatedReason, l.ownTolerance = o.same, o.metrics, o.reason, o.tolerance
		changed = true
	}
	if !changed {
		return nil
	}
	return c.cut()
}

type (
	ofA int32
	ofB int32
)

// considerOfB looks for better counterparts among the values that only B has.
func (c *comparison) considerOfB(end int) {
	for _, l := range c.layers {
		if l.done || l.at >= end || !l.suspicious() {
			continue
		}
		for _, w := range c.m.AlternatesOfB(l.Pair) {
			if c.valuesB.has(w) {
				l.consider(-1, w, c.gap(l, c.values.get(l.Pair.A), c.valuesB.get(w)))
			}
		}
	}
}
