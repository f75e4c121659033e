package graphops_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/onnxpb"
)

// largeModel writes a chain of n nodes, each with attributes and an entry of
// value_info, and returns its path.
func largeModel(b *testing.B, n int) string {
	b.Helper()
	dims := []*onnxpb.TensorShapeProto_Dimension{
		{Value: &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: "batch"}},
		{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: 64}},
	}
	value := func(i int) *onnxpb.ValueInfoProto {
		return &onnxpb.ValueInfoProto{
			Name: proto.String(fmt.Sprintf("/model/layers.%d/v%d", i/100, i)),
			Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: &onnxpb.TypeProto_Tensor{
				ElemType: proto.Int32(1), Shape: &onnxpb.TensorShapeProto{Dim: dims},
			}}},
		}
	}
	g := &onnxpb.GraphProto{Name: proto.String("chain"), Input: []*onnxpb.ValueInfoProto{value(0)}, Output: []*onnxpb.ValueInfoProto{value(n)}}
	for i := range n {
		g.Node = append(g.Node, &onnxpb.NodeProto{
			Name: proto.String(fmt.Sprintf("/model/layers.%d/node_%d", i/100, i)), OpType: proto.String("Softmax"),
			Input: []string{value(i).GetName()}, Output: []string{value(i + 1).GetName()},
			Attribute: []*onnxpb.AttributeProto{{Name: proto.String("axis"), I: proto.Int64(-1), Type: onnxpb.AttributeProto_INT.Enum()}},
		})
		g.ValueInfo = append(g.ValueInfo, value(i+1))
	}
	data, err := proto.Marshal(&onnxpb.ModelProto{
		IrVersion: proto.Int64(8), Graph: g,
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(17)}},
	})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "large.onnx")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

func BenchmarkOpen200k(b *testing.B) {
	path := largeModel(b, 200_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := graphops.Open(path, graphops.OpenOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIndex200k(b *testing.B) {
	path := largeModel(b, 200_000)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		m.Graph().Index()
	}
}

func BenchmarkPrune100k(b *testing.B) {
	m, err := graphops.Open(largeModel(b, 100_000), graphops.OpenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	m.Graph().Index()
	for b.Loop() {
		if _, _, err := graphops.Prune(m, graphops.PruneOptions{Outputs: []string{"/model/layers.500/v50000"}}); err != nil {
			b.Fatal(err)
		}
	}
}
