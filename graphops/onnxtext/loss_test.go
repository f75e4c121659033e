package onnxtext_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/onnxtext"
)

// TestLosses plants what the syntax cannot say. It is told, by place and name, and the
// rest is text that can be read.
func TestLosses(t *testing.T) {
	type node = onnxpb.NodeProto
	attribute := func(n *node, a *onnxpb.AttributeProto) {
		if a.Name == nil {
			a.Name = proto.String("a")
		}
		n.Attribute = append(n.Attribute, a)
	}
	for want, plant := range map[string]func(m *onnxpb.ModelProto, n *node){
		`not in the text: training_info of the model`: func(m *onnxpb.ModelProto, _ *node) {
			m.TrainingInfo = []*onnxpb.TrainingInfoProto{{}}
		},
		`not in the text: quantization_annotation of a graph`: func(m *onnxpb.ModelProto, _ *node) {
			m.Graph.QuantizationAnnotation = []*onnxpb.TensorAnnotation{{TensorName: proto.String("x")}}
		},
		`not in the text: elements of a tensor in a field that is not used, at "w"`: func(m *onnxpb.ModelProto, _ *node) {
			m.Graph.Initializer = []*onnxpb.TensorProto{{
				Name: proto.String("w"), DataType: proto.Int32(1), Dims: []int64{1}, RawData: make([]byte, 4), FloatData: []float32{1},
			}}
		},
		`not in the text: a sparse initializer, at "s"`: func(m *onnxpb.ModelProto, _ *node) {
			m.Graph.SparseInitializer = []*onnxpb.SparseTensorProto{{Values: &onnxpb.TensorProto{Name: proto.String("s")}}}
		},
		`not in the text: doc_string of a node, at node 0, Relu "act"`: func(_ *onnxpb.ModelProto, n *node) { n.DocString = proto.String("d") },
		`not in the text: the name of an operator that is not an identifier, at node 0, Relu "act" › "pkg.2.a-b.Relu"`: func(_ *onnxpb.ModelProto, n *node) {
			n.Domain = proto.String("pkg.2.a-b")
		},
		`not in the text: the name of an operator that is not an identifier, at node 0, aten::add "act" › "aten::add"`: func(_ *onnxpb.ModelProto, n *node) {
			n.OpType = proto.String("aten::add")
		},
		`not in the text: the name of an overload that is not an identifier, at node 0, Relu "act" › "1"`: func(_ *onnxpb.ModelProto, n *node) {
			n.Overload = proto.String("1")
		},
		`not in the text: an attribute whose name is not an identifier, at node 0, Relu "act" › "a-b"`: func(_ *onnxpb.ModelProto, n *node) {
			attribute(n, &onnxpb.AttributeProto{Name: proto.String("a-b"), I: proto.Int64(1)})
		},
		`not in the text: an attribute of kind sparse_tensor, which the syntax cannot express, at node 0, Relu "act" › "a"`: func(_ *onnxpb.ModelProto, n *node) {
			attribute(n, &onnxpb.AttributeProto{Type: onnxpb.AttributeProto_SPARSE_TENSOR.Enum(), SparseTensor: &onnxpb.SparseTensorProto{}})
		},
		`not in the text: an attribute of kind undefined, which the syntax cannot express, at node 0, Relu "act" › "a"`: func(_ *onnxpb.ModelProto, n *node) {
			attribute(n, &onnxpb.AttributeProto{})
		},
		`not in the text: an attribute of kind tensor, which the syntax cannot express, at node 0, Relu "act" › "a"`: func(_ *onnxpb.ModelProto, n *node) {
			attribute(n, &onnxpb.AttributeProto{Type: onnxpb.AttributeProto_TENSOR.Enum()})
		},
		`not in the text: an attribute of kind type_proto, which the syntax cannot express, at node 0, Relu "act" › "a"`: func(_ *onnxpb.ModelProto, n *node) {
			attribute(n, &onnxpb.AttributeProto{Tp: &onnxpb.TypeProto{}})
		},
		`not in the text: a second value of an attribute, at node 0, Relu "act" › "a"`: func(_ *onnxpb.ModelProto, n *node) {
			attribute(n, &onnxpb.AttributeProto{Type: onnxpb.AttributeProto_INT.Enum(), I: proto.Int64(1), F: proto.Float32(1)})
		},
		`not in the text: the payload of a NaN, at node 0, Relu "act" › attribute "a"`: func(_ *onnxpb.ModelProto, n *node) {
			attribute(n, &onnxpb.AttributeProto{F: proto.Float32(math.Float32frombits(0x7fc00001))})
		},
		`not in the text: the name of a body that is not an identifier, at node 0, Relu "act" › attribute "a" › "nan_x"`: func(_ *onnxpb.ModelProto, n *node) {
			attribute(n, &onnxpb.AttributeProto{G: &onnxpb.GraphProto{Name: proto.String("nan_x")}})
		},
		`not in the text: type of a value, which the syntax cannot express, at "x"`: func(m *onnxpb.ModelProto, _ *node) {
			m.Graph.Input[0].GetType().GetTensorType().ElemType = proto.Int32(99)
		},
		`not in the text: denotation of a dimension, at "x"`: func(m *onnxpb.ModelProto, _ *node) {
			m.Graph.Input[0].GetType().GetTensorType().Shape.Dim[0].Denotation = proto.String("DATA_BATCH")
		},
		`not in the text: a field that ONNX does not define of a value, at "x"`: func(m *onnxpb.ModelProto, _ *node) {
			m.Graph.Input[0].ProtoReflect().SetUnknown([]byte("\x98\x06\x01"))
		},
		`not in the text: external_data of a tensor whose elements are in the model, at "w"`: func(m *onnxpb.ModelProto, _ *node) {
			m.Graph.Initializer[0].ExternalData = []*onnxpb.StringStringEntryProto{{}}
		},
		`not in the text: the external data of a tensor, for which no file is named, at "w"`: func(m *onnxpb.ModelProto, _ *node) {
			m.Graph.Initializer[0].DataLocation = onnxpb.TensorProto_EXTERNAL.Enum()
			m.Graph.Initializer[0].FloatData, m.Graph.Initializer[0].RawData = nil, nil
		},
		`not read by onnx.parser: text that is not UTF-8, in Python`: func(m *onnxpb.ModelProto, _ *node) { m.ProducerName = proto.String("\xff") },
	} {
		p := graphtest.Proto(t, "input x f32[2]\ninit w f32[1] 1\nact: y = Relu(x)\noutput y f32[2]")
		plant(p, p.Graph.Node[0])
		m := graphtest.Decode(t, p)
		var b strings.Builder
		losses, err := onnxtext.Write(&b, m, onnxtext.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(losses) != 1 || losses[0].String() != want {
			t.Errorf("told %v, want %s", losses, want)
		}
		if _, err := onnxtext.Parse(b.String()); err != nil {
			t.Errorf("%s: %v of\n%s", want, err, b.String())
		}
	}
}

// TestMaxElements leaves out what is beyond the limit, of a kind each, and no more.
func TestMaxElements(t *testing.T) {
	const text = `g () => (y) {
   y = Op <a: tensor = float[3] {1,2,3}, b: ints = [1, 2, 3], c: strings = ["x", "y"], d: tensor = string[3] {"a", "b", "c"}, e: tensor = int64[2] {1,2}> ()
}
`
	m, err := onnxtext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	losses, err := onnxtext.Write(&b, m, onnxtext.Options{MaxElements: 2})
	if err != nil || len(losses) != 1 || losses[0].What != onnxtext.LeftOut || losses[0].Count != 3 {
		t.Errorf("%v %v", losses, err)
	}
	want := strings.NewReplacer("1,2,3", "1,2,...", "1, 2, 3", "1, 2, ...", `"b", "c"`, `"b", ...`).Replace(text)
	if b.String() != want {
		t.Errorf("%s, want\n%s", b.String(), want)
	}
	if _, err := onnxtext.Parse(b.String()); err == nil {
		t.Error("a text without all its elements is read")
	}
}

// TestParts writes a graph and a function by themselves.
func TestParts(t *testing.T) {
	m := graphtest.Text(t, "g () => (y) { y = f (x) }\n<domain: \"d\", opset_import: [\"\" : 17]> f (x) => (y) { y = Relu (x) }")
	var graph, function strings.Builder
	first, err := onnxtext.WriteGraph(&graph, m.Graph(), onnxtext.Options{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := onnxtext.WriteFunction(&function, m.Functions()[0], onnxtext.Options{})
	if err != nil || len(slices.Concat(first, second)) > 0 {
		t.Error(first, second, err)
	}
	if want := "g () => (y) {\n   y = f (x)\n}\n"; graph.String() != want {
		t.Errorf("%q, want %q", graph.String(), want)
	}
	if want := "<\n  domain: \"d\",\n  opset_import: [\"\" : 17]\n>\nf (x) => (y)\n{\n   y = Relu (x)\n}\n"; function.String() != want {
		t.Errorf("%q, want %q", function.String(), want)
	}
}
