package architecture

import (
	"math"

	"lathe/graphops"
)

// normal is an operator of a normalization, and the default of its epsilon.
type normal struct {
	name    string
	epsilon float64
}

var norms = map[string]normal{
	"LayerNormalization": {"layer", 1e-5}, "SkipLayerNormalization": {"layer", 1e-12},
	"RMSNormalization": {"RMS", 1e-5}, "SimplifiedLayerNormalization": {"RMS", 1e-5}, "SkipSimplifiedLayerNormalization": {"RMS", 1e-12},
}

// norm finds the normalization of the layer, as an operator or as nodes. The first one counts.
func (l *layer) norm() {
	l.each(func(n *graphops.Node) {
		if l.Norm != "" {
			return
		}
		if op, ok := norms[n.OpType()]; ok {
			l.Norm, l.Epsilon = op.name, op.epsilon
			where := "the default of"
			if v, ok := real(n, "epsilon"); ok {
				l.Epsilon, where = short(v), "epsilon of"
			}
			l.say("norm", "%s", called(n))
			l.say("epsilon", "%s %s", where, called(n))
			return
		}
		l.writtenNorm(n)
	})
}

// short returns the decimal number with the fewest digits that is the same as a number of 32 bits.
func short(v float64) float64 {
	for digits := 1; digits < 9; digits++ {
		if r := rounded(v, digits); float32(r) == float32(v) {
			return r
		}
	}
	return v
}

// before returns the node that makes a value, apart from its type, or nil.
func (f *finder) before(id graphops.ValueID) *graphops.Node {
	for range maxHops {
		n := f.maker(id)
		if n == nil || !n.Is("Cast") && !n.Is("Identity") {
			return n
		}
		id = f.in(n, 0)
	}
	return nil
}

// writtenNorm recognizes the root of a mean of squares to which epsilon is added.
func (l *layer) writtenNorm(n *graphops.Node) {
	if !n.Is("Sqrt") {
		return
	}
	add := l.maker(l.in(n, 0))
	if add == nil || !add.Is("Add") {
		return
	}
	for i := range 2 {
		mean := l.maker(l.in(add, i))
		epsilon, ok := l.scalar(l.in(add, 1-i))
		if mean == nil || !mean.Is("ReduceMean") || !ok || epsilon < 0 || epsilon > 1e-2 {
			continue
		}
		square := l.before(l.in(mean, 0))
		if square == nil || !square.Is("Pow") && !square.Is("Mul") {
			continue
		}
		l.Norm, l.Epsilon = "RMS", short(epsilon)
		if sub := l.before(l.in(square, 0)); sub != nil && sub.Is("Sub") {
			l.Norm = "layer"
		}
		l.say("norm", "the root of a mean of squares, %s", called(n))
		l.say("epsilon", "what %s adds", called(add))
		return
	}
}

// activations are operators that are an activation.
var activations = map[string]string{
	"Gelu": "GELU", "FastGelu": "GELU (tanh)", "BiasGelu": "GELU", "GemmFastGelu": "GELU (tanh)", "QuickGelu": "quick GELU", "Swish": "SiLU", "Silu": "SiLU",
	"Relu": "ReLU", "Erf": "GELU", "HardSwish": "hard swish", "Mish": "Mish", "Elu": "ELU", "LeakyRelu": "leaky ReLU", "Selu": "SELU", "Softplus": "softplus",
}

// activation finds the activation of the feed-forward part.
func (l *layer) activation() {
	l.each(func(n *graphops.Node) {
		if l.Activation != "" {
			return
		}
		end := l.out(n)
		name := activations[n.OpType()]
		switch op := n.OpType(); {
		case op == "Gelu":
			if a, ok := n.Attribute("approximate"); ok && a.Text() == "tanh" {
				name = "GELU (tanh)"
			}
		case op == "QuickGelu" || op == "Swish":
			if v, ok := real(n, "alpha"); ok {
				name = sigmoidal(v)
			}
		case op == "Sigmoid":
			name, end = l.sigmoid(n)
		case op == "Tanh" && l.hasCube(l.in(n, 0)):
			name = "GELU (tanh)"
		case op == "MoE" || op == "QMoE":
			name = "ReLU"
			if a, ok := n.Attribute("activation_type"); ok {
				name = a.Text()
			}
		case op == "MatMulNBitsMlp":
			if a, ok := n.Attribute("activation"); ok {
				name, l.Gated = a.Text(), true
			}
		}
		if name == "" {
			return
		}
		l.Activation = name
		l.Gated = l.Gated || l.isGated(n, end)
		l.say("activation", "%s", called(n))
	})
}

// sigmoidal names x × sigmoid(alpha × x). It is "" if that has no name.
func sigmoidal(alpha float64) string {
	switch {
	case alpha == 1:
		return "SiLU"
	case math.Abs(alpha-1.702) < 1e-3:
		return "quick GELU"
	default:
		return ""
	}
}

// sigmoid recognizes the product of a value and its sigmoid.
func (l *layer) sigmoid(n *graphops.Node) (name string, end graphops.ValueID) {
	x, alpha := l.in(n, 0), 1.0
	if m := l.maker(x); m != nil && m.Is("Mul") {
		for i := range 2 {
			if v, ok := l.scalar(l.in(m, i)); ok {
				x, alpha = l.in(m, 1-i), v
			}
		}
	}
	s := l.out(n)
	if s == none || x == none {
		return "", none
	}
	readers := l.x.Readers(s)
	for _, r := range readers[:min(len(readers), maxHops)] {
		m := l.finder.nodes[r]
		if m.Is("Mul") && (l.in(m, 0) == x || l.in(m, 1) == x) {
			return sigmoidal(alpha), l.out(m)
		}
	}
	return "", none
}

// hasCube reports whether a value is computed from a third power, as the tanh form of GELU is.
func (l *layer) hasCube(id graphops.ValueID) bool {
	next := []graphops.ValueID{id}
	for visited := 0; len(next) > 0 && visited < maxHops; visited++ {
		n := l.maker(next[0])
		next = next[1:]
		switch {
		case n == nil:
		case n.Is("Pow"):
			v, ok := l.scalar(l.in(n, 1))
			return ok && v == 3
		case n.Is("Mul"), n.Is("Add"):
			if x := l.in(n, 0); n.Is("Mul") && x == l.in(n, 1) {
				return true
			}
			next = append(next, l.in(n, 0), l.in(n, 1))
		}
	}
	return false
}

// isGated reports whether the result of an activation is multiplied with another computed value that
// is not the value that it activates.
func (l *layer) isGated(n *graphops.Node, end graphops.ValueID) bool {
	if end == none {
		return false
	}
	from := l.in(n, 0)
	readers := l.x.Readers(end)
	for _, r := range readers[:min(len(readers), maxHops)] {
		m := l.finder.nodes[r]
		if !m.Is("Mul") {
			continue
		}
		other := l.in(m, 0)
		if other == end {
			other = l.in(m, 1)
		}
		if made := l.maker(other); made != nil && other != from && other != end && l.constant(other) == nil && !n.Is("Erf") && !n.Is("Tanh") {
			return true
		}
	}
	return false
}
