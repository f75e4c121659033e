package graphops_test

import (
	"maps"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestOpsetImportedTwice has the last of two imports count, as ONNX Runtime has it.
func TestOpsetImportedTwice(t *testing.T) {
	p := graphtest.Proto(t, "opset loc 1\nfunction loc F(a) -> (b)\nb = Neg(a)\nend\ninput x f32[2]\ny = loc::F(x)\noutput y f32[2]")
	twice := []*onnxpb.OperatorSetIdProto{
		{Domain: proto.String("loc"), Version: proto.Int64(1)},
		{Version: proto.Int64(13)},
		{Domain: proto.String("ai.onnx"), Version: proto.Int64(17)},
	}
	p.OpsetImport, p.Functions[0].OpsetImport = twice, twice
	m := graphtest.Decode(t, p)
	f := m.Functions()[0]
	if v, ok := m.Opset(graphops.DefaultDomain); v != 17 || !ok {
		t.Errorf("the model imports %d, %t", v, ok)
	}
	if v, ok := f.Opset("ai.onnx"); v != 17 || !ok {
		t.Errorf("the function imports %d, %t", v, ok)
	}
	if v, ok := f.Opset("com.example"); ok {
		t.Errorf("the function imports %d of a domain that it does not list", v)
	}
	for _, c := range []struct {
		of   string
		have map[string]int64
	}{{"the model", m.OpsetVersions()}, {"the function", f.OpsetVersions()}} {
		if want := map[string]int64{"": 17, "loc": 1}; !maps.Equal(c.have, want) {
			t.Errorf("%s imports %v, expected %v", c.of, c.have, want)
		}
	}
	e := graphops.Edit(m)
	e.SetOpset("", 18)
	if got := e.Model().Opsets(); len(got) != 3 || got[0].Version != 1 || got[1].Version != 18 || got[2].Version != 18 {
		t.Errorf("imports %v, expected the version in both", got)
	}
}

// TestOpsetNotImported has a model of a time without imports have version 1 of the
// default domain.
func TestOpsetNotImported(t *testing.T) {
	p := graphtest.Proto(t, "input x f32[2]\ny = Relu(x)\noutput y f32[2]")
	p.IrVersion, p.OpsetImport = proto.Int64(2), nil
	m := graphtest.Decode(t, p)
	if v, ok := m.Opset(""); v != 1 || !ok {
		t.Errorf("version %d, %t", v, ok)
	}
	if want := map[string]int64{"": 1}; !maps.Equal(m.OpsetVersions(), want) {
		t.Errorf("versions %v, expected %v", m.OpsetVersions(), want)
	}
}
