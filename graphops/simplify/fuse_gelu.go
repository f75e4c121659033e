package simplify

import (
	"math"

	"lathe/graphops"
	"lathe/graphops/rewrite"
)

var gelu = &pass{
	name:  "gelu",
	title: "x·(1+erf(x/√2))/2 and its approximation by tanh become Gelu, or ONNX Runtime's Gelu and FastGelu below opset 20",
	reason: "the operators compute the same formula, so only rounding differs; in half precision the runtime computes it in 32 bits, " +
		"which is closer to the exact value. If the factor 1/2 is missing because it was merged into the next layer, the result of the operator is multiplied by 2",
	optional: true,
	ops:      []string{"Erf", "Tanh"},
	node: func(j *job, n *rewrite.Node) string {
		if n.Graph().Opset("") < modern || n.Out(0) == nil {
			return ""
		}
		switch {
		case n.Is("Erf"):
			return fuseGelu(j, n, geluErf, "none", "Gelu")
		case n.Is("Tanh"):
			return fuseGelu(j, n, geluTanh, "tanh", "FastGelu")
		}
		return ""
	},
}

// half is x/2·(1+t).
var half = polynomial{{1, 0}: 0.5, {1, 1}: 0.5}

var (
	geluErf = activation{inner: polynomial{{1, 0}: math.Sqrt2 / 2}, outer: half, scaled: true}
	// The approximation by Hendrycks and Gimpel: tanh(√(2/π)·(x + 0.044715·x³)).
	geluTanh = activation{inner: polynomial{{1, 0}: rootTwoByPi, {3, 0}: rootTwoByPi * 0.044715}, outer: half, scaled: true}
)

var rootTwoByPi = math.Sqrt(2 / math.Pi)

func fuseGelu(j *job, curve *rewrite.Node, a activation, approximate, older string) string {
	f := a.find(j, curve, curve.In(0))
	if f == nil {
		return ""
	}
	standard, runtime := offer{"", "Gelu"}, offer{microsoft, older}
	elem := f.x.Type().Elem
	o, ok := pick(curve.Graph(), elem, standard, runtime)
	if !ok {
		j.refuse(f.root, notOffered(curve.Graph(), elem, runtime))
		return ""
	}
	var attributes []*graphops.Attribute
	if o == standard {
		attributes = append(attributes, graphops.TextAttribute("approximate", approximate))
	}
	return f.settle(j, o, []*rewrite.Value{f.x}, attributes...)
}

// settle replaces the cluster by the operator, and returns the text for the report.
func (c *cluster) settle(j *job, o offer, in []*rewrite.Value, attributes ...*graphops.Attribute) string {
	count := len(c.inner) + 1
	root := c.root
	if c.become(o.op, o.domain, in, attributes...) == nil {
		j.refuse(root, "its result is an output of the graph that cannot be replaced")
		return ""
	}
	return o.told(count)
}
