package graphops_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestAttributesMade compares attributes with what the generated code makes of
// the same values.
func TestAttributesMade(t *testing.T) {
	nan := float32(math.NaN())
	tests := []struct {
		made *graphops.Attribute
		want *onnxpb.AttributeProto
	}{
		{graphops.IntAttribute("a", -1), &onnxpb.AttributeProto{I: proto.Int64(-1), Type: onnxpb.AttributeProto_INT.Enum()}},
		{graphops.FloatAttribute("a", nan), &onnxpb.AttributeProto{F: proto.Float32(nan), Type: onnxpb.AttributeProto_FLOAT.Enum()}},
		{graphops.TextAttribute("a", ""), &onnxpb.AttributeProto{S: []byte{}, Type: onnxpb.AttributeProto_STRING.Enum()}},
		{graphops.IntsAttribute("a", []int64{1, -2}), &onnxpb.AttributeProto{Ints: []int64{1, -2}, Type: onnxpb.AttributeProto_INTS.Enum()}},
		{graphops.IntsAttribute("a", nil), &onnxpb.AttributeProto{Type: onnxpb.AttributeProto_INTS.Enum()}},
		{graphops.FloatsAttribute("a", []float32{0.5, nan}), &onnxpb.AttributeProto{Floats: []float32{0.5, nan}, Type: onnxpb.AttributeProto_FLOATS.Enum()}},
		{graphops.TextsAttribute("a", []string{"x", ""}), &onnxpb.AttributeProto{Strings: [][]byte{[]byte("x"), {}}, Type: onnxpb.AttributeProto_STRINGS.Enum()}},
		{graphops.RefAttribute("a", "b", graphops.AttrFloat), &onnxpb.AttributeProto{RefAttrName: proto.String("b"), Type: onnxpb.AttributeProto_FLOAT.Enum()}},
	}
	for _, tt := range tests {
		t.Run(tt.made.Kind().String(), func(t *testing.T) {
			tt.want.Name = proto.String("a")
			old := &onnxpb.AttributeProto{
				Name: proto.String("a"), DocString: proto.String("why"),
				I: proto.Int64(7), Ints: []int64{8}, S: []byte("s"), Type: onnxpb.AttributeProto_INT.Enum(), RefAttrName: proto.String("r"),
			}
			p := graphtest.Proto(t, "input x f32\ny = Foo(x)\noutput y\n")
			p.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{old}
			e := graphops.Edit(graphtest.Decode(t, p))
			before := e.Nodes[0].Attributes()[0]
			e.Nodes[0] = e.Nodes[0].WithAttributes([]*graphops.Attribute{tt.made, before.WithValueOf(tt.made)})
			got := graphtest.Message(t, e.Model()).Graph.Node[0].Attribute
			kept := proto.CloneOf(tt.want)
			kept.DocString = old.DocString
			if diff := cmp.Diff([]*onnxpb.AttributeProto{tt.want, kept}, got, protocmp.Transform(), cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFunctionAttributes(t *testing.T) {
	p := graphtest.Proto(t, "input x f32\nfunction l F(a) -> (b)\nb = Relu(a)\nend\ny = l::F(x)\noutput y\n")
	p.Functions[0].Attribute = []string{"must"}
	p.Functions[0].AttributeProto = []*onnxpb.AttributeProto{{Name: proto.String("may"), F: proto.Float32(2), Type: onnxpb.AttributeProto_FLOAT.Enum()}}
	f := graphtest.Decode(t, p).Functions()[0]
	if diff := cmp.Diff([]string{"must"}, f.AttributeNames()); diff != "" {
		t.Error(diff)
	}
	if d := f.DefaultAttributes(); len(d) != 1 || d[0].Name() != "may" || d[0].Float() != 2 || d[0].Kind() != graphops.AttrFloat {
		t.Errorf("defaults %v", d)
	}
}
