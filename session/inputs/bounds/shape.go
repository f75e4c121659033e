package bounds

import (
	"lathe/graphops"
)

// sameShape are operators whose first output has the shape of their first input.
var sameShape = map[string]bool{
	"Identity": true, "Cast": true, "CastLike": true, "DequantizeLinear": true, "QuantizeLinear": true,
	"Relu": true, "Sigmoid": true, "Tanh": true, "Softmax": true, "Dropout": true, "LayerNormalization": true, "Neg": true,
}

// shape is what is known of the shape of a value as it will be: declared, of an
// input as it is fed, or followed back a little way. Nil where not even the rank is.
func (t *tracer) shape(f *frame, name string, depth int) graphops.Shape {
	at, v, ok := f.origin(name)
	if !ok || depth > maxDepth {
		return nil
	}
	x := at.graph.Index()
	if fed, isFed := t.fed[x.Name(v)]; isFed && at == t.root && x.IsInput(v) {
		return graphops.FixedShape(fed)
	}
	declared := t.sized(x.Type(v).Shape)
	if declared != nil && isFixed(declared) {
		return declared
	}
	if derived := t.derived(at, v, depth); derived != nil {
		return derived
	}
	return declared
}

// derived is the shape of a value as its producer tells it.
func (t *tracer) derived(f *frame, v graphops.ValueID, depth int) graphops.Shape {
	n := f.producer(v)
	if n == nil || n.Domain() != graphops.DefaultDomain {
		return nil
	}
	if n.OpType() == "Constant" {
		for _, a := range n.Attributes() {
			if c, err := a.Dense(""); err == nil {
				return graphops.FixedShape(c.Dims())
			}
		}
	}
	if len(n.Inputs()) == 0 || len(n.Outputs()) == 0 || n.Outputs()[0] != f.graph.Index().Name(v) {
		return nil
	}
	if sameShape[n.OpType()] {
		return t.shape(f, n.Inputs()[0], depth+1)
	}
	if n.OpType() == "Transpose" {
		return transposed(t.shape(f, n.Inputs()[0], depth+1), n)
	}
	return nil
}

func transposed(s graphops.Shape, n *graphops.Node) graphops.Shape {
	if s == nil {
		return nil
	}
	out := make(graphops.Shape, len(s))
	a, given := n.Attribute("perm")
	for i := range s {
		from := int64(len(s) - 1 - i)
		if given {
			if perm := a.Ints(); i < len(perm) {
				from = perm[i]
			}
		}
		if from < 0 || from >= int64(len(s)) {
			return nil
		}
		out[i] = s[from]
	}
	return out
}

// sized is a shape with the symbols replaced whose sizes the inputs tell.
func (t *tracer) sized(s graphops.Shape) graphops.Shape {
	if s == nil {
		return nil
	}
	out := make(graphops.Shape, len(s))
	for i, d := range s {
		if n, ok := t.symbols[d.Symbol]; ok && d.Symbol != "" {
			d = graphops.FixedDim(n)
		}
		out[i] = d
	}
	return out
}

func isFixed(s graphops.Shape) bool {
	for _, d := range s {
		if !d.IsFixed() {
			return false
		}
	}
	return true
}

// dim is the size of one axis, counted from the end where it is negative.
func (t *tracer) dim(f *frame, name string, axis int64) (int64, bool) {
	s := t.shape(f, name, 0)
	if axis < 0 {
		axis += int64(len(s))
	}
	if axis < 0 || axis >= int64(len(s)) || !s[axis].IsFixed() {
		return 0, false
	}
	return s[axis].Value, true
}

// symbolsOf are the sizes of symbols that the inputs fix.
func symbolsOf(g *graphops.Graph, fed Inputs) map[string]int64 {
	out := map[string]int64{}
	for _, in := range graphops.NamedTypes(g.Inputs()) {
		sizes := fed[in.Name]
		for axis, d := range in.Type.Shape {
			if d.Symbol != "" && axis < len(sizes) {
				out[d.Symbol] = sizes[axis]
			}
		}
	}
	return out
}
