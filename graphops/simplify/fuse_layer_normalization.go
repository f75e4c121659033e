package simplify

import "lathe/graphops/rewrite"

var layerNormalization = &pass{
	name: "layer-normalization",
	title: "(x-mean)/√(variance+ε)·scale+bias becomes LayerNormalization; below opset 17 only " +
		"ONNX Runtime has this operator, and other runtimes reject the model",
	reason: "the operator computes the same formula up to rounding; in half precision mean and variance are computed " +
		"in 32 bits, so that squares do not overflow",
	optional: true,
	ops:      []string{"Div", "Mul", "Add"},
	node: func(j *job, n *rewrite.Node) string {
		if n.Graph().Opset("") < modern || n.Out(0) == nil {
			return ""
		}
		l := centredAt(n)
		if l != nil {
			l.follow(true)
		} else if l = spreadAt(n); l == nil {
			return ""
		}
		return l.settle(j, offer{"", "LayerNormalization"})
	},
}

// centredAt returns the normalization that a node computes in the form (x-mean)/√(variance+ε), or
// nil.
func centredAt(n *rewrite.Node) *normalization {
	q := quotientAt(n)
	if q == nil {
		return nil
	}
	l := &normalization{quotient: *q}
	top := l.within(q.top)
	sub := made(top, "Sub")
	if sub == nil || !l.centred(sub.In(0), sub.In(1)) {
		return nil
	}
	l.add(sub)
	if !l.deviation(l.within(q.squared), sub.In(1)) {
		return nil
	}
	return l
}

// centred finds x and its mean in the numerator. The mean must be over the same axes as the mean of
// squares.
func (n *normalization) centred(x, mean *rewrite.Value) bool {
	node := made(mean, "ReduceMean")
	if x == nil || node == nil || n.uncast(x) != n.uncast(node.In(0)) {
		return false
	}
	axes, ok := meanOver(node)
	if !ok || axes != n.axes {
		return false
	}
	n.x = x
	n.add(node)
	return true
}

// deviation reports whether a value is x-mean or mean-x, of which the square is computed. Older
// exporters compute it in another node than the numerator.
func (n *normalization) deviation(v, mean *rewrite.Value) bool {
	sub := made(v, "Sub")
	if sub == nil {
		return false
	}
	n.add(sub)
	for i := range 2 {
		x, other := sub.In(i), sub.In(1-i)
		if x != nil && n.uncast(x) == n.uncast(n.x) && n.sameMean(other, mean) {
			return true
		}
	}
	return false
}

// sameMean reports whether two values are the same mean, possibly computed twice.
func (n *normalization) sameMean(v, mean *rewrite.Value) bool {
	if v == mean {
		return true
	}
	node := made(v, "ReduceMean")
	if node == nil || n.uncast(node.In(0)) != n.uncast(n.x) {
		return false
	}
	axes, ok := meanOver(node)
	n.add(node)
	return ok && axes == n.axes
}

// spreadAt returns the normalization that a node computes in the form x·r + (bias-mean·r), or nil.
// r is the inverse root times the scale. TensorFlow's batch normalization has this form.
func spreadAt(n *rewrite.Node) *normalization {
	if !n.Is("Add") {
		return nil
	}
	for i := range 2 {
		mul, sub := made(n.In(i), "Mul"), made(n.In(1-i), "Sub")
		if mul == nil || sub == nil {
			continue
		}
		shift := made(sub.In(1), "Mul")
		if shift == nil {
			continue
		}
		for k := range 4 {
			r := mul.In(k & 1)
			if r == nil || r != shift.In(k>>1) {
				continue
			}
			l := &normalization{}
			l.root = n
			l.add(mul, sub, shift)
			if l.spread(mul.In(1-k&1), shift.In(1-k>>1), r) && l.fits(sub.In(0)) {
				l.bias = sub.In(0)
				return l
			}
		}
	}
	return nil
}

// spread finds the factor r, and then x, its mean and its deviation.
func (n *normalization) spread(x, mean, r *rewrite.Value) bool {
	of, scale := n.inverseRoot(r), (*rewrite.Value)(nil)
	if by := made(r, "Mul"); of == nil && by != nil {
		for i := range 2 {
			if of = n.inverseRoot(by.In(i)); of != nil {
				scale = by.In(1 - i)
				n.add(by)
				break
			}
		}
	}
	if of == nil || !n.divisor(of) || !n.centred(x, mean) || !n.deviation(n.within(n.squared), mean) {
		return false
	}
	n.scale = scale
	return scale == nil || n.fits(scale)
}
