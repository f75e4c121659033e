package proof

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// Mixer is a node that computes an item along an axis from other items, as attention does along a
// sequence, or from its position. Along such an axis, an item's result differs from the result for
// that item alone.
type Mixer struct {
	Name  string // name of the node in messages
	Place *graphops.Place
	Node  int
}

// Mixes finds the nodes that are known to mix items along an axis of a model.
func Mixes(ctx context.Context, m *graphops.Model, symbol string) ([]Mixer, error) {
	var found []Mixer
	r, err := shape.Infer(ctx, m, shape.Options{Fresh: true, Visit: func(v shape.Visit) {
		if mixes(v, symbol) {
			found = append(found, Mixer{shape.NodeName(v.Index, v.Node), v.Place, v.Index})
		}
	}})
	if err != nil {
		return nil, err
	}
	return append(found, loops(m, r, symbol)...), nil
}

// loops returns the Loop nodes whose body uses an outer value with the axis. Such a loop may
// process item after item.
func loops(m *graphops.Model, r *shape.Result, symbol string) []Mixer {
	var found []Mixer
	for _, p := range m.Places() {
		if p.Kind != graphops.BodyGraph || !p.Parent.Graph.Nodes()[p.Node].Is("Loop") {
			continue
		}
		for _, c := range p.Captures() {
			if c.From != nil && mentioned(r.Value(c.From, c.Outer).Dims, symbol) {
				found = append(found, Mixer{shape.NodeName(p.Node, p.Parent.Graph.Nodes()[p.Node]), p.Parent, p.Node})
				break
			}
		}
	}
	return found
}

// firstBefore returns the first mixer on which an output of the main graph may depend, or nil. A
// mixer in a function counts always, since the function may be called from anywhere.
func firstBefore(m *graphops.Model, mixers []Mixer, output string) *Mixer {
	x := m.Graph().Index()
	id, ok := x.Value(output)
	if !ok {
		return nil
	}
	before := x.Ancestors(graphops.ValuePoint(id))
	for i, f := range mixers {
		if node, ok := f.Top(); !ok || before.Nodes[node] {
			return &mixers[i]
		}
	}
	return nil
}

// Top returns the node of the main graph that a mixer is, or whose body contains it.
func (f Mixer) Top() (node int, ok bool) {
	node = f.Node
	p := f.Place
	for ; p.Kind == graphops.BodyGraph; p = p.Parent {
		node = p.Node
	}
	return node, p.Kind == graphops.MainGraph
}

// mentioned reports whether one of the sizes contains a symbol.
func mentioned(list []dim.Dim, symbol string) bool {
	return slices.ContainsFunc(list, func(d dim.Dim) bool {
		found := false
		d.Symbols(func(s string) { found = found || s == symbol })
		return found
	})
}

// mixed maps an operator to a function that returns the axes of its inputs across which it
// computes. Operators of other domains than ONNX's default have the domain as a prefix.
var mixed = map[string]func(v shape.Visit) []dim.Dim{
	"MatMul": contracted, "MatMulInteger": contracted, "QLinearMatMul": ofQLinearMatMul, "Gemm": ofGemm, "Einsum": summed,
	"Conv": spatial, "ConvTranspose": spatial, "ConvInteger": spatial, "QLinearConv": spatial, "DeformConv": spatial,
	"MaxPool": spatial, "AveragePool": spatial, "LpPool": spatial, "GlobalMaxPool": spatial, "GlobalAveragePool": spatial, "GlobalLpPool": spatial,
	"Resize": spatial, "InstanceNormalization": spatial, "GroupNormalization": fromAxis(1), "LRN": second, "BatchNormalization": ofBatch,
	"MeanVarianceNormalization": ofMeanVariance, "LpNormalization": alongAxis(-1), "LayerNormalization": fromAxis(-1), "RMSNormalization": fromAxis(-1),
	"Softmax": alongAxis(-1), "LogSoftmax": alongAxis(-1), "Hardmax": alongAxis(-1), "CumSum": alongInput(1), "TopK": alongAxis(-1),
	"ArgMax": alongAxis(0), "ArgMin": alongAxis(0),
	"LSTM": first, "GRU": first, "RNN": first, "Scan": firstOfAll,
	"ReduceSum": reduced, "ReduceMean": reduced, "ReduceMax": reduced, "ReduceMin": reduced, "ReduceProd": reduced,
	"ReduceL1": reduced, "ReduceL2": reduced, "ReduceLogSum": reduced, "ReduceLogSumExp": reduced, "ReduceSumSquare": reduced,
	"DynamicQuantizeLinear": everywhere, "NonZero": everywhere, "Unique": everywhere, "Attention": ofAttention,
	"Range": made, "EyeLike": made, "Trilu": ofMatrices,

	"com.microsoft.Attention": second, "com.microsoft.MultiHeadAttention": second, "com.microsoft.GroupQueryAttention": second,
	"com.microsoft.QAttention": second, "com.microsoft.EmbedLayerNormalization": second, "com.microsoft.RotaryEmbedding": second,
	"com.microsoft.FusedMatMul": contracted, "com.microsoft.DynamicQuantizeMatMul": everywhere,
}

// mixes reports whether a node computes across an axis whose size contains the symbol.
func mixes(v shape.Visit, symbol string) bool {
	op := v.Node.OpType()
	if domain := v.Node.Domain(); domain != "" {
		op = domain + "." + op
	}
	across, ok := mixed[op]
	if !ok || len(v.In) == 0 || v.In[0] == nil {
		return false
	}
	return mentioned(across(v), symbol)
}
