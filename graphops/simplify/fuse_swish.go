package simplify

import (
	"math"

	"lathe/graphops"
	"lathe/graphops/rewrite"
)

var swish = &pass{
	name:     "swish",
	title:    "x·sigmoid(α·x) becomes Swish, or ONNX Runtime's QuickGelu below opset 24",
	reason:   "both compute the same formula with any α, up to rounding",
	optional: true,
	ops:      []string{"Sigmoid"},
	node: func(j *job, n *rewrite.Node) string {
		if !n.Is("Sigmoid") {
			return ""
		}
		return curveOfX(j, n, swishForm, n.In(0), nil, func(f *found) []*graphops.Attribute {
			return []*graphops.Attribute{graphops.FloatAttribute("alpha", float32(f.alpha))}
		}, offer{"", "Swish"}, offer{microsoft, "QuickGelu"})
	},
}

var mish = &pass{
	name:     "mish",
	title:    "x·tanh(softplus(x)) becomes Mish, from opset 18 on",
	reason:   "the operator computes the same formula up to rounding",
	optional: true,
	ops:      []string{"Tanh"},
	node: func(j *job, n *rewrite.Node) string {
		if !n.Is("Tanh") {
			return ""
		}
		x, way := softplusOf(n.In(0))
		if x == nil {
			return ""
		}
		return curveOfX(j, n, mishForm, x, way, nil, offer{"", "Mish"})
	},
}

// softplusOf returns the argument if a value is a softplus, and its nodes. PyTorch exports it
// with a Where that leaves large numbers unchanged, which they are anyway because of rounding.
func softplusOf(v *rewrite.Value) (x *rewrite.Value, nodes []*rewrite.Node) {
	if n := made(v, "Softplus"); n != nil {
		return n.In(0), []*rewrite.Node{n}
	}
	where := made(v, "Where")
	if where == nil {
		return nil, nil
	}
	large, softplus := made(where.In(0), "Greater"), made(where.In(2), "Softplus")
	if large == nil || softplus == nil || where.In(1) != softplus.In(0) || large.In(0) != softplus.In(0) {
		return nil, nil
	}
	if from, ok := large.In(1).Float(); !ok || from < softplusIsX || len(large.In(1).Type().Dims) > 0 {
		return nil, nil
	}
	return softplus.In(0), []*rewrite.Node{where, large, softplus}
}

// softplusIsX is the number from which log(1+exp(x)) is x in 32 bits.
const softplusIsX = 17

var hardSwish = &pass{
	name:     "hard-swish",
	title:    "x·HardSigmoid(x) and x·clip(x+3, 0, 6)/6 become HardSwish, from opset 14 on",
	reason:   "the operator computes the same formula up to rounding",
	optional: true,
	ops:      []string{"HardSigmoid", "Clip"},
	node: func(j *job, n *rewrite.Node) string {
		switch {
		case n.Is("HardSigmoid"):
			if !nearly(n.Float("alpha", 0.2), 1.0/6) || !nearly(n.Float("beta", 0.5), 0.5) {
				return ""
			}
			return curveOfX(j, n, productForm, n.In(0), nil, nil, offer{"", "HardSwish"})
		case n.Is("Clip") && clips(n, 0, 6):
			return curveOfX(j, n, clipForm, n.In(0), nil, nil, offer{"", "HardSwish"})
		}
		return ""
	},
}

var (
	swishForm   = activation{free: true, outer: polynomial{{1, 1}: 1}}
	productForm = activation{inner: polynomial{{1, 0}: 1}, outer: polynomial{{1, 1}: 1}}
	mishForm    = productForm
	clipForm    = activation{inner: polynomial{{1, 0}: 1, {0, 0}: 3}, outer: polynomial{{1, 1}: 1.0 / 6}, scaled: true}
)

// curveOfX finds an activation around its curve, and replaces it by the first operator that is
// available in the graph. way has the nodes between the argument and the curve, which are removed
// too.
func curveOfX(j *job, curve *rewrite.Node, a activation, argument *rewrite.Value, way []*rewrite.Node, with func(*found) []*graphops.Attribute, offers ...offer) string {
	if curve.Graph().Opset("") < modern || argument == nil || curve.Out(0) == nil {
		return ""
	}
	f := a.find(j, curve, argument)
	if f == nil {
		return ""
	}
	if f.add(way...); f.leak() != nil {
		j.refuse(f.root, "a value before the activation function is also needed elsewhere")
		return ""
	}
	elem := f.x.Type().Elem
	o, ok := pick(curve.Graph(), elem, offers...)
	if !ok {
		j.refuse(f.root, notOffered(curve.Graph(), elem, offers[len(offers)-1]))
		return ""
	}
	var attributes []*graphops.Attribute
	if with != nil {
		attributes = with(f)
	}
	return f.settle(j, o, []*rewrite.Value{f.x}, attributes...)
}

// clips reports whether a Clip is between these two constants.
func clips(n *rewrite.Node, low, high float64) bool {
	if n.Graph().Opset("") < 11 {
		return nearly(n.Float("min", -math.MaxFloat32), low) && nearly(n.Float("max", math.MaxFloat32), high)
	}
	a, ok := n.In(1).Float()
	b, also := n.In(2).Float()
	return ok && also && a == low && b == high
}

func nearly(f float32, want float64) bool { return math.Abs(float64(f)-want) <= 1e-6 }
