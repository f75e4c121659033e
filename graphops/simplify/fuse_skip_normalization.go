package simplify

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
)

var skipNormalization = &pass{
	name: "skip-normalization",
	title: "a sum and the normalization after it become ONNX Runtime's SkipLayerNormalization or " +
		"SkipSimplifiedLayerNormalization",
	reason:   "the operators compute the same sum and the same normalization, so only rounding differs, and they also return the sum if other nodes read it",
	after:    []string{"layer-normalization", "rms-normalization", "embed-normalization"},
	optional: true,
	ops:      []string{"LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization"},
	node: func(j *job, n *rewrite.Node) string {
		switch {
		case n.Is("LayerNormalization"):
			return fuseSkip(j, n, offer{microsoft, "SkipLayerNormalization"})
		case n.Is("RMSNormalization", "SimplifiedLayerNormalization"):
			return fuseSkip(j, n, offer{microsoft, "SkipSimplifiedLayerNormalization"})
		}
		return ""
	},
}

// sumOutput is the index of the sum among the operators' outputs.
const sumOutput = 3

func fuseSkip(j *job, n *rewrite.Node, o offer) string {
	r := residualAt(j, n)
	if r == nil {
		return ""
	}
	input, skip, why := r.summands()
	elem := r.add.Out(0).Type().Elem
	if _, ok := pick(n.Graph(), elem, o); !ok {
		why = notOffered(n.Graph(), elem, o)
	}
	if why != "" {
		j.refuse(n, why)
		return ""
	}
	in := []*rewrite.Value{input, skip, r.scale}
	if r.bias != nil {
		in = append(in, r.bias)
	}
	t := r.add.Out(0).Type()
	node := n.Graph().Insert(r.add, rewrite.Spec{
		Op: o.op, Domain: o.domain, Inputs: in, Types: []shape.Type{t, {}, {}, t}, For: []*rewrite.Node{n, r.add},
		Attributes: []*graphops.Attribute{graphops.FloatAttribute("epsilon", r.epsilon)},
	})
	if !r.replace(node, sumOutput) {
		j.refuse(n, "its result is an output of the graph that cannot be replaced")
		return ""
	}
	r.add.Remove()
	return o.told(2)
}

// summands returns the input, which has the shape of the sum, and what is added to it, which has
// the same shape or is the same for every item of the batch.
func (r *residual) summands() (input, skip *rewrite.Value, why string) {
	whole := r.add.Out(0).Type()
	for i := range 2 {
		a, b := r.add.In(i), r.add.In(1-i)
		if a.Constant() == nil && sameSizes(a.Type(), whole) && (sameSizes(b.Type(), whole) || r.forEach(b.Type())) {
			return a, b, ""
		}
	}
	if r.add.In(0).Constant() != nil || r.add.In(1).Constant() != nil {
		return nil, nil, "the added constant does not have separate numbers for each position of the sequence"
	}
	return nil, nil, fmt.Sprintf("the added values have the shapes %s and %s, which are not known to be equal",
		r.add.In(0).Type(), r.add.In(1).Type())
}

// forEach reports whether a value is the same for every item of a batch.
func (r *residual) forEach(t shape.Type) bool {
	whole := r.add.Out(0).Type().Dims
	dims := t.Dims
	if len(whole) != 3 {
		return false
	}
	if len(dims) == 3 && dims[0].Is(1) {
		dims = dims[1:]
	}
	return len(dims) == 2 && dims[0].Equal(whole[1]) && dims[1].Equal(whole[2])
}

// sameSizes reports whether two shapes are always equal.
func sameSizes(a, b shape.Type) bool {
	if a.Dims == nil || len(a.Dims) != len(b.Dims) {
		return false
	}
	for i, d := range a.Dims {
		if !d.Equal(b.Dims[i]) {
			return false
		}
	}
	return true
}

var skipBias = &pass{
	name:     "skip-bias",
	title:    "a bias added before SkipLayerNormalization becomes its input",
	reason:   "the operators add it to the same sum, up to rounding",
	after:    []string{"skip-normalization"},
	needs:    "skip-normalization",
	optional: true,
	ops:      []string{"SkipLayerNormalization", "SkipSimplifiedLayerNormalization"},
	node: func(j *job, n *rewrite.Node) string {
		at := 4
		if n.Op() == "SkipSimplifiedLayerNormalization" {
			at = 3
		}
		if !n.IsOf(microsoft, n.Op()) || n.In(at) != nil {
			return ""
		}
		for i := range 2 {
			if add, x, bias := biasBefore(n, n.In(i)); add != nil && sameSizes(x.Type(), n.In(i).Type()) {
				n.SetInput(at, bias)
				n.SetInput(i, x)
				n.Stands(add)
				add.Remove()
				return "the bias became its input"
			}
		}
		return ""
	},
}

// biasBefore returns the Add that produces a value only for this node, from x and a constant
// with one number for each element of the last axis.
func biasBefore(n *rewrite.Node, v *rewrite.Value) (add *rewrite.Node, x, bias *rewrite.Value) {
	add = made(v, "Add")
	if add == nil || add.Graph() != n.Graph() || v.Reader() != n || n.Graph().Opset("") < modern {
		return nil, nil, nil
	}
	for i := range 2 {
		x, bias = add.In(i), add.In(1-i)
		if dims := x.Type().Dims; bias.Constant() != nil && len(dims) > 1 && isVector(bias, dims[len(dims)-1]) {
			return add, x, bias
		}
	}
	return nil, nil, nil
}
