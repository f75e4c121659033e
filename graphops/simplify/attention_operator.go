package simplify

import (
	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
)

// multiHead creates ONNX Runtime's operator.
func (e *fusion) multiHead(bias *rewrite.Value) *rewrite.Node {
	at, d := e.product, e.v.dims
	heads, _ := d[1].Number()
	in := []*rewrite.Value{e.q.asFlat(at), e.k.flat, e.v.flat}
	if !e.parts() {
		in[1], in[2] = e.k.asHeaded(at), e.v.asHeaded(at)
	}
	in, types := e.caches(append(in, nil, nil, bias), tensorType(e.v.headed, d[0], e.q.dims[2], d[1].Mul(d[3])))
	return e.insert(microsoft, "MultiHeadAttention", in, types,
		graphops.IntAttribute("num_heads", heads), graphops.FloatAttribute("scale", float32(e.scale)))
}

// standard creates the standard operator.
func (e *fusion) standard(bias *rewrite.Value) *rewrite.Node {
	at, d := e.product, e.v.dims
	in := []*rewrite.Value{e.q.flat, e.k.flat, e.v.flat}
	out := tensorType(e.v.headed, d[0], e.q.dims[2], e.q.dims[1].Mul(d[3]))
	heads, _ := e.q.dims[1].Number()
	groups, _ := d[1].Number()
	list := []*graphops.Attribute{graphops.FloatAttribute("scale", float32(e.scale))}
	if e.flat() {
		list = append(list, graphops.IntAttribute("q_num_heads", heads), graphops.IntAttribute("kv_num_heads", groups))
	} else {
		in = []*rewrite.Value{e.q.asHeaded(at), e.k.asHeaded(at), e.v.asHeaded(at)}
		out = tensorType(e.v.headed, d[0], e.q.dims[1], e.q.dims[2], d[3])
	}
	in, types := e.caches(append(in, bias), out)
	return e.insert("", "Attention", in, types, list...)
}

// caches adds caches to an operator's inputs, and the joined caches to its outputs. ONNX Runtime
// requires these outputs to join them.
func (e *fusion) caches(in []*rewrite.Value, out shape.Type) ([]*rewrite.Value, []shape.Type) {
	types := []shape.Type{out}
	for _, c := range e.cached {
		if c.whole != nil {
			in, types = append(in, c.past), append(types, c.whole.Type())
		}
	}
	for len(in) > 0 && in[len(in)-1] == nil {
		in = in[:len(in)-1]
	}
	return in, types
}

func (e *fusion) insert(domain, op string, in []*rewrite.Value, types []shape.Type, list ...*graphops.Attribute) *rewrite.Node {
	stands := append([]*rewrite.Node{e.product, e.softmax}, e.between...)
	return e.product.Graph().Insert(e.product, rewrite.Spec{Op: op, Domain: domain, Inputs: in, Attributes: list, Types: types, For: stands})
}
