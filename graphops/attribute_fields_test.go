package graphops_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestAttributeHolds has attributes whose fields are not those of their type.
func TestAttributeHolds(t *testing.T) {
	ints := onnxpb.AttributeProto_INTS.Enum()
	tests := []struct {
		name  string
		field *onnxpb.AttributeProto
		state graphops.AttributeKind
		holds []graphops.AttributeKind
	}{
		{"a list", &onnxpb.AttributeProto{Type: ints, Ints: []int64{1, 2}}, graphops.AttrInts, []graphops.AttributeKind{graphops.AttrInts}},
		{"an empty list", &onnxpb.AttributeProto{Type: ints}, graphops.AttrInts, nil},
		{"no type", &onnxpb.AttributeProto{I: proto.Int64(1)}, graphops.AttrUndefined, []graphops.AttributeKind{graphops.AttrInt}},
		{"two values", &onnxpb.AttributeProto{Type: ints, Ints: []int64{1}, F: proto.Float32(0)}, graphops.AttrInts, []graphops.AttributeKind{graphops.AttrFloat, graphops.AttrInts}},
		{"a tensor beside", &onnxpb.AttributeProto{Type: ints, T: &onnxpb.TensorProto{}}, graphops.AttrInts, []graphops.AttributeKind{graphops.AttrTensor}},
		{"a reference", &onnxpb.AttributeProto{Type: ints, RefAttrName: proto.String("b")}, graphops.AttrInts, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Proto(t, "output y f32[]\ny = Constant() value_float=1.0\n")
			tt.field.Name = proto.String("a")
			m.Graph.Node[0].Attribute[0] = tt.field
			a := graphtest.Decode(t, m).Graph().Nodes()[0].Attributes()[0]
			if got := a.Stated(); got != tt.state {
				t.Errorf("states %s, expected %s", got, tt.state)
			}
			if diff := cmp.Diff(tt.holds, a.Holds()); diff != "" {
				t.Errorf("holds (-want +got):\n%s", diff)
			}
		})
	}
}
