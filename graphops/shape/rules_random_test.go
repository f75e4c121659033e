package shape_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
)

// TestRandomNodes asks for the shapes of nodes of every operator of the standard in
// every version, with inputs and attributes that mostly make no sense. What counts
// is that there is an answer.
func TestRandomNodes(t *testing.T) {
	const rounds = 10
	for _, domain := range []string{"", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training"} {
		for _, name := range opschema.Names(domain) {
			for _, s := range opschema.Versions(domain, name) {
				r := rand.New(rand.NewPCG(uint64(s.Since), uint64(len(name))))
				for i := range rounds {
					inferRandom(t, r, s, i)
				}
			}
		}
	}
}

func inferRandom(t *testing.T, r *rand.Rand, s *opschema.Schema, round int) {
	t.Helper()
	p := randomModel(r, s)
	defer func() {
		if fault := recover(); fault != nil {
			t.Errorf("%s %s %d, round %d: %v\n%s", s.Domain, s.Name, s.Since, round, fault, p)
		}
	}()
	m := graphtest.Decode(t, p)
	if _, err := shape.Infer(t.Context(), m, shape.Options{}); err != nil {
		t.Errorf("%s %s %d, round %d: %v", s.Domain, s.Name, s.Since, round, err)
	}
}

// randomModel has one node of an operator.
func randomModel(r *rand.Rand, s *opschema.Schema) *onnxpb.ModelProto {
	g := &onnxpb.GraphProto{Name: proto.String("g")}
	n := &onnxpb.NodeProto{OpType: proto.String(s.Name), Domain: proto.String(s.Domain)}
	for i := range r.IntN(min(s.MaxInputs, 6) + 2) {
		n.Input = append(n.Input, randomInput(r, g, fmt.Sprint("x", i)))
	}
	for i := range r.IntN(5) {
		n.Output = append(n.Output, fmt.Sprint("y", i))
	}
	for _, a := range s.Attributes {
		if r.IntN(4) > 0 {
			n.Attribute = append(n.Attribute, randomAttribute(r, a))
		}
	}
	g.Node = []*onnxpb.NodeProto{n}
	return &onnxpb.ModelProto{
		IrVersion: proto.Int64(10), Graph: g,
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Domain: proto.String(s.Domain), Version: proto.Int64(s.Since)}},
	}
}

// randomInput is the name of a new input or constant, or "".
func randomInput(r *rand.Rand, g *onnxpb.GraphProto, name string) string {
	switch r.IntN(8) {
	case 0:
		return ""
	case 1, 2:
		g.Initializer = append(g.Initializer, randomTensor(r, name))
	default:
		g.Input = append(g.Input, &onnxpb.ValueInfoProto{Name: proto.String(name), Type: randomType(r)})
	}
	return name
}

var oddInts = []int64{-2, -1, 0, 0, 1, 1, 2, 2, 3, 4, 5, 8, 1 << 40, math.MaxInt64, math.MinInt64}

func oddInt(r *rand.Rand) int64 { return oddInts[r.IntN(len(oddInts))] }

func oddIntsOf(r *rand.Rand) []int64 {
	out := make([]int64, r.IntN(6))
	for i := range out {
		out[i] = oddInt(r)
	}
	return out
}

func randomTensor(r *rand.Rand, name string) *onnxpb.TensorProto {
	t := &onnxpb.TensorProto{Name: proto.String(name), DataType: proto.Int32(int32(onnxpb.TensorProto_INT64)), Int64Data: oddIntsOf(r)}
	t.Dims = []int64{int64(len(t.Int64Data))}
	if len(t.Int64Data) == 1 && r.IntN(2) == 0 {
		t.Dims = nil
	}
	return t
}

func randomType(r *rand.Rand) *onnxpb.TypeProto {
	t := &onnxpb.TypeProto_Tensor{ElemType: proto.Int32([]int32{1, 7, 8, 9, 2, 3}[r.IntN(6)])}
	if r.IntN(8) > 0 {
		t.Shape = &onnxpb.TensorShapeProto{}
		for range r.IntN(6) {
			t.Shape.Dim = append(t.Shape.Dim, randomDim(r))
		}
	}
	whole := &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: t}}
	switch r.IntN(10) {
	case 0:
		return nil
	case 1:
		return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_SequenceType{SequenceType: &onnxpb.TypeProto_Sequence{ElemType: whole}}}
	case 2:
		return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_OptionalType{OptionalType: &onnxpb.TypeProto_Optional{ElemType: whole}}}
	case 3:
		return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_MapType{MapType: &onnxpb.TypeProto_Map{KeyType: proto.Int32(7), ValueType: whole}}}
	default:
		return whole
	}
}

func randomDim(r *rand.Rand) *onnxpb.TensorShapeProto_Dimension {
	switch r.IntN(4) {
	case 0:
		return &onnxpb.TensorShapeProto_Dimension{}
	case 1:
		return &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: []string{"a", "b", "2*a", "a-1"}[r.IntN(4)]}}
	default:
		return &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: oddInt(r)}}
	}
}

var oddTexts = []string{"", "none", "bidirectional", "SAME_UPPER", "VALID", "SPARSE", "ij,jk->ik", "...i,...i->...", "ii", "linear", "floor", "x"}

// randomAttribute is of the kind that the operator takes, or of another one.
func randomAttribute(r *rand.Rand, of opschema.Attribute) *onnxpb.AttributeProto {
	a := &onnxpb.AttributeProto{Name: proto.String(of.Name)}
	kind := onnxpb.AttributeProto_AttributeType(of.Kind)
	if r.IntN(8) == 0 {
		kind = onnxpb.AttributeProto_AttributeType(1 + r.IntN(10))
	}
	a.Type = kind.Enum()
	switch kind {
	case onnxpb.AttributeProto_INT:
		a.I = proto.Int64(oddInt(r))
	case onnxpb.AttributeProto_INTS:
		a.Ints = oddIntsOf(r)
	case onnxpb.AttributeProto_FLOAT:
		a.F = proto.Float32(float32(oddInt(r)) / 4)
	case onnxpb.AttributeProto_FLOATS:
		for _, n := range oddIntsOf(r) {
			a.Floats = append(a.Floats, float32(n)/4)
		}
	case onnxpb.AttributeProto_STRING:
		a.S = []byte(oddTexts[r.IntN(len(oddTexts))])
	case onnxpb.AttributeProto_STRINGS:
		for range r.IntN(4) {
			a.Strings = append(a.Strings, []byte(oddTexts[r.IntN(len(oddTexts))]))
		}
	case onnxpb.AttributeProto_TENSOR:
		a.T = randomTensor(r, "")
	case onnxpb.AttributeProto_GRAPH:
		a.G = randomBody(r)
	}
	return a
}

// randomBody gives some of its inputs back.
func randomBody(r *rand.Rand) *onnxpb.GraphProto {
	g := &onnxpb.GraphProto{Name: proto.String("body")}
	for i := range r.IntN(4) {
		in, out := fmt.Sprint("in", i), fmt.Sprint("out", i)
		g.Input = append(g.Input, &onnxpb.ValueInfoProto{Name: &in, Type: randomType(r)})
		g.Node = append(g.Node, &onnxpb.NodeProto{OpType: proto.String("Identity"), Input: []string{in}, Output: []string{out}})
		g.Output = append(g.Output, &onnxpb.ValueInfoProto{Name: &out})
	}
	return g
}
