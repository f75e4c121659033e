package graphops_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestWithTypeKeepsMeaning gives an input that is described another type: what
// is said of the value stays, what is said of its axes as long as they are as
// many.
func TestWithTypeKeepsMeaning(t *testing.T) {
	input := func(typ string, value string, axes ...string) *onnxpb.ModelProto {
		m := graphtest.Proto(t, "input x "+typ+"\noutput x f32\n")
		x := m.Graph.Input[0]
		x.DocString = proto.String("a picture")
		if value != "" {
			x.Type.Denotation = &value
		}
		for i, axis := range axes {
			if axis != "" {
				x.Type.GetTensorType().Shape.Dim[i].Denotation = proto.String(axis)
			}
		}
		return m
	}
	for _, tt := range []struct{ name, to string }{
		{"another size", "f32[8,3]"},
		{"another element type", "f16[n,?]"},
		{"another rank", "f32[n,3,224]"},
		{"no rank", "f32"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Decode(t, input("f32[n,3]", "IMAGE", "DATA_BATCH", ""))
			to, err := graphops.ParseType(tt.to)
			if err != nil {
				t.Fatal(err)
			}
			e := graphops.Edit(m)
			e.Inputs[0] = e.Inputs[0].WithType(to)
			var axes []string
			if len(to.Shape) == 2 {
				axes = []string{"DATA_BATCH"}
			}
			want := input(tt.to, "IMAGE", axes...)
			if diff := cmp.Diff(want, graphtest.Message(t, e.Model()), protocmp.Transform()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
