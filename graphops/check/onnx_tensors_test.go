package check_test

import (
	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
)

// withTensor puts a tensor in the place of the initializer w, and declares the output
// as what it says of itself.
func withTensor(t *onnxpb.TensorProto) func(*onnxpb.ModelProto) {
	return func(m *onnxpb.ModelProto) {
		t.Name = proto.String("w")
		m.Graph.Initializer[0] = t
		m.Graph.Output[0].Type.GetTensorType().ElemType = t.DataType
	}
}

func tensorOf(d onnxpb.TensorProto_DataType, dims ...int64) *onnxpb.TensorProto {
	return &onnxpb.TensorProto{DataType: proto.Int32(int32(d)), Dims: dims}
}

func refusedTensors() []refused {
	const text = "output y f32[n]\ninit w f32[1] 1\nread: y = Identity(w)"
	var list []refused
	add := func(name string, d onnxpb.TensorProto_DataType, dims []int64, fill func(*onnxpb.TensorProto)) {
		t := tensorOf(d, dims...)
		fill(t)
		list = append(list, refused{name: name, text: text, edit: withTensor(t), node: "read", value: "w"})
	}
	raw := func(n int) func(*onnxpb.TensorProto) {
		return func(t *onnxpb.TensorProto) { t.RawData = make([]byte, n) }
	}
	int32s := func(n int) func(*onnxpb.TensorProto) {
		return func(t *onnxpb.TensorProto) { t.Int32Data = make([]int32, n) }
	}
	add("dims overflow", onnxpb.TensorProto_FLOAT, []int64{1 << 62, 1 << 62}, raw(1))
	add("negative dim", onnxpb.TensorProto_FLOAT, []int64{-1, 4}, raw(16))
	add("raw and typed", onnxpb.TensorProto_FLOAT, []int64{2}, func(t *onnxpb.TensorProto) { t.RawData, t.FloatData = make([]byte, 8), []float32{1, 2} })
	add("in another type's field", onnxpb.TensorProto_INT32, []int64{2}, func(t *onnxpb.TensorProto) { t.FloatData = []float32{1, 2} })
	add("strings in raw data", onnxpb.TensorProto_STRING, []int64{1}, raw(4))
	add("raw f32 short", onnxpb.TensorProto_FLOAT, []int64{4}, raw(15))
	add("raw i64 short", onnxpb.TensorProto_INT64, []int64{4}, raw(31))
	add("raw c128 short", onnxpb.TensorProto_COMPLEX128, []int64{2}, raw(31))
	add("floats short", onnxpb.TensorProto_FLOAT, []int64{4}, func(t *onnxpb.TensorProto) { t.FloatData = make([]float32, 3) })
	add("doubles short", onnxpb.TensorProto_DOUBLE, []int64{4}, func(t *onnxpb.TensorProto) { t.DoubleData = make([]float64, 3) })
	add("c64 short", onnxpb.TensorProto_COMPLEX64, []int64{3}, func(t *onnxpb.TensorProto) { t.FloatData = make([]float32, 5) })
	add("c128 short", onnxpb.TensorProto_COMPLEX128, []int64{3}, func(t *onnxpb.TensorProto) { t.DoubleData = make([]float64, 5) })
	add("int64s short", onnxpb.TensorProto_INT64, []int64{4}, func(t *onnxpb.TensorProto) { t.Int64Data = make([]int64, 3) })
	add("u32 short", onnxpb.TensorProto_UINT32, []int64{4}, func(t *onnxpb.TensorProto) { t.Uint64Data = make([]uint64, 3) })
	add("u64 short", onnxpb.TensorProto_UINT64, []int64{4}, func(t *onnxpb.TensorProto) { t.Uint64Data = make([]uint64, 3) })
	add("strings short", onnxpb.TensorProto_STRING, []int64{4}, func(t *onnxpb.TensorProto) { t.StringData = [][]byte{{'a'}, {'b'}, {'c'}} })
	for _, d := range []onnxpb.TensorProto_DataType{onnxpb.TensorProto_INT4, onnxpb.TensorProto_UINT4, onnxpb.TensorProto_FLOAT4E2M1} {
		add("raw "+d.String()+" short", d, []int64{10}, raw(4))
		add("packed "+d.String()+" short", d, []int64{10}, int32s(1))
	}
	for _, d := range []onnxpb.TensorProto_DataType{
		onnxpb.TensorProto_BOOL, onnxpb.TensorProto_INT8, onnxpb.TensorProto_UINT8, onnxpb.TensorProto_INT16, onnxpb.TensorProto_UINT16, onnxpb.TensorProto_FLOAT16, onnxpb.TensorProto_BFLOAT16,
		onnxpb.TensorProto_FLOAT8E4M3FN, onnxpb.TensorProto_FLOAT8E4M3FNUZ, onnxpb.TensorProto_FLOAT8E5M2, onnxpb.TensorProto_FLOAT8E5M2FNUZ,
	} {
		add(d.String()+" in int32s short", d, []int64{32}, int32s(4))
	}
	return append(list, refusedSparse()...)
}

// refusedSparse are sparse tensors whose indices are wrong.
func refusedSparse() []refused {
	var list []refused
	for _, c := range []struct {
		name          string
		dims          []int64
		indexed       []int64 // dimensions of the indices
		indices       []int64
		valuesOfThese int64
	}{
		{"not in order", []int64{100}, []int64{3}, []int64{27, 9, 81}, 3},
		{"out of range", []int64{100}, []int64{3}, []int64{9, 27, 181}, 3},
		{"out of range in an axis", []int64{10, 10}, []int64{3, 2}, []int64{0, 9, 2, 17, 8, 1}, 3},
		{"fewer than values", []int64{10, 10}, []int64{2, 2}, []int64{0, 9, 2, 7}, 3},
		{"of another rank", []int64{10, 10}, []int64{3, 1}, []int64{9, 27, 81}, 3},
	} {
		values, indices := tensorOf(onnxpb.TensorProto_INT64, c.valuesOfThese), tensorOf(onnxpb.TensorProto_INT64, c.indexed...)
		values.Name, values.Int64Data, indices.Int64Data = proto.String("s"), []int64{13, 17, 19}, c.indices
		list = append(list, refused{name: "sparse indices " + c.name, text: "output y i64[n]\nread: y = Identity(s)", node: "read", value: "s", edit: func(m *onnxpb.ModelProto) {
			m.Graph.SparseInitializer = []*onnxpb.SparseTensorProto{{Values: values, Indices: indices, Dims: c.dims}}
		}})
	}
	return list
}
