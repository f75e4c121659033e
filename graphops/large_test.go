package graphops_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// opened writes a message to a file and opens it.
func opened(t *testing.T, p *onnxpb.ModelProto) *graphops.Model {
	t.Helper()
	b, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return openedBytes(t, b)
}

func openedBytes(t *testing.T, b []byte) *graphops.Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.onnx")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// large is a model with lists of n elements in attributes and tensors.
func large(n int) *onnxpb.ModelProto {
	list := &onnxpb.AttributeProto{Name: proto.String("values"), Type: onnxpb.AttributeProto_FLOATS.Enum()}
	ids := &onnxpb.AttributeProto{Name: proto.String("ids")} // its kind shows in its field only
	names := &onnxpb.AttributeProto{Name: proto.String("names"), Type: onnxpb.AttributeProto_STRINGS.Enum()}
	words := &onnxpb.TensorProto{Name: proto.String("words"), DataType: proto.Int32(8), Dims: []int64{int64(n)}}
	for i := range n {
		list.Floats = append(list.Floats, float32(i))
		ids.Ints = append(ids.Ints, int64(i))
		names.Strings = append(names.Strings, fmt.Appendf(nil, "name%d", i))
		words.StringData = append(words.StringData, fmt.Appendf(nil, "w%d", i))
	}
	blob := &onnxpb.AttributeProto{Name: proto.String("engine"), Type: onnxpb.AttributeProto_STRING.Enum(), S: bytes.Repeat([]byte("x"), n)}
	small := &onnxpb.AttributeProto{Name: proto.String("axis"), Type: onnxpb.AttributeProto_INT.Enum(), I: proto.Int64(3)}
	value := &onnxpb.AttributeProto{Name: proto.String("value"), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: words}
	return &onnxpb.ModelProto{
		IrVersion:   proto.Int64(10),
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(20)}},
		Graph: &onnxpb.GraphProto{
			Name: proto.String("g"),
			Node: []*onnxpb.NodeProto{
				{OpType: proto.String("Trees"), Output: []string{"y"}, Attribute: []*onnxpb.AttributeProto{list, ids, small, names, blob}},
				{OpType: proto.String("Constant"), Output: []string{"k"}, Attribute: []*onnxpb.AttributeProto{value}},
			},
			Initializer: []*onnxpb.TensorProto{words},
			Output:      []*onnxpb.ValueInfoProto{{Name: proto.String("y")}},
		},
	}
}

// TestLargeAttributesStayInTheFile opens lists that are attributes, reads them
// only when they are asked for, and writes them as they were.
func TestLargeAttributesStayInTheFile(t *testing.T) {
	const n = 200_000
	p := large(n)
	m := opened(t, p)
	node := m.Graph().Nodes()[0]
	var deferred []string
	for _, a := range node.Attributes() {
		if size, ok := a.Deferred(); ok {
			deferred = append(deferred, fmt.Sprintf("%s kind %d, at least %v", a.Name(), a.Kind(), size > n))
			if a.Ints() != nil || a.Floats() != nil || a.Texts() != nil || a.Text() != "" {
				t.Errorf("%s has values without being loaded", a.Name())
			}
		}
	}
	want := []string{"values kind 6, at least true", "ids kind 7, at least true", "names kind 8, at least true", "engine kind 3, at least true"}
	if diff := cmp.Diff(want, deferred); diff != "" {
		t.Errorf("deferred (-want +got):\n%s", diff)
	}
	if a, _ := node.Attribute("axis"); a.Int() != 3 {
		t.Errorf("axis is %d", a.Int())
	}
	ids, _ := node.Attribute("ids")
	loaded, err := ids.Load()
	if err != nil || !slices.Equal(loaded.Ints(), p.Graph.Node[0].Attribute[1].Ints) {
		t.Errorf("ids: %d numbers, %v", len(loaded.Ints()), err)
	}
	if !proto.Equal(p, graphtest.Message(t, m)) { // a diff of such lists takes minutes
		t.Error("what is written differs")
	}
}

// TestStringTensors reads strings wherever they lie, and tells where that is.
func TestStringTensors(t *testing.T) {
	for _, n := range []int{0, 1, 3, 100_000} {
		m := opened(t, large(n))
		for x := range m.Tensors() {
			words, err := x.Strings()
			if err != nil || len(words) != n || n > 0 && words[n-1] != fmt.Sprintf("w%d", n-1) {
				t.Errorf("%d strings: %d, %v", n, len(words), err)
			}
			if size, err := x.ByteLen(); err != nil || size != int64(len(strings.Join(words, ""))) {
				t.Errorf("%d strings: %d bytes, %v", n, size, err)
			}
			if _, _, inFile := x.Stored(); inFile != (n > 1000) {
				t.Errorf("%d strings lie in the file: %v", n, inFile)
			}
		}
	}
}

// TestStringsBetweenOtherFields reads a tensor whose strings are not neighbours.
func TestStringsBetweenOtherFields(t *testing.T) {
	for _, size := range []int{3, 5000} {
		long := strings.Repeat("l", size)
		var b []byte
		word := func(s string) {
			b = protowire.AppendTag(b, 6, protowire.BytesType)
			b = protowire.AppendString(b, s)
		}
		number := func(field protowire.Number, v uint64) {
			b = protowire.AppendTag(b, field, protowire.VarintType)
			b = protowire.AppendVarint(b, v)
		}
		word("a")
		word(long)
		number(2, 8)
		word("c")
		number(1, 4)
		word("d")
		model := protowire.AppendTag([]byte("\x08\x0a"), 7, protowire.BytesType)
		graph := protowire.AppendBytes(protowire.AppendTag(nil, 5, protowire.BytesType), b)
		m := openedBytes(t, protowire.AppendBytes(model, graph))
		got, err := m.Graph().Initializers()[0].Strings()
		if diff := cmp.Diff([]string{"a", long, "c", "d"}, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if n := len(graphtest.Message(t, m).Graph.Initializer[0].StringData); n != 4 {
			t.Errorf("%d strings are written", n)
		}
	}
}

func TestStringsThatDoNotFit(t *testing.T) {
	p := large(3)
	p.Graph.Initializer[0].Dims = []int64{4}
	m := opened(t, p)
	if _, err := m.Graph().Initializers()[0].Strings(); err == nil || !strings.Contains(err.Error(), `tensor "words": str 4 needs 4 strings, the file has 3`) {
		t.Error(err)
	}
}

// group is an unknown group that holds every kind of field.
func group() []byte {
	b := protowire.AppendTag(nil, 500, protowire.StartGroupType)
	b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), 7)
	b = protowire.AppendFixed32(protowire.AppendTag(b, 2, protowire.Fixed32Type), 7)
	b = protowire.AppendFixed64(protowire.AppendTag(b, 3, protowire.Fixed64Type), 7)
	b = protowire.AppendString(protowire.AppendTag(b, 4, protowire.BytesType), "text")
	b = protowire.AppendTag(b, 5, protowire.StartGroupType)
	b = protowire.AppendTag(b, 5, protowire.EndGroupType)
	return protowire.AppendTag(b, 500, protowire.EndGroupType)
}

// TestGroups carries groups along, wherever they stand.
func TestGroups(t *testing.T) {
	p := large(2)
	p.ProtoReflect().SetUnknown(group())
	p.Graph.ProtoReflect().SetUnknown(group())
	for _, n := range p.Graph.Node {
		n.ProtoReflect().SetUnknown(group())
		n.Attribute[0].ProtoReflect().SetUnknown(group())
	}
	p.Graph.Initializer[0].ProtoReflect().SetUnknown(group())
	p.Graph.Output[0].ProtoReflect().SetUnknown(group())
	for name, m := range map[string]*graphops.Model{"bytes": graphtest.Decode(t, p), "file": opened(t, p)} {
		if diff := cmp.Diff(p, graphtest.Message(t, m), protocmp.Transform()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestBrokenGroups(t *testing.T) {
	deep := bytes.Repeat(protowire.AppendTag(nil, 9, protowire.StartGroupType), 1_000_000)
	for name, tt := range map[string]struct {
		b    []byte
		want string
	}{
		"unended":     {protowire.AppendTag(nil, 9, protowire.StartGroupType), "group 9 does not end"},
		"only an end": {protowire.AppendTag(nil, 9, protowire.EndGroupType), "wire type 4"},
		"ended wrong": {protowire.AppendTag(protowire.AppendTag(nil, 9, protowire.StartGroupType), 8, protowire.EndGroupType), "group 9 ends with the end tag of group 8"},
		"deep":        {deep, "nest deeper than 100"},
	} {
		_, err := graphops.Decode(append([]byte("\x08\x0a"), tt.b...))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v lacks %q", name, err, tt.want)
		}
	}
}
