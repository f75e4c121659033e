package quant

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
)

// elementTypes are the element types of values, by name.
type elementTypes map[string]tensor.DType

// sameType lists, for operators whose output has the element type of some of
// their inputs, the positions of those: -1 is all. Where the type of one is
// known, the others have it too.
var sameType = map[string][]int{
	"Add": {0, 1}, "Sub": {0, 1}, "Mul": {0, 1}, "Div": {0, 1}, "Pow": {0}, "Mod": {0, 1},
	"MatMul": {0, 1}, "Gemm": {0, 1, 2}, "Conv": {0, 1}, "ConvTranspose": {0, 1}, "Einsum": {-1},
	"Max": {-1}, "Min": {-1}, "Sum": {-1}, "Mean": {-1}, "Concat": {-1}, "Where": {1, 2}, "PRelu": {0, 1},
	"Relu": {0}, "LeakyRelu": {0}, "Sigmoid": {0}, "Tanh": {0}, "Gelu": {0}, "FastGelu": {0, 1}, "Erf": {0}, "Elu": {0},
	"Selu": {0}, "Celu": {0}, "Softplus": {0}, "Softsign": {0}, "HardSigmoid": {0}, "HardSwish": {0}, "Mish": {0}, "Swish": {0},
	"Softmax": {0}, "LogSoftmax": {0}, "Sqrt": {0}, "Exp": {0}, "Log": {0}, "Abs": {0}, "Neg": {0}, "Reciprocal": {0},
	"Floor": {0}, "Ceil": {0}, "Round": {0}, "Sign": {0}, "Sin": {0}, "Cos": {0}, "Clip": {0}, "Dropout": {0}, "Identity": {0},
	"BatchNormalization": {0}, "InstanceNormalization": {0}, "LayerNormalization": {0, 1}, "GroupNormalization": {0},
	"SkipLayerNormalization": {0, 1}, "RMSNormalization": {0}, "LpNormalization": {0}, "LRN": {0},
	"ReduceMean": {0}, "ReduceSum": {0}, "ReduceMax": {0}, "ReduceMin": {0}, "ReduceProd": {0}, "ReduceL2": {0}, "ReduceSumSquare": {0},
	"AveragePool": {0}, "MaxPool": {0}, "GlobalAveragePool": {0}, "GlobalMaxPool": {0}, "CumSum": {0}, "TopK": {0},
	"Reshape": {0}, "Transpose": {0}, "Squeeze": {0}, "Unsqueeze": {0}, "Flatten": {0}, "Expand": {0}, "Tile": {0}, "Slice": {0},
	"Split": {0}, "Pad": {0}, "Gather": {0}, "GatherElements": {0}, "GatherND": {0}, "ScatterElements": {0, 2}, "ScatterND": {0, 2},
	"DepthToSpace": {0}, "SpaceToDepth": {0}, "Resize": {0}, "Trilu": {0}, "Range": {0, 1, 2},
	"LSTM": {0, 1}, "GRU": {0, 1}, "RNN": {0, 1}, "CastLike": {1}, "DequantizeLinear": {1},
}

// fixedType lists operators whose output has one element type.
var fixedType = map[string]tensor.DType{
	"Shape": tensor.I64, "Size": tensor.I64, "NonZero": tensor.I64, "ArgMax": tensor.I64, "ArgMin": tensor.I64,
	"Equal": tensor.Bool, "Less": tensor.Bool, "LessOrEqual": tensor.Bool, "Greater": tensor.Bool, "GreaterOrEqual": tensor.Bool,
	"Not": tensor.Bool, "And": tensor.Bool, "Or": tensor.Bool, "Xor": tensor.Bool, "IsNaN": tensor.Bool, "IsInf": tensor.Bool,
	"MatMulInteger": tensor.I32, "ConvInteger": tensor.I32,
}

// elementType is the element type of a value as far as it is known: from what
// the graph says, else from the operator that makes it; Undefined if neither
// tells.
func (d *dynamic) elementType(name string) tensor.DType {
	if d.types == nil {
		d.types = elementTypes{}
		for _, i := range d.order {
			n := d.graph.Nodes()[i]
			for at, out := range n.Outputs() {
				if e := d.outputType(n, at); out != "" && e != tensor.Undefined {
					d.types[out] = e
				}
			}
		}
	}
	if e := d.stated(name); e != tensor.Undefined {
		return e
	}
	return d.types[name]
}

// stated is the element type that the graph itself gives for a value.
func (d *dynamic) stated(name string) tensor.DType {
	id, ok := d.index.Value(name)
	if !ok {
		return tensor.Undefined
	}
	if t := d.index.Type(id); t.Kind == graphops.TypeTensor {
		return t.Elem
	}
	return tensor.Undefined
}

// outputType infers the type of one output of a node from those before it.
func (d *dynamic) outputType(n *graphops.Node, at int) tensor.DType {
	switch n.OpType() {
	case "Constant":
		if t := constantOf(n); t != nil {
			return t.DType()
		}
	case "Cast":
		if a, ok := n.Attribute("to"); ok {
			return tensor.DType(a.Int())
		}
	}
	if e, ok := fixedType[n.OpType()]; ok {
		return e
	}
	if at > 0 && n.OpType() != "Split" {
		return tensor.Undefined // a mask, an index, a state
	}
	for i, in := range n.Inputs() {
		for _, position := range sameType[n.OpType()] {
			if position != i && position != -1 {
				continue
			}
			e := d.stated(in)
			if e == tensor.Undefined {
				e = d.types[in]
			}
			if e != tensor.Undefined {
				return e
			}
		}
	}
	return tensor.Undefined
}
