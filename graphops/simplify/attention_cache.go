package simplify

import (
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
)

// joined returns the two inputs of a Concat along the sequence axis: the cache, and the new keys or
// values. past is nil if n is no such Concat.
func joined(n *rewrite.Node) (past *rewrite.Value, fresh *operand) {
	axis := n.Int("axis", 0)
	if len(n.Inputs()) != 2 || axis != 2 && axis != -2 {
		return nil, nil
	}
	past = n.In(0)
	if len(past.Type().Dims) != 4 || len(n.In(1).Type().Dims) != 4 {
		return nil, nil
	}
	o := headedOperand(n.In(1))
	return past, &o
}

// grouped returns the operand with fewer heads from which a Reshape makes one with more, by
// repeating each head consecutively. The nodes before the Reshape add an axis and expand it.
func grouped(n *rewrite.Node) *operand {
	spread := n.In(0).Producer()
	if !spread.Is("Expand") {
		return nil
	}
	apart := spread.In(0).Producer()
	if !apart.Is("Unsqueeze", "Reshape") {
		return nil
	}
	from, one, five, to := apart.In(0).Type().Dims, apart.Out(0).Type().Dims, spread.Out(0).Type().Dims, n.Out(0).Type().Dims
	if len(from) != 4 || len(five) != 5 || len(to) != 4 {
		return nil
	}
	times := five[2]
	if !equalDims(one, []dim.Dim{from[0], from[1], dim.Number(1), from[2], from[3]}) ||
		!equalDims(five, []dim.Dim{from[0], from[1], times, from[2], from[3]}) ||
		!equalDims(to, []dim.Dim{from[0], from[1].Mul(times), from[2], from[3]}) {
		return nil
	}
	o := headedOperand(apart.In(0))
	return &o
}

// cache is the past keys or values, and the value in which they are joined with the new ones.
type cache struct{ past, whole *rewrite.Value }

// narrow makes the attention read keys and values before their heads are repeated and before they
// are joined with a cache, if the operator can do this itself.
func (a *attended) narrow(to target) {
	if to.standard && a.k.group != nil && a.v.group != nil && a.k.group.dims[1].Equal(a.v.group.dims[1]) {
		a.k, a.v = *a.k.group, *a.v.group
	}
	if !a.joins(to) {
		return
	}
	a.cached = [2]cache{{a.k.past, a.k.headed}, {a.v.past, a.v.headed}}
	a.k, a.v = *a.k.fresh, *a.v.fresh
}

// joins reports whether the operator can join the caches. This requires that nothing else reads
// the joined values, except as outputs of the graph.
func (a *attended) joins(to target) bool {
	k, v := a.k, a.v
	switch {
	case k.fresh == nil || v.fresh == nil || !k.fresh.dims[2].Equal(v.fresh.dims[2]):
		return false
	case !to.standard && (k.fresh.flat == nil || v.fresh.flat == nil):
		return false
	case a.widensColumns() || a.keysSized() || !headed(k.fresh.dims, v.fresh.dims):
		return false
	}
	return a.onlyWay(k.headed, a.first) && a.onlyWay(v.headed, a.product)
}

func headed(k, v []dim.Dim) bool { return k[0].Equal(v[0]) && k[1].Equal(v[1]) }

// onlyWay reports whether every path from a value leads to one node. The value may also be an
// output of the graph, once.
func (a *attended) onlyWay(v *rewrite.Value, to *rewrite.Node) bool {
	outputs := 0
	for _, o := range v.Graph().Outputs() {
		if o == v {
			outputs++
		}
	}
	if outputs > 1 || v.Graph() != to.Graph() {
		return false
	}
	for range maxBetween {
		readers := v.Readers()
		if len(readers) != 1 || v.Uses()-outputs != 1 || readers[0].Graph() != to.Graph() {
			return false
		}
		if readers[0] == to {
			return true
		}
		v, outputs = readers[0].Out(0), 0
		if v == nil {
			return false
		}
	}
	return false
}

// renew makes the outputs of the graph that were joined caches outputs of node made.
func (a *attended) renew(made *rewrite.Node) {
	for i, c := range a.cached {
		if c.whole == nil {
			continue
		}
		join := c.whole.Producer()
		if c.whole.IsOutput() {
			c.whole.ReplaceWith(made.Out(1 + i))
		}
		prune(join)
	}
}
