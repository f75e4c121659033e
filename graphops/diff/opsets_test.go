package diff_test

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestOpsetsImportedTwice has the last import of a domain count, in models and in
// functions.
func TestOpsetsImportedTwice(t *testing.T) {
	model := func(first, last int64) *graphops.Model {
		p := graphtest.Proto(t, "opset loc 1\nfunction loc F(a) -> (b)\nb = Neg(a)\nend\ninput x f32[2]\ny = loc::F(x)\noutput y f32[2]")
		imports := []*onnxpb.OperatorSetIdProto{
			{Domain: proto.String("loc"), Version: proto.Int64(1)},
			{Version: proto.Int64(first)},
			{Domain: proto.String("ai.onnx"), Version: proto.Int64(last)},
		}
		p.OpsetImport, p.Functions[0].OpsetImport = imports, imports
		return graphtest.Decode(t, p)
	}
	if d := compare(t, model(13, 17), model(14, 17)); !d.Identical {
		t.Errorf("imports that do not count are told: %s", summary(d))
	}
	d := compare(t, model(13, 17), model(13, 18))
	want := []diff.Field{{Name: "opset ai.onnx", Old: "17", New: "18"}}
	if !slices.Equal(d.Model, want) {
		t.Errorf("of the models %v, expected %v", d.Model, want)
	}
	for _, p := range d.Places {
		if p.A.Kind == graphops.FunctionBody && !slices.Equal(p.Fields, want) {
			t.Errorf("of the function %v, expected %v", p.Fields, want)
		}
	}
}
