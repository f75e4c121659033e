package onnxtext_test

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"lathe/graphops"
	"lathe/graphops/onnxpb"
	"lathe/graphops/onnxtext"
	"lathe/graphops/tensor"
)

// plain is a message without what the syntax cannot say, in the one form that equal
// messages have: elements as raw data, no fields that hold their default.
type plain struct {
	t    testing.TB
	lost map[string]bool // what was taken out, as Loss calls it
}

// unsaid are the fields that the syntax cannot say.
var unsaid = map[protoreflect.FullName][]protoreflect.Name{
	"onnx.ModelProto":                 {"training_info", "configuration"},
	"onnx.GraphProto":                 {"doc_string", "quantization_annotation", "metadata_props"},
	"onnx.NodeProto":                  {"doc_string", "metadata_props", "device_configurations"},
	"onnx.AttributeProto":             {"doc_string"},
	"onnx.ValueInfoProto":             {"doc_string", "metadata_props"},
	"onnx.TensorProto":                {"segment", "doc_string", "metadata_props"},
	"onnx.FunctionProto":              {"metadata_props"},
	"onnx.TypeProto":                  {"denotation"},
	"onnx.TensorShapeProto.Dimension": {"denotation"},
}

// partNames are what Loss calls the messages.
var partNames = map[protoreflect.FullName]string{
	"onnx.ModelProto": "the model", "onnx.GraphProto": "a graph", "onnx.NodeProto": "a node",
	"onnx.AttributeProto": "an attribute", "onnx.ValueInfoProto": "a value", "onnx.TensorProto": "a tensor",
	"onnx.FunctionProto": "a function", "onnx.TypeProto": "a type", "onnx.TensorShapeProto.Dimension": "a dimension",
}

// bytes serializes a message in its plain form and changes it on the way.
func (p *plain) bytes(m *onnxpb.ModelProto) []byte {
	p.message(m.ProtoReflect())
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

func (p *plain) message(m protoreflect.Message) {
	p.special(m.Interface())
	d := m.Descriptor()
	for _, name := range unsaid[d.FullName()] {
		f := d.Fields().ByName(name)
		if m.Has(f) && (f.Kind() != protoreflect.StringKind || f.IsList() || m.Get(f).String() != "") {
			p.lost[string(name)+" of "+partNames[d.FullName()]] = true
		}
		m.Clear(f)
	}
	if len(m.GetUnknown()) > 0 {
		p.lost["a field that ONNX does not define of "+partNames[d.FullName()]] = true
		m.SetUnknown(nil)
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsList() && f.Kind() == protoreflect.MessageKind:
			for i := range v.List().Len() {
				p.message(v.List().Get(i).Message())
			}
		case f.Kind() == protoreflect.MessageKind && !f.IsList():
			p.message(v.Message())
		case !f.IsList() && v.Equal(f.Default()) && !isNegativeZero(v) && f.ContainingOneof() == nil:
			m.Clear(f)
		}
		return true
	})
}

func isNegativeZero(v protoreflect.Value) bool {
	f, ok := v.Interface().(float32)
	return ok && f == 0 && math.Signbit(float64(f))
}

// special puts right what the fields alone do not tell.
func (p *plain) special(m proto.Message) {
	switch m := m.(type) {
	case *onnxpb.AttributeProto:
		p.attribute(m)
	case *onnxpb.TensorProto:
		p.tensor(m)
	case *onnxpb.GraphProto:
		m.Initializer = slices.DeleteFunc(m.Initializer, func(t *onnxpb.TensorProto) bool {
			odd := !sayableElement(t.GetDataType())
			if odd {
				p.lost["an initializer of a type that the syntax cannot express"] = true
			}
			return odd
		})
		if len(m.SparseInitializer) > 0 {
			p.lost["a sparse initializer"] = true
			m.SparseInitializer = nil
		}
	case *onnxpb.NodeProto:
		for _, a := range m.Attribute {
			if a.GetType() == onnxpb.AttributeProto_SPARSE_TENSOR {
				p.lost["an attribute of kind sparse_tensor, which the syntax cannot express"] = true
			}
		}
		m.Attribute = slices.DeleteFunc(m.Attribute, func(a *onnxpb.AttributeProto) bool { return a.GetType() == onnxpb.AttributeProto_SPARSE_TENSOR })
	case *onnxpb.ValueInfoProto:
		if m.Type != nil && !sayableType(m.Type) {
			p.lost["type of a value, which the syntax cannot express"] = true
			m.Type = nil
		}
	}
}

func sayableType(t *onnxpb.TypeProto) bool {
	switch v := t.Value.(type) {
	case *onnxpb.TypeProto_TensorType:
		return sayableElement(v.TensorType.GetElemType())
	case *onnxpb.TypeProto_SequenceType:
		return v.SequenceType.ElemType != nil && sayableType(v.SequenceType.ElemType)
	case *onnxpb.TypeProto_OptionalType:
		return v.OptionalType.ElemType != nil && sayableType(v.OptionalType.ElemType)
	case *onnxpb.TypeProto_MapType:
		return v.MapType.ValueType != nil && sayableType(v.MapType.ValueType)
	}
	return t.Value != nil
}

func sayableElement(d int32) bool { return d > 0 && d < int32(onnxpb.TensorProto_FLOAT6E2M3) }

// tensor takes the elements out of a tensor that has another number of them than it
// says.
func (p *plain) tensor(m *onnxpb.TensorProto) {
	raw(m)
	d := tensor.DType(m.GetDataType())
	if d == tensor.String || m.GetDataLocation() == onnxpb.TensorProto_EXTERNAL {
		return
	}
	n, err := tensor.Elements(m.Dims)
	if err == nil {
		n, err = d.ByteLen(n)
	}
	if err != nil || n != int64(len(m.RawData)) {
		p.lost["the elements of a tensor, because they do not match its type or shape"] = true
		m.RawData = nil
	}
}

// attribute fills in the kind of old files, and takes out names that must be
// identifiers and are not.
func (p *plain) attribute(a *onnxpb.AttributeProto) {
	if a.Type == nil && a.RefAttrName == nil {
		switch {
		case a.F != nil:
			a.Type = onnxpb.AttributeProto_FLOAT.Enum()
		case a.I != nil:
			a.Type = onnxpb.AttributeProto_INT.Enum()
		case a.S != nil:
			a.Type = onnxpb.AttributeProto_STRING.Enum()
		case a.T != nil:
			a.Type = onnxpb.AttributeProto_TENSOR.Enum()
		case a.Ints != nil:
			a.Type = onnxpb.AttributeProto_INTS.Enum()
		case a.Floats != nil:
			a.Type = onnxpb.AttributeProto_FLOATS.Enum()
		case a.Strings != nil:
			a.Type = onnxpb.AttributeProto_STRINGS.Enum()
		}
	}
	for _, t := range append(slices.Clone(a.Tensors), a.T) {
		if t != nil && t.GetName() != "" && !onnxtext.IsIdentifier(t.GetName()) {
			p.lost["the name of a tensor in an attribute that is not an identifier"] = true
			t.Name = nil
		}
	}
	for _, g := range append(slices.Clone(a.Graphs), a.G) {
		if g != nil && !onnxtext.NamesBody(g.GetName()) {
			p.lost["the name of a body that is not an identifier"] = true
			g.Name = proto.String(onnxtext.Identifier(g.GetName()))
		}
	}
}

// raw turns typed elements into raw data.
func raw(t *onnxpb.TensorProto) {
	var b []byte
	for _, v := range t.FloatData {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	for _, v := range t.DoubleData {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	for _, v := range t.Int64Data {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	for _, v := range t.Uint64Data {
		if t.GetDataType() == int32(onnxpb.TensorProto_UINT32) {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		} else {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	for _, v := range t.Int32Data {
		switch onnxpb.TensorProto_DataType(t.GetDataType()) {
		case onnxpb.TensorProto_INT32:
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		case onnxpb.TensorProto_INT16, onnxpb.TensorProto_UINT16, onnxpb.TensorProto_FLOAT16, onnxpb.TensorProto_BFLOAT16:
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		default:
			b = append(b, byte(v))
		}
	}
	t.FloatData, t.DoubleData, t.Int64Data, t.Uint64Data, t.Int32Data = nil, nil, nil, nil, nil
	if b != nil {
		t.RawData = b
	}
}

// message is a serialized model as the generated code reads it.
func message(t testing.TB, b []byte) *onnxpb.ModelProto {
	t.Helper()
	m := &onnxpb.ModelProto{}
	if err := proto.Unmarshal(b, m); err != nil {
		t.Fatal(err)
	}
	return m
}

// same reads a text back and compares it with the file that the model was opened
// from: equal but for what was told to be lost, and that is lost.
func same(t testing.TB, file []byte, text string, losses []onnxtext.Loss) {
	t.Helper()
	got, err := onnxtext.Encode(text)
	if err != nil {
		t.Error(err)
		return
	}
	compare(t, message(t, file), message(t, got), losses)
	if _, err := graphops.Decode(got); err != nil {
		t.Error(err)
	}
}

// compare demands that two messages are equal but for what was told to be lost, and
// that it is lost.
func compare(t testing.TB, wanted, had *onnxpb.ModelProto, losses []onnxtext.Loss) {
	t.Helper()
	want, have := plain{t, map[string]bool{}}, plain{t, map[string]bool{}}
	if string(want.bytes(wanted)) != string(have.bytes(had)) {
		t.Errorf("the text reads back as another model%s", difference(wanted, had))
	}
	told := map[string]bool{}
	for _, l := range losses {
		if !l.Parser {
			told[l.What] = true
		}
	}
	if !maps.Equal(told, want.lost) {
		t.Errorf("losses told %v, lost %v", slices.Sorted(maps.Keys(told)), slices.Sorted(maps.Keys(want.lost)))
	}
}

// difference tells the first part of two models that differs.
func difference(a, b *onnxpb.ModelProto) string {
	for i, n := range a.Graph.Node {
		if i < len(b.Graph.Node) && !proto.Equal(n, b.Graph.Node[i]) {
			return "; want node " + n.String() + "\nhave " + b.Graph.Node[i].String()
		}
	}
	for i, n := range a.Graph.Initializer {
		if i < len(b.Graph.Initializer) && !proto.Equal(n, b.Graph.Initializer[i]) {
			return "; initializer " + n.GetName()
		}
	}
	a, b = proto.CloneOf(a), proto.CloneOf(b)
	a.Graph.Node, b.Graph.Node, a.Graph.Initializer, b.Graph.Initializer = nil, nil, nil, nil
	return ";\nwant " + a.String() + "\nhave " + b.String()
}
