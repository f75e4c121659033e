package graphops_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

func TestMapSizes(t *testing.T) {
	p := graphtest.Proto(t, "input x f32[n,4,?,m]\ny = Relu(x)\noutput y f32[n]")
	nested := &onnxpb.TypeProto{Value: &onnxpb.TypeProto_OptionalType{OptionalType: &onnxpb.TypeProto_Optional{
		ElemType: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_SequenceType{SequenceType: &onnxpb.TypeProto_Sequence{
			ElemType: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_MapType{MapType: &onnxpb.TypeProto_Map{
				KeyType: proto.Int32(7), ValueType: p.Graph.Input[0].Type,
			}}},
		}}},
	}}}
	sparse := &onnxpb.TypeProto{Value: &onnxpb.TypeProto_SparseTensorType{SparseTensorType: &onnxpb.TypeProto_SparseTensor{
		ElemType: proto.Int32(1), Shape: p.Graph.Input[0].Type.GetTensorType().Shape,
	}}}
	p.Graph.Input[0].Type.GetTensorType().Shape.Dim[0].Denotation = proto.String("DATA_BATCH")
	p.Graph.Input = append(p.Graph.Input,
		&onnxpb.ValueInfoProto{Name: proto.String("o"), Type: nested, DocString: proto.String("kept")},
		&onnxpb.ValueInfoProto{Name: proto.String("s"), Type: sparse},
		&onnxpb.ValueInfoProto{Name: proto.String("u")})
	m := graphtest.Decode(t, p)
	if got := strings.Join(m.Symbols(), " "); got != "n m" {
		t.Errorf("symbols %s", got)
	}
	next := m.EditPlaces(func(_ *graphops.Place, e *graphops.GraphEditor) bool {
		for i, v := range e.Inputs {
			e.Inputs[i] = v.MapSizes(func(d graphops.Dim) graphops.Dim {
				d.Symbol = strings.Replace(d.Symbol, "n", "batch", 1)
				return d
			})
		}
		return true
	})
	want := proto.Clone(p).(*onnxpb.ModelProto)
	for _, d := range []*onnxpb.TensorShapeProto{
		want.Graph.Input[0].Type.GetTensorType().Shape, want.Graph.Input[2].Type.GetSparseTensorType().Shape,
		want.Graph.Input[1].Type.GetOptionalType().ElemType.GetSequenceType().ElemType.GetMapType().ValueType.GetTensorType().Shape,
	} {
		d.Dim[0].Value = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: "batch"}
	}
	if diff := cmp.Diff(want, graphtest.Message(t, next), protocmp.Transform()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	same := m.Graph().Inputs()
	for _, v := range same {
		if v.MapSizes(func(d graphops.Dim) graphops.Dim { return d }) != v {
			t.Errorf("%q is copied although nothing changes", v.Name())
		}
	}
}

// TestAppend takes over what a graph consists of and leaves what it says of
// itself.
func TestAppend(t *testing.T) {
	annotated := func(name string) *graphops.Model {
		p := graphtest.Proto(t, "input "+name+" f32[1]\ninit w"+name+" f32[1] 1\nvalue h"+name+" f32[1]\nh"+name+" = Add("+name+", w"+name+")\noutput h"+name)
		p.Graph.DocString = &name
		p.Graph.QuantizationAnnotation = []*onnxpb.TensorAnnotation{{TensorName: proto.String("h" + name)}}
		return graphtest.Decode(t, p)
	}
	a, b := annotated("a"), annotated("b")
	e := graphops.EditGraph(a.Graph())
	e.Append(b.Graph())
	joined := a.WithGraph(a.Places()[0], e.Graph())
	m := graphtest.Message(t, joined)
	if len(m.Graph.QuantizationAnnotation) != 2 || len(m.Graph.Node) != 2 || len(m.Graph.Initializer) != 2 || len(m.Graph.ValueInfo) != 2 {
		t.Errorf("joined: %v", m)
	}
	if m.Graph.GetDocString() != "a" || len(m.Graph.Input) != 1 {
		t.Errorf("took over more than the contents: %v", m)
	}
	if diff := cmp.Diff(graphtest.Message(t, annotated("a")), graphtest.Message(t, a), protocmp.Transform()); diff != "" {
		t.Errorf("the original changed (-want +got):\n%s", diff)
	}
}

func TestFunctionSame(t *testing.T) {
	f := func(body string) *graphops.Function {
		return graphtest.Model(t, "opset local 1\nfunction local F(a) -> (b)\n"+body+"\nend\ninput x f32[1]\ny = local::F(x)\noutput y f32[1]").Functions()[0]
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"b = Relu(a)", "b = Relu(a)", true},
		{"b = Relu(a)", "b = Neg(a)", false},
		{"b = Relu(a)", "c = Relu(a)\nb = Neg(c)", false},
	} {
		if got, err := f(c.a).Same(f(c.b)); err != nil || got != c.want {
			t.Errorf("%q and %q: %v, %v", c.a, c.b, got, err)
		}
	}
	if f("b = Relu(a)").WithKey(graphops.FunctionKey{Domain: "local", Name: "G"}).Key().Name != "G" {
		t.Error("the key did not change")
	}
}

// TestAlsoFrom guards the files of all models that a model is made of.
func TestAlsoFrom(t *testing.T) {
	paths := []string{"../testdata/digits.onnx", "../testdata/if_loop.onnx"}
	var models []*graphops.Model
	for _, p := range paths {
		m, err := graphops.Open(p, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	both := models[0].AlsoFrom(models[1])
	for _, p := range paths {
		if err := graphops.RefuseSources(both, p); err == nil {
			t.Errorf("%s could be written to", p)
		}
	}
	if err := graphops.RefuseSources(models[0], paths[1]); err != nil {
		t.Errorf("the original took over a source: %v", err)
	}
}

// TestRefuseUnopenedData keeps data files from being written over that nothing has
// been read of, also where what lies in them has been cut off.
func TestRefuseUnopenedData(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"external.onnx", "external.data"} {
		b, err := os.ReadFile(filepath.Join("../testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := graphops.Open(filepath.Join(dir, "external.onnx"), graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := graphops.Edit(m)
	e.Initializers = nil
	for _, m := range []*graphops.Model{m, e.Model()} {
		if err := graphops.RefuseSources(m, filepath.Join(dir, "external.data")); err == nil || !strings.Contains(err.Error(), "is the file that the model is read from") {
			t.Errorf("error %v", err)
		}
	}
}
