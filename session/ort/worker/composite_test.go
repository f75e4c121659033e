//go:build cgo

package worker_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

func sequenceType(of *onnxpb.TypeProto) *onnxpb.TypeProto {
	return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_SequenceType{SequenceType: &onnxpb.TypeProto_Sequence{ElemType: of}}}
}

func optionalType(of *onnxpb.TypeProto) *onnxpb.TypeProto {
	return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_OptionalType{OptionalType: &onnxpb.TypeProto_Optional{ElemType: of}}}
}

// passing hands its input on as it is.
func passing(t *testing.T, typ *onnxpb.TypeProto) []byte {
	return modelBytes(t, &onnxpb.GraphProto{
		Node:   []*onnxpb.NodeProto{node("Identity", []string{"x"}, []string{"y"})},
		Input:  []*onnxpb.ValueInfoProto{{Name: proto.String("x"), Type: typ}},
		Output: []*onnxpb.ValueInfoProto{{Name: proto.String("y"), Type: typ}},
	})
}

// What is no tensor comes back as it went in: sequences and optionals, empty ones
// too.
func TestSequencesAndOptionals(t *testing.T) {
	client := start(t)
	of := func(d tensor.DType) graphops.Type { return graphops.Type{Kind: graphops.TypeTensor, Elem: d} }
	text := tensor.FromStrings([]string{"a", "", "ü"}, 3)
	some := graphops.TensorValue(pattern(t, tensor.F32, 2, 3))
	other := graphops.TensorValue(pattern(t, tensor.F32))
	half := graphops.TensorValue(pattern(t, tensor.F16, 5))
	floats, halves, texts := tensorType(tensor.F32), tensorType(tensor.F16), tensorType(tensor.String)
	for _, typ := range []*onnxpb.TypeProto{floats, halves, texts} {
		typ.GetTensorType().Shape = nil
	}
	tests := []struct {
		name  string
		typ   *onnxpb.TypeProto
		value graphops.Value
	}{
		{"sequence", sequenceType(floats), graphops.SequenceValue(of(tensor.F32), some, other, some)},
		{"sequence of halves", sequenceType(halves), graphops.SequenceValue(of(tensor.F16), half)},
		{"sequence of texts", sequenceType(texts), graphops.SequenceValue(of(tensor.String), graphops.TensorValue(text))},
		{"empty sequence", sequenceType(floats), graphops.SequenceValue(of(tensor.F32))},
		{"empty sequence of texts", sequenceType(texts), graphops.SequenceValue(of(tensor.String))},
		{"optional tensor", optionalType(floats), graphops.OptionalValue(of(tensor.F32), some)},
		{"optional without tensor", optionalType(floats), graphops.OptionalValue(of(tensor.F32))},
		{
			"optional sequence", optionalType(sequenceType(floats)),
			graphops.OptionalValue(graphops.SequenceValue(of(tensor.F32)).Type, graphops.SequenceValue(of(tensor.F32), some, other)),
		},
		{
			"optional without sequence", optionalType(sequenceType(floats)),
			graphops.OptionalValue(graphops.SequenceValue(of(tensor.F32)).Type),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			session := load(t, client, passing(t, tt.typ))
			got, err := collect(func(yield func(execution.Got) error) error {
				return session.Run(t.Context(), graphops.Feeds{"x": tt.value}, nil, yield)
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]execution.Got{{Name: "y", Value: tt.value}}, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func mapType(key tensor.DType, of *onnxpb.TypeProto) *onnxpb.TypeProto {
	return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_MapType{MapType: &onnxpb.TypeProto_Map{KeyType: proto.Int32(int32(key)), ValueType: of}}}
}

// A map goes in, a sequence of maps comes out.
func TestMaps(t *testing.T) {
	client := start(t)
	vocabulary := &onnxpb.AttributeProto{
		Name: proto.String("string_vocabulary"), Type: onnxpb.AttributeProto_STRINGS.Enum(),
		Strings: [][]byte{[]byte("one"), []byte("two"), []byte("three")},
	}
	vectorize := node("DictVectorizer", []string{"x"}, []string{"v"}, vocabulary)
	vectorize.Domain = proto.String("ai.onnx.ml")
	classes := &onnxpb.AttributeProto{
		Name: proto.String("classlabels_int64s"), Type: onnxpb.AttributeProto_INTS.Enum(), Ints: []int64{7, 8, 9},
	}
	zip := node("ZipMap", []string{"v"}, []string{"y"}, classes)
	zip.Domain = proto.String("ai.onnx.ml")
	session := load(t, client, modelBytes(t, &onnxpb.GraphProto{
		Node:   []*onnxpb.NodeProto{vectorize, zip},
		Input:  []*onnxpb.ValueInfoProto{{Name: proto.String("x"), Type: mapType(tensor.String, tensorType(tensor.F32))}},
		Output: []*onnxpb.ValueInfoProto{{Name: proto.String("y"), Type: sequenceType(mapType(tensor.I64, tensorType(tensor.F32)))}},
	}))
	in := graphops.MapValue(tensor.FromStrings([]string{"three", "one"}, 2), tensor.FromSlice([]float32{3, 1}, 2))
	got, err := collect(func(yield func(execution.Got) error) error {
		return session.Run(t.Context(), graphops.Feeds{"x": in}, nil, yield)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := graphops.MapValue(tensor.FromSlice([]int64{7, 8, 9}, 3), tensor.FromSlice([]float32{1, 0, 3}, 3))
	want.Type.Of.Shape = nil
	if diff := cmp.Diff([]execution.Got{{Name: "y", Value: graphops.SequenceValue(want.Type, want)}}, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// What contradicts itself, or cannot be made, is refused and the session lives.
func TestWrongComposites(t *testing.T) {
	client := start(t)
	session := load(t, client, passing(t, sequenceType(tensorType(tensor.F32))))
	of := graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32}
	one := graphops.TensorValue(pattern(t, tensor.F32, 1))
	for name, in := range map[string]graphops.Value{
		"mixed types":        graphops.SequenceValue(of, one, graphops.TensorValue(pattern(t, tensor.I64, 1))),
		"a tensor":           one,
		"an opaque value":    {Type: graphops.Type{Kind: graphops.TypeOpaque}},
		"half a map":         {Type: graphops.Type{Kind: graphops.TypeMap, Elem: tensor.I64, Of: &of}, Items: []graphops.Value{one}},
		"an empty map":       {Type: graphops.Type{Kind: graphops.TypeMap, Elem: tensor.I64, Of: &of}},
		"two in an optional": graphops.OptionalValue(of, one, one),
		"empty of unknown":   {Type: graphops.Type{Kind: graphops.TypeSequence}},
	} {
		_, err := collect(func(yield func(execution.Got) error) error {
			return session.Run(t.Context(), graphops.Feeds{"x": in}, nil, yield)
		})
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	deep := one
	for range 20 {
		deep = graphops.SequenceValue(deep.Type, deep)
	}
	err := session.Run(t.Context(), graphops.Feeds{"x": deep}, nil, nil)
	checkText(t, err, `running "model in memory": input "x": it is nested deeper than 8 levels`)
	if err := session.Run(t.Context(), graphops.Feeds{"x": graphops.SequenceValue(of, one)}, nil, func(execution.Got) error { return nil }); err != nil {
		t.Errorf("after it: %v", err)
	}
}
