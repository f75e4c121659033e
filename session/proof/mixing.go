package proof

import (
	"context"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// Mixer is a node that computes an item along an axis from others, as attention does
// along a sequence, or from where it stands. Items of such an axis are not what they
// are alone.
type Mixer struct {
	Name  string // as a message has it
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

// loops are the Loops whose body takes a value with the axis from around it: they may
// take item after item.
func loops(m *graphops.Model, r *shape.Result, symbol string) []Mixer {
	var found []Mixer
	for _, p := range m.Places() {
		if p.Kind != graphops.BodyGraph || p.Parent.Graph.Nodes()[p.Node].OpType() != "Loop" {
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

// firstBefore is the mixer that the values of an output of the main graph may come from, or
// nil. One in a function may be called from anywhere.
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

// Top is the node of the main graph that a mixer is or stands in.
func (f Mixer) Top() (node int, ok bool) {
	node = f.Node
	p := f.Place
	for ; p.Kind == graphops.BodyGraph; p = p.Parent {
		node = p.Node
	}
	return node, p.Kind == graphops.MainGraph
}

// mentioned reports whether one of the sizes has a symbol in it.
func mentioned(list []dim.Dim, symbol string) bool {
	return slices.ContainsFunc(list, func(d dim.Dim) bool {
		found := false
		d.Symbols(func(s string) { found = found || s == symbol })
		return found
	})
}

// mixed tells which axes of its inputs an operator computes across. Those of other
// domains than ONNX's own have the domain in front.
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

// mixes reports whether a node computes across an axis of a size.
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

func dims(v shape.Visit, input int) []dim.Dim {
	if input >= len(v.In) || v.In[input] == nil {
		return nil
	}
	return v.In[input].Dims
}

func everywhere(v shape.Visit) []dim.Dim { return dims(v, 0) }

func first(v shape.Visit) []dim.Dim { return at(dims(v, 0), 0) }

func firstOfAll(v shape.Visit) []dim.Dim {
	var out []dim.Dim
	for i := range v.In {
		out = append(out, at(dims(v, i), 0)...)
	}
	return out
}

func second(v shape.Visit) []dim.Dim { return at(dims(v, 0), 1) }

// made are the axes of what a node numbers or marks by position.
func made(v shape.Visit) []dim.Dim { return v.Out[0].Dims }

func ofMatrices(v shape.Visit) []dim.Dim {
	return slices.Concat(at(dims(v, 0), -1), at(dims(v, 0), -2))
}

// ofAttention are the sequences of queries, keys and values.
func ofAttention(v shape.Visit) []dim.Dim {
	return slices.Concat(at(dims(v, 0), -2), at(dims(v, 1), -2), at(dims(v, 2), -2))
}

// ofBatch are the axes that statistics are taken over, in training alone.
func ofBatch(v shape.Visit) []dim.Dim {
	if number(v, "training_mode", 0) == 0 {
		return nil
	}
	return slices.Concat(first(v), spatial(v))
}

func ofMeanVariance(v shape.Visit) []dim.Dim {
	a, ok := v.Attribute("axes")
	if !ok {
		return slices.Concat(first(v), spatial(v))
	}
	var out []dim.Dim
	for _, axis := range a.Ints() {
		out = append(out, at(dims(v, 0), axis)...)
	}
	return out
}

// summed are the axes whose letters the result of an Einsum lacks, all where the
// equation is not of the plain kind.
func summed(v shape.Visit) []dim.Dim {
	a, _ := v.Attribute("equation")
	if a == nil {
		return nil
	}
	from, to, plain := strings.Cut(strings.ReplaceAll(a.Text(), " ", ""), "->")
	var out []dim.Dim
	for i, term := range strings.Split(from, ",") {
		d := dims(v, i)
		if !plain || len(term) != len(d) || strings.Contains(term, ".") {
			out = append(out, d...)
			continue
		}
		for axis, letter := range term {
			if !strings.ContainsRune(to, letter) || strings.Count(term, string(letter)) > 1 {
				out = append(out, d[axis])
			}
		}
	}
	return out
}

func spatial(v shape.Visit) []dim.Dim {
	if d := dims(v, 0); len(d) > 2 {
		return d[2:]
	}
	return nil
}

// at is an axis, counted from the end where negative.
func at(d []dim.Dim, axis int64) []dim.Dim {
	if axis < 0 {
		axis += int64(len(d))
	}
	if axis < 0 || axis >= int64(len(d)) {
		return nil
	}
	return d[axis : axis+1]
}

func contracted(v shape.Visit) []dim.Dim {
	return slices.Concat(at(dims(v, 0), -1), at(dims(v, 1), -2))
}

func ofGemm(v shape.Visit) []dim.Dim {
	return slices.Concat(at(dims(v, 0), 1-number(v, "transA", 0)), at(dims(v, 1), number(v, "transB", 0)))
}

func ofQLinearMatMul(v shape.Visit) []dim.Dim {
	return slices.Concat(at(dims(v, 0), -1), at(dims(v, 3), -2))
}

func number(v shape.Visit, name string, otherwise int64) int64 {
	if a, ok := v.Attribute(name); ok {
		return a.Int()
	}
	return otherwise
}

func alongAxis(otherwise int64) func(shape.Visit) []dim.Dim {
	return func(v shape.Visit) []dim.Dim { return at(dims(v, 0), number(v, "axis", otherwise)) }
}

// fromAxis is an axis and all behind it.
func fromAxis(otherwise int64) func(shape.Visit) []dim.Dim {
	return func(v shape.Visit) []dim.Dim {
		d := dims(v, 0)
		axis := number(v, "axis", otherwise)
		if axis < 0 {
			axis += int64(len(d))
		}
		if axis < 0 || axis > int64(len(d)) {
			return nil
		}
		return d[axis:]
	}
}

// alongInput are the axes that an input names, all where that is not known.
func alongInput(input int) func(shape.Visit) []dim.Dim {
	return func(v shape.Visit) []dim.Dim { return named(v, input) }
}

func named(v shape.Visit, input int) []dim.Dim {
	if input >= len(v.In) || v.In[input] == nil {
		return nil
	}
	axes := v.In[input].Sizes()
	if axes == nil {
		return everywhere(v)
	}
	var out []dim.Dim
	for _, axis := range axes {
		if n, ok := axis.Number(); ok {
			out = append(out, at(dims(v, 0), n)...)
		}
	}
	return out
}

// reduced are the axes of a reduction: an attribute, an input, or all.
func reduced(v shape.Visit) []dim.Dim {
	if a, ok := v.Attribute("axes"); ok {
		var out []dim.Dim
		for _, axis := range a.Ints() {
			out = append(out, at(dims(v, 0), axis)...)
		}
		return out
	}
	if len(v.In) > 1 && v.In[1] != nil {
		return named(v, 1)
	}
	if strings.HasPrefix(v.Node.OpType(), "Reduce") && number(v, "noop_with_empty_axes", 0) != 0 {
		return nil
	}
	return everywhere(v)
}
