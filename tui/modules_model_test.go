package tui

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// bert is a small encoder with names as PyTorch's TorchScript exporter writes them: embeddings,
// four layers, a pooler, a function and a body.
func bert(t testing.TB) *graphops.Model {
	t.Helper()
	return graphtest.Model(t, bertText())
}

func bertText() string {
	var b strings.Builder
	b.WriteString(`
function local Gelu(a) -> (b)
b = Relu(a)
end
graph small
/pooler/small/Neg: n = Neg(p)
output n f32[1,8]
end
graph large
/pooler/large/Abs: m = Abs(p)
output m f32[1,8]
end
input ids f32[1,8]
init table f32[100,8] 1
init flag bool 1
/model/embeddings/word/MatMul: h0 = MatMul(ids, table)
/model/embeddings/norm/Sqrt: e = Sqrt(h0)
`)
	last := "e"
	for i := range 4 {
		scope := fmt.Sprintf("/model/encoder/layer.%d", i)
		fmt.Fprintf(&b, "init w%d f32[8,8] 1\ninit v%d f32[8,16] 1\n", i, i)
		fmt.Fprintf(&b, "%s/attention/self/MatMul: q%d = MatMul(%s, w%d)\n", scope, i, last, i)
		fmt.Fprintf(&b, "%s/attention/self/Softmax: s%d = Softmax(q%d)\n", scope, i, i)
		fmt.Fprintf(&b, "%s/mlp/MatMul: f%d = MatMul(s%d, v%d)\n", scope, i, i, i)
		fmt.Fprintf(&b, "%s/mlp/Gelu: g%d = local::Gelu(f%d)\n", scope, i, i)
		last = fmt.Sprintf("g%d", i)
	}
	fmt.Fprintf(&b, "/pooler/Tanh: p = Tanh(%s)\n/pooler/If: y = If(flag) then_branch=@small else_branch=@large\noutput y f32[1,8]\n", last)
	return b.String()
}

// torch is a model with the metadata of PyTorch's dynamo exporter, which includes classes.
func torch(t testing.TB) *graphops.Model {
	t.Helper()
	p := graphtest.Proto(t, `
		input x f32[1,4]
		init w f32[4,4] 1
		node_1: a = MatMul(x, w)
		node_2: b = Relu(a)
		node_3: y = Softmax(b)
		output y f32[1,4]
	`)
	for i, m := range [][2]string{
		{"['', 'encoder', 'encoder.proj', 'linear']", "['Net', 'net.Encoder', 'torch.nn.modules.linear.Linear', 'aten.linear.default']"},
		{"['', 'encoder', 'relu']", "['Net', 'net.Encoder', 'aten.relu.default']"},
		{"['', 'head', 'softmax']", "['Net', 'net.ClassificationHeadWithALongName', 'aten.softmax.int']"},
	} {
		p.Graph.Node[i].MetadataProps = []*onnxpb.StringStringEntryProto{
			{Key: proto.String("pkg.torch.onnx.name_scopes"), Value: proto.String(m[0])},
			{Key: proto.String("pkg.torch.onnx.class_hierarchy"), Value: proto.String(m[1])},
		}
	}
	return graphtest.Decode(t, p)
}

// manyScopes returns a model of n scopes with one node each, a hundred in each of the scopes below
// the root.
func manyScopes(t testing.TB, n int) *graphops.Model {
	t.Helper()
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("/group_%c%d/part%c%d/Relu", 'a'+i/100%7, i/100, 'a'+i%5, i)
	}
	return named(t, names...)
}

// named returns a chain of nodes with the given names.
func named(t testing.TB, names ...string) *graphops.Model {
	t.Helper()
	e := graphops.Edit(graphtest.Model(t, "input x f32\noutput y f32"))
	last := "x"
	for i, name := range names {
		made := fmt.Sprint("v", i)
		if i == len(names)-1 {
			made = "y"
		}
		e.Nodes = append(e.Nodes, graphops.NewNode(graphops.NodeSpec{Op: "Relu", Name: name, Inputs: []string{last}, Outputs: []string{made}}))
		last = made
	}
	return e.Model()
}
