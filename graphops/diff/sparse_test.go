package diff_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestSparse tells sparse tensors apart by their dense shapes, by elements and by a half
// that only one of them has, in attributes and among the constants.
func TestSparse(t *testing.T) {
	attribute := func(s *onnxpb.SparseTensorProto) *graphops.Model {
		p := graphtest.Proto(t, "opset d 1\ninput x f32[4]\ny = d::Op(x)\noutput y f32[4]\n")
		p.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{{
			Name: proto.String("s"), Type: onnxpb.AttributeProto_SPARSE_TENSOR.Enum(), SparseTensor: s,
		}}
		return graphtest.Decode(t, p)
	}
	constant := func(s *onnxpb.SparseTensorProto) *graphops.Model {
		p := graphtest.Proto(t, "input x f32[4]\ny = Add(x, w)\noutput y f32[4]\n")
		p.Graph.SparseInitializer = []*onnxpb.SparseTensorProto{s}
		return graphtest.Decode(t, p)
	}
	sparse := func(size int64, element float32) *onnxpb.SparseTensorProto {
		return &onnxpb.SparseTensorProto{
			Values:  &onnxpb.TensorProto{Name: proto.String("w"), DataType: proto.Int32(1), Dims: []int64{1}, FloatData: []float32{element}},
			Indices: &onnxpb.TensorProto{DataType: proto.Int32(7), Dims: []int64{1}, Int64Data: []int64{1}},
			Dims:    []int64{size},
		}
	}
	half := sparse(4, 1)
	half.Indices = nil
	for _, c := range []struct {
		name                string
		other               *onnxpb.SparseTensorProto
		attribute, constant string
	}{
		{"the same", sparse(4, 1), "", ""},
		{"another shape", sparse(400, 1), "attribute=1", "weight=1"},
		{"another element", sparse(4, 2), "attribute=1", "weight=1 elements=1"},
		{"a half", half, "attribute=1", "weight=1"},
	} {
		for _, in := range []struct {
			name string
			of   func(*onnxpb.SparseTensorProto) *graphops.Model
			want string
		}{{"attribute", attribute, c.attribute}, {"constant", constant, c.constant}} {
			for _, swap := range []bool{false, true} {
				a, b := in.of(sparse(4, 1)), in.of(c.other)
				if swap {
					a, b = b, a
				}
				d := compare(t, a, b)
				if got := tally(d); got != in.want || d.Equal != (in.want == "") {
					t.Errorf("%s of %s: told %q, expected %q:%s", c.name, in.name, got, in.want, summary(d))
				}
			}
		}
	}
}
