//go:build cgo

package worker_test

import (
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
	"lathe/session/ort"
)

func load(tb testing.TB, client *ort.Client, model []byte) *ort.Session {
	tb.Helper()
	session, err := client.Load(tb.Context(), ort.Model{Bytes: model}, ort.SessionOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return session
}

// pattern fills a tensor with bytes that differ from each other. Where the
// elements do not fill the last byte, its free bits are zero.
func pattern(tb testing.TB, dtype tensor.DType, shape ...int64) tensor.Tensor {
	tb.Helper()
	n, err := tensor.Elements(shape)
	if err != nil {
		tb.Fatal(err)
	}
	size, err := dtype.ByteLen(n)
	if err != nil {
		tb.Fatal(err)
	}
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(7*i + 1)
		if dtype == tensor.Bool {
			data[i] &= 1
		}
	}
	if free := int(size)*8 - int(n)*dtype.Bits(); free > 0 {
		data[size-1] &= 0xff >> free
	}
	return tensor.Tensor{DType: dtype, Shape: shape, Data: data}
}

// Every element type that the CPU provider copies comes back as it went in, at
// every rank.
func TestEveryTypeAndRank(t *testing.T) {
	client := start(t)
	types := []tensor.DType{
		tensor.F32, tensor.F64, tensor.F16, tensor.BF16, tensor.Bool,
		tensor.I8, tensor.U8, tensor.I16, tensor.U16, tensor.I32, tensor.U32, tensor.I64, tensor.U64,
		tensor.F8E4M3FN, tensor.F8E4M3FNUZ, tensor.F8E5M2, tensor.F8E5M2FNUZ, tensor.I4, tensor.U4, tensor.F4E2M1, tensor.I2, tensor.U2, tensor.F8E8M0,
	}
	shapes := []struct {
		name  string
		shape []int64
		dims  []any
	}{
		{"scalar", nil, nil},
		{"vector", []int64{5}, []any{"n"}},
		{"empty", []int64{2, 0}, []any{2, 0}},
		{"matrix", []int64{3, 2}, []any{"n", 2}},
		{"rank 6", []int64{1, 2, 1, 3, 1, 2}, []any{1, 2, 1, 3, 1, 2}},
	}
	for _, dtype := range types {
		for _, s := range shapes {
			t.Run(dtype.String()+" "+s.name, func(t *testing.T) {
				model := identity(t, dtype, s.dims...)
				if dtype.Bits() < 8 || dtype == tensor.F8E8M0 {
					model = through(t, dtype, s.dims...)
				}
				session, err := client.Load(t.Context(), ort.Model{Bytes: model}, ort.SessionOptions{})
				if err != nil && strings.Contains(err.Error(), "is not currently registered or supported") {
					t.Skip(err) // 1.24 has no f8e8m0
				}
				if err != nil {
					t.Fatal(err)
				}
				in := pattern(t, dtype, s.shape...)
				got, err := run(t.Context(), session, map[string]tensor.Tensor{session.Inputs()[0].Name: in}, nil)
				if err != nil {
					t.Fatal(err)
				}
				want := []execution.Got{{Name: "y", Value: graphops.TensorValue(in)}}
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Error(diff)
				}
				if err := session.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestStrings(t *testing.T) {
	client := start(t)
	session := load(t, client, identity(t, tensor.String, "n"))
	tests := [][]string{
		{"one"},
		{"", "a\x00b", "ümlaut", "\xff\xfe not UTF-8", ""},
		nil,
	}
	for _, text := range tests {
		in := tensor.Tensor{DType: tensor.String, Shape: []int64{int64(len(text))}, Strings: text}
		got, err := run(t.Context(), session, map[string]tensor.Tensor{"x": in}, []string{"y"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text, got[0].Value.Tensor.Strings, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestInt4Dequantized(t *testing.T) {
	client := start(t)
	scale := &onnxpb.TensorProto{Name: proto.String("scale"), DataType: proto.Int32(int32(tensor.F32)), FloatData: []float32{0.5}}
	session := load(t, client, modelBytes(t, &onnxpb.GraphProto{
		Node:        []*onnxpb.NodeProto{node("DequantizeLinear", []string{"x", "scale"}, []string{"y"})},
		Input:       []*onnxpb.ValueInfoProto{value("x", tensor.I4, 3)},
		Output:      []*onnxpb.ValueInfoProto{value("y", tensor.F32, 3)},
		Initializer: []*onnxpb.TensorProto{scale},
	}))
	// 1, -2, 7: the first in the low bits.
	in := tensor.Tensor{DType: tensor.I4, Shape: []int64{3}, Data: []byte{0xe1, 0x07}}
	got, err := run(t.Context(), session, map[string]tensor.Tensor{"x": in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(floats(0.5, -1, 3.5), got[0].Value.Tensor.Data); diff != "" {
		t.Error(diff)
	}
}

func floats(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func TestModelWithoutInputs(t *testing.T) {
	client := start(t)
	session := load(t, client, modelBytes(t, &onnxpb.GraphProto{
		Node:        []*onnxpb.NodeProto{node("Identity", []string{"c"}, []string{"y"})},
		Output:      []*onnxpb.ValueInfoProto{value("y", tensor.I64, 2)},
		Initializer: []*onnxpb.TensorProto{int64s("c", []int64{2}, 3, 4)},
	}))
	if len(session.Inputs()) != 0 {
		t.Errorf("inputs: %+v", session.Inputs())
	}
	got, err := run(t.Context(), session, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []byte{3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0}
	if diff := cmp.Diff(want, got[0].Value.Tensor.Data); diff != "" {
		t.Error(diff)
	}
}

func TestPorts(t *testing.T) {
	client := start(t)
	unranked := value("free", tensor.F32)
	unranked.Type.GetTensorType().Shape = nil
	session := load(t, client, modelBytes(t, &onnxpb.GraphProto{
		Node: []*onnxpb.NodeProto{
			node("Identity", []string{"x"}, []string{"y"}), node("Identity", []string{"free"}, []string{"z"}),
			node("Optional", nil, []string{"none"}, &onnxpb.AttributeProto{
				Name: proto.String("type"), Type: onnxpb.AttributeProto_TYPE_PROTO.Enum(), Tp: tensorType(tensor.F16, 2),
			}),
			node("SequenceConstruct", []string{"x", "x"}, []string{"pair"}),
		},
		Input: []*onnxpb.ValueInfoProto{value("x", tensor.F16, "batch", 3, "\xffodd"), unranked},
		Output: []*onnxpb.ValueInfoProto{
			value("y", tensor.F16, "batch", 3, "\xffodd"),
			{Name: proto.String("none"), Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_OptionalType{
				OptionalType: &onnxpb.TypeProto_Optional{ElemType: tensorType(tensor.F16, 2)},
			}}},
			{Name: proto.String("pair"), Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_SequenceType{
				SequenceType: &onnxpb.TypeProto_Sequence{ElemType: tensorType(tensor.F16)},
			}}},
		},
	}))
	wantInputs := []ort.ValueInfo{
		{Name: "x", Kind: ort.KindTensor, DType: tensor.F16, HasShape: true, Dims: []ort.Dim{{Value: -1, Symbol: "batch"}, {Value: 3}, {Value: -1, Symbol: "\xffodd"}}},
		{Name: "free", Kind: ort.KindTensor, DType: tensor.F32},
	}
	if diff := cmp.Diff(wantInputs, session.Inputs()); diff != "" {
		t.Error(diff)
	}
	var kinds []string
	for _, output := range session.Outputs() {
		kinds = append(kinds, output.Kind)
	}
	if diff := cmp.Diff([]string{"tensor", "opt(f16)", "seq(f16)"}, kinds); diff != "" {
		t.Error(diff)
	}

	feeds := map[string]tensor.Tensor{"x": pattern(t, tensor.F16, 2, 3, 1), "free": pattern(t, tensor.F32)}
	got, err := run(t.Context(), session, feeds, []string{"pair", "none", "y"})
	if err != nil {
		t.Fatal(err)
	}
	half := graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F16}
	x := graphops.TensorValue(feeds["x"])
	want := []execution.Got{
		{Name: "pair", Value: graphops.SequenceValue(half, x, x)},
		{Name: "none", Value: graphops.OptionalValue(half)},
		{Name: "y", Value: x},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestSequenceOfMaps runs a classifier whose second output is a sequence of maps, and a trained model of
// that kind if it is there.
func TestSequenceOfMaps(t *testing.T) {
	client := start(t)
	t.Run("labels", func(t *testing.T) {
		m := graphtest.Bytes(t, `
			opset 17
			opset ai.onnx.ml 3
			input data f32[n,3]
			init names str[3] cat dog bird
			init one i64[1] 1
			top, best = TopK(data, one) axis=1
			label = Gather(names, best)
			output label str
			p = Softmax(data) axis=1
			map = ai.onnx.ml::ZipMap(p) classlabels_strings=['cat','dog','bird']
			output map`)
		in, err := tensor.FromFloat64s(tensor.F32, []float64{1, 5, 2, 7, 0, 1}, 2, 3)
		if err != nil {
			t.Fatal(err)
		}
		got := labelled(t, client, ort.Model{Bytes: m}, in)
		if diff := cmp.Diff([]string{"dog", "cat"}, got[0].Value.Tensor.Strings); diff != "" {
			t.Error(diff)
		}
		if maps := got[1].Value.Items; len(maps) != 2 || maps[1].Items[0].Tensor.Strings[1] != "cat" || maps[1].Items[1].Tensor.Len() != 3 {
			t.Errorf("got %+v", maps)
		}
	})
	t.Run("squeezenet", func(t *testing.T) {
		const path = "../../../../shared/models/vision/squeezenet.onnx"
		if _, err := os.Stat(path); err != nil {
			t.Skip(err)
		}
		in := tensor.Tensor{DType: tensor.F32, Shape: []int64{1, 3, 227, 227}, Data: make([]byte, 3*227*227*4)}
		got := labelled(t, client, ort.Model{Path: path}, in)
		if len(got[1].Value.Items) != 1 || got[1].Value.Items[0].Items[1].Tensor.Len() != 10 || len(got[0].Value.Tensor.Strings) != 1 {
			t.Errorf("got %+v", got)
		}
	})
}

// labelled runs a classifier that returns labels and a sequence of maps.
func labelled(t *testing.T, client *ort.Client, m ort.Model, in tensor.Tensor) []execution.Got {
	t.Helper()
	session, err := client.Load(t.Context(), m, ort.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(t.Context(), session, map[string]tensor.Tensor{"data": in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[1].Value.Type.String() != "seq(map(str,f32))" {
		t.Fatalf("got %+v", got)
	}
	return got
}
