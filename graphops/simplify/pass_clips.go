package simplify

import (
	"math"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// sinceClipInput is the version from which Clip's bounds are inputs.
const sinceClipInput = 11

var foldClips = &pass{
	name:   "fold-clips",
	title:  "consecutive Clips and Relus become one Clip",
	reason: "the tighter bounds apply; every number is limited in the same way, and the runtime treats NaN as before",
	ops:    []string{"Clip", "Relu"},
	node: func(_ *job, n *rewrite.Node) string {
		p := n.In(0).Producer()
		if !n.Is("Clip", "Relu") || n.Out(0) == nil || p == nil || !p.Is("Clip", "Relu") || n.In(0).Reader() != n || n.Is("Relu") && p.Is("Relu") {
			return ""
		}
		inner, ok := boundsOf(p)
		outer, ok2 := boundsOf(n)
		both := bounds{math.Max(inner.low, outer.low), math.Min(inner.high, outer.high)}
		if !ok || !ok2 || both.low > both.high || !clipTo(n, p, both) {
			return ""
		}
		n.Stands(p)
		p.Remove()
		return "merged with the node before it"
	},
}

// bounds are the limits of a Clip, infinite if there is none.
type bounds struct{ low, high float64 }

// boundsOf returns the constant bounds of a Clip or Relu of floats.
func boundsOf(n *rewrite.Node) (b bounds, ok bool) {
	b = bounds{math.Inf(-1), math.Inf(1)}
	if n.Is("Relu") {
		b.low = 0
		return b, n.In(0).Type().Elem.Kind() == tensor.KindFloat
	}
	if n.Graph().Opset("") < sinceClipInput {
		b.low = math.Max(b.low, float64(n.Float("min", float32(math.Inf(-1)))))
		b.high = math.Min(b.high, float64(n.Float("max", float32(math.Inf(1)))))
		return b, b.low <= b.high
	}
	if v := n.In(1); v != nil {
		if b.low, ok = v.Float(); !ok {
			return b, false
		}
	}
	if v := n.In(2); v != nil {
		if b.high, ok = v.Float(); !ok {
			return b, false
		}
	}
	return b, b.low <= b.high
}

// clipTo makes a node a Clip with the given bounds of the previous node's input.
func clipTo(n, p *rewrite.Node, b bounds) bool {
	from := p.In(0)
	var attributes []*graphops.Attribute
	in := []*rewrite.Value{from, nil, nil}
	if n.Graph().Opset("") < sinceClipInput {
		if !math.IsInf(b.low, -1) {
			attributes = append(attributes, graphops.FloatAttribute("min", float32(b.low)))
		}
		if !math.IsInf(b.high, 1) {
			attributes = append(attributes, graphops.FloatAttribute("max", float32(b.high)))
		}
		n.Become("Clip", in[:1], attributes...)
		return true
	}
	for i, bound := range []float64{b.low, b.high} {
		if math.IsInf(bound, 2*i-1) {
			continue
		}
		if in[1+i] = boundInput(n, p, 1+i, bound); in[1+i] == nil {
			return false
		}
	}
	n.Become("Clip", in)
	return true
}

// boundInput returns a bound as an input: the one that either node has, or else a new constant.
func boundInput(n, p *rewrite.Node, input int, bound float64) *rewrite.Value {
	for _, c := range []*rewrite.Node{n, p} {
		if !c.Is("Clip") || c.In(input) == nil {
			continue
		}
		if x, ok := c.In(input).Float(); ok && x == bound {
			return c.In(input)
		}
	}
	t, err := tensor.FromFloat64s(n.Out(0).Type().Elem, []float64{bound})
	if err != nil {
		return nil
	}
	return n.Graph().NewConstant(n.Out(0).Name()+"_bound", t)
}
