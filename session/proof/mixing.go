package proof

import (
	"context"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// Mixes names a node that computes an item along an axis from others, as attention
// does along a sequence, or "" where none is known to. Items of such an axis are not
// what they are alone.
func Mixes(ctx context.Context, m *graphops.Model, symbol string) (string, error) {
	found := ""
	r, err := shape.Infer(ctx, m, shape.Options{Fresh: true, Visit: func(v shape.Visit) {
		if found == "" && mixes(v, symbol) {
			found = shape.NodeName(v.Index, v.Node)
		}
	}})
	if err != nil || found != "" {
		return found, err
	}
	return loops(m, r, symbol), nil
}

// loops names a Loop whose body takes a value with the axis from around it: it may
// take item after item.
func loops(m *graphops.Model, r *shape.Result, symbol string) string {
	for _, p := range m.Places() {
		if p.Kind != graphops.BodyGraph || p.Parent.Graph.Nodes()[p.Node].OpType() != "Loop" {
			continue
		}
		for _, c := range p.Captures() {
			if c.From != nil && mentioned(r.Value(c.From, c.Outer).Dims, symbol) {
				return shape.NodeName(p.Node, p.Parent.Graph.Nodes()[p.Node])
			}
		}
	}
	return ""
}

// mentioned reports whether one of the sizes has a symbol in it.
func mentioned(list []dim.Dim, symbol string) bool {
	return slices.ContainsFunc(list, func(d dim.Dim) bool {
		found := false
		d.Symbols(func(s string) { found = found || s == symbol })
		return found
	})
}

// mixed tells which axes of its inputs an operator computes across.
var mixed = map[string]func(v shape.Visit) []dim.Dim{
	"MatMul": contracted, "MatMulInteger": contracted, "Gemm": ofGemm,
	"Conv": spatial, "ConvTranspose": spatial, "ConvInteger": spatial, "MaxPool": spatial, "AveragePool": spatial, "LpPool": spatial,
	"GlobalMaxPool": spatial, "GlobalAveragePool": spatial, "InstanceNormalization": spatial, "Resize": spatial,
	"Softmax": alongAxis(-1), "LogSoftmax": alongAxis(-1), "Hardmax": alongAxis(-1), "CumSum": alongInput(1), "TopK": alongAxis(-1),
	"ArgMax": alongAxis(0), "ArgMin": alongAxis(0), "LayerNormalization": fromAxis(-1),
	"LSTM": first, "GRU": first, "RNN": first, "Scan": firstOfAll,
	"ReduceSum": reduced, "ReduceMean": reduced, "ReduceMax": reduced, "ReduceMin": reduced, "ReduceProd": reduced,
	"ReduceL1": reduced, "ReduceL2": reduced, "ReduceLogSum": reduced, "ReduceLogSumExp": reduced, "ReduceSumSquare": reduced,
	"DynamicQuantizeLinear": everywhere, "NonZero": everywhere, "Unique": everywhere,
	"Attention": second, "MultiHeadAttention": second, "GroupQueryAttention": second,
}

// mixes reports whether a node computes across an axis of a size.
func mixes(v shape.Visit, symbol string) bool {
	across, ok := mixed[v.Node.OpType()]
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
