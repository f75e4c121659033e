package scope_test

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/scope"
)

// chain is a model of n nodes in layers of a hundred; mark says where one stands.
func chain(b *testing.B, n int, mark func(*onnxpb.NodeProto, int)) *graphops.Graph {
	b.Helper()
	g := &onnxpb.GraphProto{Input: []*onnxpb.ValueInfoProto{{Name: proto.String("v0")}}}
	for i := range n {
		node := &onnxpb.NodeProto{
			OpType: proto.String([]string{"MatMul", "Add", "Relu", "Softmax"}[i%4]),
			Input:  []string{fmt.Sprintf("v%d", i)}, Output: []string{fmt.Sprintf("v%d", i+1)},
		}
		mark(node, i)
		g.Node = append(g.Node, node)
	}
	m := graphtest.Decode(b, &onnxpb.ModelProto{IrVersion: proto.Int64(8), Graph: g})
	m.Graph().Index()
	return m.Graph()
}

func BenchmarkBuild(b *testing.B) {
	for name, mark := range map[string]func(*onnxpb.NodeProto, int){
		"names": func(n *onnxpb.NodeProto, i int) {
			n.Name = proto.String(fmt.Sprintf("/model/layers.%d/attn/part.%d/Op_%d", i/100, i%100/10, i))
		},
		"a scope each": func(n *onnxpb.NodeProto, i int) {
			n.Name = proto.String(fmt.Sprintf("/model/layers.%d/block.%d/Op", i/100, i%100))
		},
		"metadata": func(n *onnxpb.NodeProto, i int) {
			l, p := i/100, i%100/10
			n.MetadataProps = []*onnxpb.StringStringEntryProto{
				{Key: proto.String("pkg.torch.onnx.name_scopes"), Value: proto.String(fmt.Sprintf("['', 'model', 'model.layers.%d', 'model.layers.%d.part.%d', 'op_%d']", l, l, p, i))},
				{Key: proto.String("pkg.torch.onnx.class_hierarchy"), Value: proto.String("['a.Net', 'a.Model', 'a.Layer', 'a.Part', 'aten.op']")},
			}
		},
		"flat":   func(n *onnxpb.NodeProto, i int) { n.Name = proto.String(fmt.Sprintf("Op_%d", i)) },
		"around": func(n *onnxpb.NodeProto, i int) { n.Name = proto.String([]string{"x", "/a/b/x"}[i%2]) },
	} {
		b.Run(name, func(b *testing.B) {
			g := chain(b, 200_000, mark)
			b.ReportAllocs()
			for b.Loop() {
				scope.Build(g)
			}
		})
	}
}
