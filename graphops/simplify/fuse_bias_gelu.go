package simplify

import "lathe/graphops/rewrite"

var biasGelu = &pass{
	name:     "bias-gelu",
	title:    "a bias that is added before Gelu is merged with it into ONNX Runtime's BiasGelu, or FastGelu for the approximation",
	reason:   "the operators add the bias and compute the same formula, up to rounding",
	after:    []string{"gelu"},
	needs:    "gelu",
	optional: true,
	ops:      []string{"Gelu", "FastGelu"},
	node: func(j *job, n *rewrite.Node) string {
		o := offer{microsoft, "BiasGelu"}
		switch {
		case n.Is("Gelu") && n.Text("approximate", "none") == "tanh", n.IsOf(microsoft, "FastGelu"):
			o.op = "FastGelu"
		case !n.Is("Gelu") && !n.IsOf(microsoft, "Gelu"):
			return ""
		}
		if n.In(1) != nil || n.Out(0) == nil {
			return ""
		}
		add, x, bias := biasBefore(n, n.In(0))
		if add == nil {
			return ""
		}
		elem := x.Type().Elem
		if _, ok := pick(n.Graph(), elem, o); !ok || !isFloat(x) {
			j.refuse(n, notOffered(n.Graph(), elem, o))
			return ""
		}
		c := &cluster{root: n}
		c.add(add)
		return c.settle(j, o, []*rewrite.Value{x, bias})
	},
}
