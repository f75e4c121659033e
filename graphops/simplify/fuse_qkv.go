package simplify

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

var fuseQKV = &pass{
	name:  "fuse-qkv",
	title: "the projections to queries, keys and values become part of ONNX Runtime's Attention",
	reason: "the operator multiplies by the same weights, joined into one matrix, and adds the same biases, so only rounding differs; " +
		"its attention is the same as that of MultiHeadAttention",
	after:    []string{"fuse-attention"},
	needs:    "fuse-attention",
	ops:      []string{"MultiHeadAttention"},
	node:     fuseProjections,
	optional: true,
}

// projection is the product of a value and a constant weight, with an optional bias. If several
// projections share one product, each has some of its columns.
type projection struct {
	x            *rewrite.Value
	weight, bias *rewrite.Value
	// the product that this projection has the columns from, to of; nil if it has all columns
	packed   *rewrite.Value
	from, to int64
}

func fuseProjections(j *job, n *rewrite.Node) string {
	if !n.IsOf(microsoft, "MultiHeadAttention") || !projects(n) || n.Graph().Offers(microsoft, "Attention", 1) == nil {
		return ""
	}
	var list [3]projection
	for i := range list {
		p, why := projectionOf(n.In(i))
		if why != "" {
			j.refuse(n, why)
		}
		if p == nil {
			return ""
		}
		list[i] = *p
	}
	if list[0].x != list[1].x || list[0].x != list[2].x {
		j.refuse(n, "queries, keys and values are projected from different values")
		return ""
	}
	weight, bias, why := merged(j, n, list)
	if why != "" {
		j.refuse(n, why)
		return ""
	}
	return attend(n, list, weight, bias)
}

// projects reports whether a node has no inputs that the operator does not support.
func projects(n *rewrite.Node) bool {
	for i := range 3 {
		if n.In(i) == nil || n.In(i).Type().Elem != tensor.F32 {
			return false
		}
	}
	for i, v := range n.Inputs() {
		if i >= 3 && i != 5 && v != nil {
			return false
		}
	}
	for i, v := range n.Outputs() {
		if (v != nil) != (i == 0) {
			return false
		}
	}
	return true
}

// projectionOf returns the projection of which a value is the result, or some columns of the
// result.
func projectionOf(v *rewrite.Value) (p *projection, why string) {
	const shared = "queries, keys or values are also read elsewhere"
	if v.Reader() == nil {
		return nil, shared
	}
	n := v.Producer()
	if !n.Is("Split") {
		return projected(v)
	}
	whole, from, to := splitPart(n, v)
	if whole == nil {
		return nil, ""
	}
	if whole.Reader() == nil {
		return nil, shared
	}
	if p, why = projected(whole); p != nil {
		p.packed, p.from, p.to = whole, from, to
	}
	return p, why
}

// projected finds the product with a constant, and the sum with another one, that produce a
// value. A Gemm is between two Reshapes.
func projected(v *rewrite.Value) (*projection, string) {
	n := v.Producer()
	p := &projection{}
	if n.Is("Reshape") {
		return gemmProjection(n)
	}
	if n.Is("Add") {
		product := n.In(0)
		p.bias = n.In(1)
		if p.bias.Constant() == nil {
			product, p.bias = n.In(1), n.In(0)
		}
		if d := p.bias.Type().Dims; p.bias.Constant() == nil || len(d) != 1 || product == nil || product.Reader() == nil {
			return nil, "a projection adds something that is not a constant with one axis"
		}
		n = product.Producer()
	}
	if !n.Is("MatMul") {
		return nil, ""
	}
	p.x, p.weight = n.In(0), n.In(1)
	return p.checked()
}

// gemmProjection returns the projection that a Gemm computes between two Reshapes. The first one
// merges batch and sequence, and n restores them.
func gemmProjection(n *rewrite.Node) (*projection, string) {
	gemm := n.In(0).Producer()
	if !gemm.Is("Gemm") || n.In(0).Reader() == nil {
		return nil, ""
	}
	rows := gemm.In(0).Producer()
	if gemm.Int("transA", 0) != 0 || gemm.Int("transB", 0) != 0 || gemm.Float("alpha", 1) != 1 || gemm.Float("beta", 1) != 1 {
		return nil, "a Gemm transposes or scales"
	}
	if !rows.Is("Reshape") || gemm.In(0).Reader() == nil {
		return nil, ""
	}
	p := &projection{x: rows.In(0), weight: gemm.In(1), bias: gemm.In(2)}
	from, to := p.x.Type().Dims, n.Out(0).Type().Dims
	flat := gemm.In(0).Type().Dims
	if len(from) != 3 || len(to) != 3 || len(flat) != 2 || !equalDims(from[:2], to[:2]) || !from[2].Equal(flat[1]) {
		return nil, "it is not certain that a Gemm covers the whole sequence"
	}
	return p.checked()
}

// checked returns the projection if its input has three axes and its weight is a constant matrix,
// or the reason why not.
func (p *projection) checked() (*projection, string) {
	w := p.weight.Constant()
	if w == nil || len(w.Dims()) != 2 || w.DType() != tensor.F32 {
		return nil, "a weight is not a constant matrix of f32"
	}
	if len(p.x.Type().Dims) != 3 {
		return nil, "it is not certain that the projected value has three axes"
	}
	if p.bias != nil && (p.bias.Constant() == nil || p.bias.Constant().DType() != tensor.F32 || !slices.Equal(p.bias.Constant().Dims(), w.Dims()[1:])) {
		return nil, "a bias is not a constant with one number for each column"
	}
	return p, ""
}

// columns returns the number of columns that a projection uses of its matrix.
func (p *projection) columns() int64 {
	if p.packed != nil {
		return p.to - p.from
	}
	return p.weight.Constant().Dims()[1]
}

// merged returns one weight and one bias for three projections.
func merged(j *job, n *rewrite.Node, list [3]projection) (weight, bias *rewrite.Value, why string) {
	if list[0].packed != nil {
		return packed(j, n, list)
	}
	if list[1].packed != nil || list[2].packed != nil {
		return nil, nil, "only some of queries, keys and values are parts of one projection"
	}
	freed, columns := int64(0), int64(0)
	var weights, biases []*graphops.Tensor
	for _, p := range list {
		weights = append(weights, p.weight.Constant())
		columns += p.columns()
		freed += freedBytes(p.weight)
		if p.bias != nil {
			biases = append(biases, p.bias.Constant())
			freed += freedBytes(p.bias)
			continue
		}
		biases = append(biases, zerosTensor(p.columns()))
	}
	w, err := besides(list[0].weight.Name()+"_qkv", weights)
	if err != nil {
		return nil, nil, "a weight cannot be read: " + err.Error()
	}
	b, err := besides(n.Name()+"_qkv_bias", biases)
	if err != nil {
		return nil, nil, "a bias cannot be read: " + err.Error()
	}
	size, err := w.ByteLen()
	if err != nil || !j.grow(size+4*columns-freed) {
		return nil, nil, "the weights are also read elsewhere and would be stored twice"
	}
	g := n.Graph()
	return g.NewStored(w), g.NewStored(b), ""
}

// packed returns the weight and the bias if queries, keys and values are already the columns of one
// projection.
func packed(j *job, n *rewrite.Node, list [3]projection) (weight, bias *rewrite.Value, why string) {
	at := int64(0)
	for _, p := range list {
		if p.packed != list[0].packed || p.from != at {
			return nil, nil, "queries, keys and values are not the columns of one projection in this order"
		}
		at = p.to
	}
	p := list[0]
	if columns := p.weight.Constant().Dims()[1]; columns != at {
		return nil, nil, "a projection has columns besides queries, keys and values"
	}
	if p.bias != nil {
		return p.weight, p.bias, ""
	}
	if !j.grow(4 * at) {
		return nil, nil, "a bias of zeros would be larger than constants may grow"
	}
	return p.weight, n.Graph().NewStored(zerosTensor(at).WithName(n.Name() + "_qkv_bias")), ""
}

// freedBytes returns the size of a constant if its only reader is removed.
func freedBytes(v *rewrite.Value) int64 {
	size, err := v.Constant().ByteLen()
	if v.Uses() != 1 || err != nil {
		return 0
	}
	return size
}

// attend creates the operator. It has a bias of zeros if there was none, because without a bias
// ONNX Runtime 1.30 crashes on the CPU.
func attend(n *rewrite.Node, list [3]projection, weight, bias *rewrite.Value) string {
	g := n.Graph()
	in := []*rewrite.Value{list[0].x, weight, bias}
	if scores := n.In(5); scores != nil {
		in = append(in, nil, nil, scores)
	}
	attributes := slices.Clone(n.Attributes())
	q, k, v := list[0].columns(), list[1].columns(), list[2].columns()
	if q != k || k != v {
		attributes = append(attributes, graphops.IntsAttribute("qkv_hidden_sizes", []int64{q, k, v}))
	}
	d := list[0].x.Type().Dims
	t := tensorType(n.In(0), d[0], d[1], dim.Number(v))
	from := []*rewrite.Node{n}
	for i := range list {
		from = append(from, n.In(i).Producer())
	}
	made := g.Insert(n, rewrite.Spec{Op: "Attention", Domain: microsoft, Inputs: in, Attributes: attributes, Types: []shape.Type{t}, For: from})
	n.Out(0).ReplaceWith(made.Out(0))
	prune(n)
	return "Attention with its projections"
}
