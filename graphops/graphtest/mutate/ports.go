package mutate

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

// input returns a random tensor input of the model.
func (m *mutator) input() *onnxpb.ValueInfoProto {
	return pick(m, slices.DeleteFunc(slices.Clone(m.model.GetGraph().GetInput()), func(v *onnxpb.ValueInfoProto) bool {
		return v.GetType().GetTensorType() == nil
	}))
}

func (m *mutator) inputShape() string {
	v := m.input()
	if v == nil {
		return ""
	}
	t := v.GetType().GetTensorType()
	dims := m.shape(dimensions(t.GetShape()))
	t.Shape = &onnxpb.TensorShapeProto{}
	for _, n := range dims {
		d := &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: n}}
		if m.rng.IntN(6) == 0 {
			d.Value = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: "n"}
		}
		t.Shape.Dim = append(t.Shape.Dim, d)
	}
	return fmt.Sprintf("input %s has shape %v", v.GetName(), dims)
}

func dimensions(s *onnxpb.TensorShapeProto) []int64 {
	out := make([]int64, len(s.GetDim()))
	for i, d := range s.GetDim() {
		out[i] = max(d.GetDimValue(), 1)
	}
	return out
}

func (m *mutator) inputType() string {
	v := m.input()
	if v == nil {
		return ""
	}
	typ := pick(m, types)
	v.GetType().GetTensorType().ElemType = proto.Int32(int32(typ))
	return fmt.Sprintf("input %s is of type %d", v.GetName(), typ)
}

// pin turns an input into a constant. Optimizers then compute with it, and later changes can affect
// its elements.
func (m *mutator) pin() string {
	v := m.input()
	if v == nil {
		return ""
	}
	t := v.GetType().GetTensorType()
	c := &onnxpb.TensorProto{Name: proto.String(v.GetName()), DataType: proto.Int32(t.GetElemType()), Dims: dimensions(t.GetShape())}
	if n, err := tensor.Elements(c.Dims); err != nil || n > maxFilled {
		return ""
	}
	resize(c)
	g := m.model.GetGraph()
	g.Initializer = append(g.Initializer, c)
	g.Input = slices.DeleteFunc(g.Input, func(w *onnxpb.ValueInfoProto) bool { return w == v })
	for size, at := width(c), 0; at+size <= len(c.RawData); at += size {
		m.put(c, c.RawData[at:at+size])
	}
	return fmt.Sprintf("input %s is a constant", v.GetName())
}

// outputType declares an output with a wrong type.
func (m *mutator) outputType() string {
	g := pick(m, m.graphs())
	v := pick(m, slices.Concat(g.GetOutput(), g.GetValueInfo()))
	if v == nil {
		return ""
	}
	t := &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(int32(tensor.F32)), Shape: &onnxpb.TensorShapeProto{}}
	if old := v.GetType().GetTensorType(); old != nil {
		t.ElemType = proto.Int32(old.GetElemType())
	}
	if m.rng.IntN(4) == 0 {
		t.ElemType = proto.Int32(int32(pick(m, types)))
	}
	for range m.rng.IntN(4) {
		t.Shape.Dim = append(t.Shape.Dim, &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: pick(m, sizes)}})
	}
	v.Type = &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: t}}
	return fmt.Sprintf("%s is declared as type %d %v", v.GetName(), t.GetElemType(), dimensions(t.GetShape()))
}
