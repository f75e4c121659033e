package graphops_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

func TestNeededIR(t *testing.T) {
	const plain = "input x f32[2]\noutput y f32[2]\n"
	entry := []*onnxpb.StringStringEntryProto{{Key: proto.String("k"), Value: proto.String("v")}}
	function := func(change func(*onnxpb.FunctionProto)) func(*onnxpb.ModelProto) {
		return func(m *onnxpb.ModelProto) { change(m.Functions[0]) }
	}
	const withFunction = plain + "function l F(a) -> (b)\nb = Relu(a)\nend\ny = l::F(x)\n"
	for _, tt := range []struct {
		name   string
		text   string
		change func(*onnxpb.ModelProto)
		want   int64
		what   string
	}{
		{"no imports", plain + "y = Relu(x)", func(m *onnxpb.ModelProto) { m.OpsetImport = nil }, 1, "nothing"},
		{"imports", plain + "y = Relu(x)", nil, 3, "operator sets"},
		{"an initializer that is an input", "input w f32[2]\n" + plain + "init w f32[2] 1\ny = Add(x, w)", nil, 3, "operator sets"},
		{"an initializer", plain + "init w f32[2] 1\ny = Add(x, w)", nil, 4, `initializer "w"`},
		{"an initializer in a body", "input c bool[]\n" + plain + "graph b\ninit w f32[2] 1\nd = Add(x, w)\noutput d f32[2]\nend\ny = If(c) then_branch=@b else_branch=@b", nil, 4, `initializer "w"`},
		{"bfloat16", plain + "value h bf16[2]\nh = Foo(x)\ny = Bar(h)", nil, 4, `type bf16 of value "h"`},
		{"annotation", plain + "y = Relu(x)", func(m *onnxpb.ModelProto) {
			m.Graph.QuantizationAnnotation = []*onnxpb.TensorAnnotation{{TensorName: proto.String("x")}}
		}, 5, "quantization annotation"},
		{"sparse initializer", plain + "sparse s f32[2] 3 at 1\ny = Add(x, s)", nil, 6, `sparse tensor "s"`},
		{"sparse attribute", plain + "y = Foo(x) v=1", func(m *onnxpb.ModelProto) {
			a := m.Graph.Node[0].Attribute[0]
			a.Type, a.I = onnxpb.AttributeProto_SPARSE_TENSOR.Enum(), nil
			a.SparseTensor = &onnxpb.SparseTensorProto{Values: &onnxpb.TensorProto{Name: proto.String("s"), DataType: proto.Int32(1), Dims: []int64{0}}}
		}, 6, `sparse tensor "s"`},
		{"training", plain + "y = Relu(x)", func(m *onnxpb.ModelProto) {
			m.TrainingInfo = []*onnxpb.TrainingInfoProto{{}}
		}, 7, "training_info"},
		{"function", withFunction, nil, 8, `function "F"`},
		{"optional", plain + "value o f32\ny = Relu(x)", func(m *onnxpb.ModelProto) {
			m.Graph.ValueInfo[0].Type = &onnxpb.TypeProto{Value: &onnxpb.TypeProto_OptionalType{OptionalType: &onnxpb.TypeProto_Optional{ElemType: m.Graph.ValueInfo[0].Type}}}
		}, 8, `type opt(f32) of value "o"`},
		{"type attribute", plain + "y = Foo(x) v=1", func(m *onnxpb.ModelProto) {
			a := m.Graph.Node[0].Attribute[0]
			a.Type, a.I, a.Tp = onnxpb.AttributeProto_TYPE_PROTO.Enum(), nil, m.Graph.Input[0].Type
		}, 8, `type in attribute "v"`},
		{"default of a function", withFunction, function(func(f *onnxpb.FunctionProto) {
			f.AttributeProto = []*onnxpb.AttributeProto{{Name: proto.String("a"), I: proto.Int64(1), Type: onnxpb.AttributeProto_INT.Enum()}}
		}), 9, "a default for an attribute"},
		{"8-bit float of a Cast", plain + "h = Cast(x) to=17\ny = Cast(h) to=1", nil, 9, `type f8e4m3fn of node ""`},
		{"to of another operator", plain + "y = my::Foo(x) to=17", nil, 3, "operator sets"},
		{"4-bit attribute tensor", plain + "y = Foo(x) v={i4[2] 1 2}", nil, 10, "type i4 of tensor"},
		{"overload", withFunction, function(func(f *onnxpb.FunctionProto) { f.Overload = proto.String("o") }), 10, "overload"},
		{"types in a function", withFunction, function(func(f *onnxpb.FunctionProto) { f.ValueInfo = []*onnxpb.ValueInfoProto{{Name: proto.String("a")}} }), 10, "value_info"},
		{"metadata of a function", withFunction, function(func(f *onnxpb.FunctionProto) { f.MetadataProps = entry }), 10, "function"},
		{"metadata of a node", plain + "y = Relu(x)", func(m *onnxpb.ModelProto) { m.Graph.Node[0].MetadataProps = entry }, 10, "node"},
		{"metadata of a value", plain + "y = Relu(x)", func(m *onnxpb.ModelProto) { m.Graph.Output[0].MetadataProps = entry }, 10, `value "y"`},
		{"metadata of the graph", plain + "y = Relu(x)", func(m *onnxpb.ModelProto) { m.Graph.MetadataProps = entry }, 10, `graph "g"`},
		{"metadata of a tensor", plain + "init w f32[2] 1\ny = Add(x, w)", func(m *onnxpb.ModelProto) { m.Graph.Initializer[0].MetadataProps = entry }, 10, `tensor "w"`},
		{"metadata of the model", plain + "y = Relu(x)", func(m *onnxpb.ModelProto) { m.MetadataProps = entry }, 3, "operator sets"},
		{"devices of the model", plain + "y = Relu(x)", func(m *onnxpb.ModelProto) {
			m.Configuration = []*onnxpb.DeviceConfigurationProto{{Name: proto.String("two")}}
		}, 11, "configuration"},
		{"devices of a node", plain + "y = Relu(x)", func(m *onnxpb.ModelProto) {
			m.Graph.Node[0].DeviceConfigurations = []*onnxpb.NodeDeviceConfigurationProto{{}}
		}, 11, "device configuration of node"},
		{"4-bit float", plain + "init w f4e2m1[2] 1\ny = Foo(x, w)", nil, 11, "f4e2m1"},
		{"scales", plain + "init w f8e8m0[2] 1\ny = Foo(x, w)", nil, 12, "f8e8m0"},
		{"2-bit integers", plain + "init w u2[2] 1\ny = Foo(x, w)", nil, 13, "u2"},
		{"6-bit floats", plain + "init w f6e3m2[2] 1\ny = Foo(x, w)", nil, 14, "f6e3m2"},
		{"unknown element type", plain + "value h f32\nh = Foo(x)\ny = Foo(h)", func(m *onnxpb.ModelProto) {
			m.Graph.ValueInfo[0].Type.GetTensorType().ElemType = proto.Int32(99)
		}, math.MaxInt64, "type(99)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := graphtest.Proto(t, "ir 1\n"+tt.text)
			if tt.change != nil {
				tt.change(p)
			}
			got := graphtest.Decode(t, p).NeededIR()
			if got.Version != tt.want || !strings.Contains(got.What, tt.what) || !strings.Contains(got.What, got.Name) {
				t.Errorf("got %v, want %d by %q", got, tt.want, tt.what)
			}
		})
	}
}

// TestLatestIRVersion keeps what is known of versions in step with the messages.
func TestLatestIRVersion(t *testing.T) {
	if graphops.LatestIRVersion != int64(onnxpb.Version_IR_VERSION) {
		t.Errorf("the messages are those of version %d", onnxpb.Version_IR_VERSION)
	}
	for number, name := range onnxpb.TensorProto_DataType_name {
		m := graphtest.Model(t, "ir 1\ninput x f32\noutput y f32\ny = Cast(x) to="+strconv.Itoa(int(number)))
		if n := m.NeededIR(); n.Version > graphops.LatestIRVersion {
			t.Errorf("%s needs %v", name, n)
		}
	}
}

// TestAtLeastIR covers each way in which an input can have an initializer.
func TestAtLeastIR(t *testing.T) {
	const text = "ir %d\ninput x f32[2]\ninput w f32[2]\ninput s f32[2]\ninit w f32[2] 1\nsparse s f32[2] 3 at 1\nh = Add(x, w)\noutput y f32[2]\ny = Add(h, s)"
	for _, tt := range []struct {
		from, to, version int64
		inputs            string
	}{
		{3, 2, 3, "x w s"},
		{2, 3, 3, "x w s"},
		{3, 4, 4, "x"},
		{3, 10, 10, "x"},
		{4, 8, 8, "x w s"}, // a caller can replace them already
		{9, 4, 9, "x w s"},
	} {
		m := graphtest.Model(t, fmt.Sprintf(text, tt.from))
		got := m.AtLeastIR(tt.to)
		var inputs []string
		for _, v := range got.Graph().Inputs() {
			inputs = append(inputs, v.Name())
		}
		if strings.Join(inputs, " ") != tt.inputs || got.IRVersion() != tt.version {
			t.Errorf("%d to %d: inputs %q of version %d, expected %q of version %d", tt.from, tt.to, inputs, got.IRVersion(), tt.inputs, tt.version)
		}
		if tt.to <= tt.from && got != m {
			t.Errorf("%d to %d is another model", tt.from, tt.to)
		}
	}
}
