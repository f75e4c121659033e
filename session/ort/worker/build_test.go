//go:build cgo

package worker_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

// modelBytes encodes a model of one graph.
func modelBytes(tb testing.TB, graph *onnxpb.GraphProto) []byte {
	tb.Helper()
	graph.Name = proto.String("test")
	content, err := proto.Marshal(&onnxpb.ModelProto{
		IrVersion:   proto.Int64(10),
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(21)}, {Domain: proto.String("ai.onnx.ml"), Version: proto.Int64(3)}},
		Graph:       graph,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

func node(op string, inputs, outputs []string, attributes ...*onnxpb.AttributeProto) *onnxpb.NodeProto {
	return &onnxpb.NodeProto{OpType: &op, Name: proto.String(op + " of " + outputs[0]), Input: inputs, Output: outputs, Attribute: attributes}
}

// value declares a tensor. A dimension is an int or the name of a symbol.
func value(name string, dtype tensor.DType, dims ...any) *onnxpb.ValueInfoProto {
	return &onnxpb.ValueInfoProto{Name: &name, Type: tensorType(dtype, dims...)}
}

func tensorType(dtype tensor.DType, dims ...any) *onnxpb.TypeProto {
	shape := &onnxpb.TensorShapeProto{}
	for _, dim := range dims {
		d := &onnxpb.TensorShapeProto_Dimension{}
		switch dim := dim.(type) {
		case int:
			d.Value = &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: int64(dim)}
		case string:
			d.Value = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: dim}
		}
		shape.Dim = append(shape.Dim, d)
	}
	return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{
		TensorType: &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(int32(dtype)), Shape: shape},
	}}
}

func int64s(name string, dims []int64, values ...int64) *onnxpb.TensorProto {
	return &onnxpb.TensorProto{Name: &name, DataType: proto.Int32(int32(tensor.I64)), Dims: dims, Int64Data: values}
}

// identity copies a tensor of a type and shape.
func identity(tb testing.TB, dtype tensor.DType, dims ...any) []byte {
	return modelBytes(tb, &onnxpb.GraphProto{
		Node:   []*onnxpb.NodeProto{node("Identity", []string{"x"}, []string{"y"})},
		Input:  []*onnxpb.ValueInfoProto{value("x", dtype, dims...)},
		Output: []*onnxpb.ValueInfoProto{value("y", dtype, dims...)},
	})
}

// through returns its input as it is, without a node: the CPU provider has no
// kernel that leaves elements below a byte alone.
func through(tb testing.TB, dtype tensor.DType, dims ...any) []byte {
	return modelBytes(tb, &onnxpb.GraphProto{
		Input:  []*onnxpb.ValueInfoProto{value("y", dtype, dims...)},
		Output: []*onnxpb.ValueInfoProto{value("y", dtype, dims...)},
	})
}

// addOne is one Add on one float: the shortest run there is.
func addOne(tb testing.TB) []byte {
	return modelBytes(tb, &onnxpb.GraphProto{
		Node:   []*onnxpb.NodeProto{node("Add", []string{"x", "x"}, []string{"y"})},
		Input:  []*onnxpb.ValueInfoProto{value("x", tensor.F32, 1)},
		Output: []*onnxpb.ValueInfoProto{value("y", tensor.F32, 1)},
	})
}

// loop counts up to its input, one iteration at a time.
func loop(tb testing.TB) []byte {
	body := &onnxpb.GraphProto{
		Name: proto.String("body"),
		Node: []*onnxpb.NodeProto{
			node("Identity", []string{"go"}, []string{"go_on"}),
			node("Add", []string{"sum", "one"}, []string{"next"}),
		},
		Input:       []*onnxpb.ValueInfoProto{value("i", tensor.I64), value("go", tensor.Bool), value("sum", tensor.I64)},
		Output:      []*onnxpb.ValueInfoProto{value("go_on", tensor.Bool), value("next", tensor.I64)},
		Initializer: []*onnxpb.TensorProto{int64s("one", nil, 1)},
	}
	bodyAttribute := &onnxpb.AttributeProto{Name: proto.String("body"), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: body}
	return modelBytes(tb, &onnxpb.GraphProto{
		Node:        []*onnxpb.NodeProto{node("Loop", []string{"times", "", "zero"}, []string{"sum"}, bodyAttribute)},
		Input:       []*onnxpb.ValueInfoProto{value("times", tensor.I64)},
		Output:      []*onnxpb.ValueInfoProto{value("sum", tensor.I64)},
		Initializer: []*onnxpb.TensorProto{int64s("zero", nil, 0)},
	})
}

// endless feeds loop with more iterations than anybody waits for.
func endless() map[string]tensor.Tensor {
	times := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}
	return map[string]tensor.Tensor{"times": {DType: tensor.I64, Data: times}}
}
