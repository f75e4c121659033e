package check

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// Checks of how tensors are stored have models that no text tells.
func init() {
	for _, code := range []string{
		"tensor-type", "tensor-shape", "tensor-elements", "tensor-twice", "tensor-segment", "initializer-unnamed",
		"external-missing", "external-outside", "external-location", "external-range", "external-refused", "external-operand",
		"external-overlap", "external-hard-link", "external-own-file", "external-misaligned", "external-case", "external-unused",
		"training-info", "fields-unknown",
	} {
		inGo[code] = true
	}
}

// found is what the checks say of a model, with their codes.
func found(t *testing.T, p *onnxpb.ModelProto) string {
	t.Helper()
	list, err := Model(t.Context(), graphtest.Decode(t, p), Options{Weights: true})
	if err != nil {
		t.Fatal(err)
	}
	wantHints(t, list)
	var lines []string
	for _, p := range list {
		lines = append(lines, p.Code+" "+p.Severity.String()+": "+p.String())
	}
	return strings.Join(lines, "\n")
}

// TestStoredTensors damages one of the tensors of a model: w is read, spare is not,
// k is a Constant.
func TestStoredTensors(t *testing.T) {
	const model = `
		init w f32[2] 1 2
		init spare f32[2] 1 2
		sparse s f32[4] 3 at 1
		init dead f32[2] 1 2
		k = Constant() value={f32[2] 1 2}
		unread = Identity(dead)
		h = Add(w, k)
		y = Add(h, s)
		output y f32`
	tests := map[string]struct {
		damage func(g *onnxpb.GraphProto)
		want   string
	}{
		"healthy": {func(*onnxpb.GraphProto) {}, ""},
		"no type": {
			func(g *onnxpb.GraphProto) { g.Initializer[1].DataType = nil },
			`tensor-type error: initializer "spare": its element type is not stated`,
		},
		"unknown type": {
			func(g *onnxpb.GraphProto) { constantOf(g).DataType = proto.Int32(99) },
			`tensor-type error: node 0 (Constant): the tensor of attribute "value": its element type is type(99), which ONNX does not define`,
		},
		"negative size": {
			func(g *onnxpb.GraphProto) { g.Initializer[0].Dims = []int64{-2} },
			`tensor-shape error: node 2 (Add): initializer "w": negative dimension -2 in shape -2`,
		},
		"negative size, unused": {
			func(g *onnxpb.GraphProto) { g.Initializer[1].Dims = []int64{-2} },
			`tensor-shape warning: initializer "spare": negative dimension -2 in shape -2`,
		},
		"negative size, read in vain": {
			func(g *onnxpb.GraphProto) { g.Initializer[2].Dims = []int64{-2} },
			`tensor-shape error: node 1 (Identity): initializer "dead": negative dimension -2 in shape -2`,
		},
		"too few bytes, read in vain": {
			func(g *onnxpb.GraphProto) { g.Initializer[2].RawData = nil },
			`tensor-elements warning: node 1 (Identity): initializer "dead": f32 2 needs 8 bytes, the file has 0`,
		},
		"too large": {
			func(g *onnxpb.GraphProto) { g.Initializer[0].Dims = []int64{1 << 40, 1 << 40} },
			`tensor-shape error: node 2 (Add): initializer "w": shape 1099511627776×1099511627776 has more than 2^63 elements`,
		},
		"too few bytes": {
			func(g *onnxpb.GraphProto) { g.Initializer[0].RawData = make([]byte, 4) },
			`tensor-elements error: node 2 (Add): initializer "w": f32 2 needs 8 bytes, the file has 4`,
		},
		"too many bytes": {
			func(g *onnxpb.GraphProto) { constantOf(g).RawData = make([]byte, 12) },
			`tensor-elements error: node 0 (Constant): the tensor of attribute "value": f32 2 needs 8 bytes, the file has 12`,
		},
		"too few bytes, unused": {
			func(g *onnxpb.GraphProto) { g.Initializer[1].RawData = nil },
			`tensor-elements warning: initializer "spare": f32 2 needs 8 bytes, the file has 0`,
		},
		"numbers of varying length": {
			func(g *onnxpb.GraphProto) { integers(g.Initializer[1]).Int64Data = []int64{1 << 40, -1} },
			"",
		},
		"too many numbers": {
			func(g *onnxpb.GraphProto) { integers(g.Initializer[1]).Int64Data = []int64{1 << 40, -1, 7} },
			`tensor-elements warning: initializer "spare": i64 2 needs 16 bytes, the file has 24`,
		},
		"another field": {
			func(g *onnxpb.GraphProto) { integers(g.Initializer[1]).FloatData = []float32{1, 2} },
			`tensor-elements warning: initializer "spare": elements of type i64 must not be in field 4 of TensorProto`,
		},
		"raw strings": {
			func(g *onnxpb.GraphProto) { g.Initializer[1].DataType = proto.Int32(8) },
			`tensor-elements warning: initializer "spare": its elements are not strings`,
		},
		"missing strings": {
			func(g *onnxpb.GraphProto) {
				x := g.Initializer[1]
				x.DataType, x.RawData, x.StringData = proto.Int32(8), nil, [][]byte{{'a'}}
			},
			`tensor-elements warning: initializer "spare": str 2 needs 2 strings, the file has 1`,
		},
		"raw and typed": {
			func(g *onnxpb.GraphProto) { g.Initializer[0].FloatData = []float32{1, 2} },
			`tensor-twice warning: node 2 (Add): initializer "w": has elements in float_data in addition to those in raw_data, which are the ones that are read`,
		},
		"two typed fields": {
			func(g *onnxpb.GraphProto) {
				k := constantOf(g)
				k.RawData, k.FloatData, k.Int32Data, k.DoubleData = nil, []float32{1, 2}, []int32{1}, []float64{1}
			},
			`tensor-twice warning: node 0 (Constant): the tensor of attribute "value": has elements in int32_data and double_data in addition to those in float_data, which are the ones that are read`,
		},
		"typed, and raw of another length": {
			func(g *onnxpb.GraphProto) {
				g.Initializer[0].FloatData, g.Initializer[0].RawData = []float32{1, 2}, make([]byte, 4)
			},
			`tensor-elements error: node 2 (Add): initializer "w": f32 2 needs 8 bytes, the file has 4` + "\n" +
				`tensor-twice warning: node 2 (Add): initializer "w": has elements in float_data in addition to those in raw_data, which are the ones that are read`,
		},
		"strings, and raw data beside, unused": {
			func(g *onnxpb.GraphProto) {
				x := g.Initializer[1]
				x.DataType, x.StringData = proto.Int32(8), [][]byte{{'a'}, {'b'}}
			},
			`tensor-twice warning: initializer "spare": has elements in raw_data in addition to those in string_data, which are the ones that are read`,
		},
		"strings, and raw data beside": {
			func(g *onnxpb.GraphProto) {
				x := g.Initializer[0]
				x.DataType, x.StringData = proto.Int32(8), [][]byte{{'a'}, {'b'}}
			},
			`tensor-twice error: node 2 (Add): initializer "w": has elements in raw_data in addition to those in string_data, which are the ones that are read`,
		},
		"segment": {
			func(g *onnxpb.GraphProto) {
				g.Initializer[0].Segment = &onnxpb.TensorProto_Segment{Begin: proto.Int64(0), End: proto.Int64(2)}
			},
			`tensor-segment warning: node 2 (Add): initializer "w": is a segment of a tensor whose other segments are missing`,
		},
		"unnamed": {
			func(g *onnxpb.GraphProto) { g.Initializer[1].Name = nil },
			`initializer-unnamed warning: initializer 1 has no name: f32 2`,
		},
		"ascending coordinates": {
			func(g *onnxpb.GraphProto) { sparse(g, []int64{2, 2}, []int64{2, 2}, 0, 1, 1, 0) },
			"",
		},
		"coordinates that repeat": {
			func(g *onnxpb.GraphProto) { sparse(g, []int64{2, 2}, []int64{2, 2}, 1, 0, 1, 0) },
			`sparse-tensor warning: sparse initializer "s": the index of value 1 does not come after the one before it: indices must ascend and be unique`,
		},
		"descending indices": {
			func(g *onnxpb.GraphProto) { sparse(g, []int64{2, 2}, []int64{2}, 3, 0) },
			`sparse-tensor warning: sparse initializer "s": the index of value 1 does not come after the one before it: indices must ascend and be unique`,
		},
		"a coordinate out of range": {
			func(g *onnxpb.GraphProto) { sparse(g, []int64{2, 3}, []int64{2, 2}, 0, 0, 2, 0) },
			`sparse-tensor error: sparse initializer "s": index 2 of value 1 is out of range, expected one from 0 to 1`,
		},
		"a negative index": {
			func(g *onnxpb.GraphProto) { sparse(g, []int64{4}, []int64{2}, -1, 0) },
			`sparse-tensor error: sparse initializer "s": index -1 of value 0 is out of range, expected one from 0 to 3`,
		},
		"too few indices": {
			func(g *onnxpb.GraphProto) { sparse(g, []int64{4}, []int64{1}, 0) },
			`sparse-tensor error: sparse initializer "s": its indices have shape 1, expected 2 or 2×1`,
		},
		"no dense shape": {
			func(g *onnxpb.GraphProto) { sparse(g, nil, []int64{2}, 0, 1) },
			`sparse-tensor error: sparse initializer "s": it has no shape`,
		},
		"a negative dense size": {
			func(g *onnxpb.GraphProto) { sparse(g, []int64{-4}, []int64{2}, 0, 1) },
			`sparse-tensor error: sparse initializer "s": its shape -4 has a negative size`,
		},
		"no indices": {
			func(g *onnxpb.GraphProto) { g.SparseInitializer[0].Indices = nil },
			`sparse-tensor error: sparse initializer "s": it has 1 values and no indices`,
		},
		"a sparse attribute": {
			func(g *onnxpb.GraphProto) {
				s := proto.Clone(g.SparseInitializer[0]).(*onnxpb.SparseTensorProto)
				s.Dims = []int64{1}
				g.Node[0].Attribute[0] = &onnxpb.AttributeProto{Name: proto.String("sparse_value"), Type: onnxpb.AttributeProto_SPARSE_TENSOR.Enum(), SparseTensor: s}
			},
			`sparse-tensor error: node 0 (Constant): the sparse tensor of attribute "sparse_value": index 1 of value 0 is out of range, expected one from 0 to 0`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := graphtest.Proto(t, model)
			test.damage(p.Graph)
			if got := onlyStored(found(t, p)); got != test.want {
				t.Errorf("says\n%s\nexpected\n%s", got, test.want)
			}
		})
	}
}

// onlyStored are the lines of checks of stored tensors: a damaged tensor is a
// problem of shapes, too.
func onlyStored(lines string) string {
	var out []string
	for line := range strings.SplitSeq(lines, "\n") {
		if strings.HasPrefix(line, "tensor-") || strings.HasPrefix(line, "sparse-") || strings.HasPrefix(line, "initializer-unnamed") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// TestTensorTwiceOutside has a tensor of another file hold elements itself.
func TestTensorTwiceOutside(t *testing.T) {
	p := graphtest.Proto(t, "init w f32[2] 1 2\ny = Neg(w)\noutput y f32[2]")
	outside(p.Graph.Initializer[0], place{"location", "w.bin", "length", "8"})
	p.Graph.Initializer[0].FloatData = []float32{1, 2}
	list, err := Model(t.Context(), written(t, p, map[string]int64{"w.bin": 8}), Options{})
	const want = `node 0 (Neg): initializer "w": has elements in float_data in addition to those in another file, which are the ones that are read`
	if !slices.ContainsFunc(list, func(p Problem) bool { return p.Code == "tensor-twice" && p.String() == want }) {
		t.Errorf("%v, %v; expected %s", list, err, want)
	}
}

func constantOf(g *onnxpb.GraphProto) *onnxpb.TensorProto { return g.Node[0].Attribute[0].T }

// integers makes a tensor one of i64 without elements.
func integers(x *onnxpb.TensorProto) *onnxpb.TensorProto {
	x.DataType, x.RawData = proto.Int32(7), nil
	return x
}

// sparse has the sparse tensor hold two values at other indices.
func sparse(g *onnxpb.GraphProto, dims, of []int64, indices ...int64) {
	s := g.SparseInitializer[0]
	s.Dims = dims
	s.Values.Dims, s.Values.RawData, s.Values.FloatData = []int64{2}, nil, []float32{3, 4}
	s.Indices.Dims, s.Indices.RawData, s.Indices.Int64Data = of, nil, indices
}

func TestTrainingInfo(t *testing.T) {
	p := graphtest.Proto(t, "input x f32\ny = Neg(x)\nz = Neg(y)\noutput y f32\noutput z f32")
	if got := foundBy(t, "training-info", p); got != "" {
		t.Errorf("of a model without it: %s", got)
	}
	p.TrainingInfo = []*onnxpb.TrainingInfoProto{{}}
	const want = "info: training_info has instructions for training the model\n  hint: nothing is needed if you only run the model; to remove them, use lathe prune with all outputs\n  fix: prune --output=y --output=z\n"
	if got := foundBy(t, "training-info", p); got != want {
		t.Errorf("says\n%s\nexpected\n%s", got, want)
	}
}

func TestUnknownFields(t *testing.T) {
	p := graphtest.Proto(t, "input x f32\ny = Neg(x)\noutput y f32")
	p.ProtoReflect().SetUnknown([]byte{0xa0, 0x06, 1, 0xaa, 0x06, 1, 'a'}) // 100: 1, 101: "a"
	const want = "info: field 100 of ModelProto is not defined by ONNX\n  hint: nothing, if a tool added them on purpose; otherwise check whether the file is complete\ninfo: field 101 of ModelProto is not defined by ONNX\n  hint: nothing, if a tool added them on purpose; otherwise check whether the file is complete\n"
	if got := foundBy(t, "fields-unknown", p); got != want {
		t.Errorf("says\n%s\nexpected\n%s", got, want)
	}
}

// foundBy is what one check says of a model.
func foundBy(t *testing.T, code string, p *onnxpb.ModelProto) string {
	t.Helper()
	return saidBy(t, code, graphtest.Decode(t, p))
}
