package diff_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// hostile are models that take long where a comparison is not about linear in what a
// file lists. Those of another word differ.
var hostile = []struct {
	name  string
	size  int
	build func(g *onnxpb.ModelProto, n int, word string)
}{
	{"one output many times", 2000, func(m *onnxpb.ModelProto, n int, word string) {
		addNode(m.Graph, word, "a", "b")
		addNode(m.Graph, "Neg", "b", "y")
		addOutputs(m.Graph, "b", n)
	}},
	{"one output of a body many times", 2000, func(m *onnxpb.ModelProto, n int, word string) {
		body := &onnxpb.GraphProto{Name: proto.String("body")}
		addNode(body, word, "a", "b")
		addNode(body, "Exp", "b", "c")
		addOutputs(body, "b", n)
		addNode(m.Graph, "If", "a", "y").Attribute = []*onnxpb.AttributeProto{
			{Name: proto.String("then_branch"), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: body},
		}
	}},
	{"one output that many nodes read", 1000, func(m *onnxpb.ModelProto, n int, word string) {
		addNode(m.Graph, word, "a", "b")
		addOutputs(m.Graph, "b", n)
		for i := range n {
			addNode(m.Graph, "Exp", "b", "c"+strconv.Itoa(i))
		}
	}},
	{"many imports", 1000, func(m *onnxpb.ModelProto, n int, word string) {
		for i := range n {
			domain := proto.String("d" + strconv.Itoa(i))
			m.OpsetImport = append(m.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: domain, Version: proto.Int64(int64(len(word)))})
			addNode(m.Graph, "Op", "a", "b"+strconv.Itoa(i)).Domain = domain
		}
	}},
	{"many imports of a function", 1000, func(m *onnxpb.ModelProto, n int, word string) {
		f := &onnxpb.FunctionProto{Name: proto.String("F"), Domain: proto.String("l"), Input: []string{"a"}, Output: []string{"b0"}}
		body := &onnxpb.GraphProto{}
		for i := range n {
			domain := proto.String("d" + strconv.Itoa(i))
			f.OpsetImport = append(f.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: domain, Version: proto.Int64(int64(len(word)))})
			addNode(body, "Op", "a", "b"+strconv.Itoa(i)).Domain = domain
		}
		f.Node = body.Node
		m.Functions = append(m.Functions, f)
	}},
	{"many attributes", 4000, func(m *onnxpb.ModelProto, n int, word string) {
		addNode(m.Graph, "Op", "a", "y").Attribute = attributes(n, word)
	}},
	{"many defaults of a function", 1000, func(m *onnxpb.ModelProto, n int, word string) {
		m.Functions = append(m.Functions, &onnxpb.FunctionProto{Name: proto.String("F"), Domain: proto.String("l"), AttributeProto: attributes(n, word)})
	}},
}

func addNode(g *onnxpb.GraphProto, op, in, out string) *onnxpb.NodeProto {
	n := &onnxpb.NodeProto{OpType: proto.String(op), Input: []string{in}, Output: []string{out}}
	g.Node = append(g.Node, n)
	return n
}

func addOutputs(g *onnxpb.GraphProto, name string, n int) {
	for range n {
		g.Output = append(g.Output, &onnxpb.ValueInfoProto{Name: proto.String(name)})
	}
}

func attributes(n int, word string) []*onnxpb.AttributeProto {
	var out []*onnxpb.AttributeProto
	for i := range n {
		out = append(out, &onnxpb.AttributeProto{Name: proto.String("k" + strconv.Itoa(i)), Type: onnxpb.AttributeProto_STRING.Enum(), S: []byte(word)})
	}
	return out
}

// TestHostileGrowth compares hostile models of two sizes. Four times the size may take
// ten times as long, and nothing that is a square of it does.
func TestHostileGrowth(t *testing.T) {
	const factor, growth, slack = 4, 10, 20 * time.Millisecond
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			model := func(n int, word string) *graphops.Model {
				p := graphtest.Proto(t, "input x f32[2]\na = Abs(x)\noutput y f32[2]\n")
				c.build(p, n, word)
				return graphtest.Decode(t, p)
			}
			var small, large time.Duration
			for range 3 { // others may keep the processor busy
				small = took(t, model(c.size, "Relu"), model(c.size, "Softplus"))
				large = took(t, model(factor*c.size, "Relu"), model(factor*c.size, "Softplus"))
				if large <= growth*small+slack {
					return
				}
			}
			t.Errorf("%d take %v, %d take %v", c.size, small, factor*c.size, large)
		})
	}
}

func took(t *testing.T, a, b *graphops.Model) time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	start := time.Now()
	d, err := diff.Compare(ctx, a, b, diff.Options{})
	if err != nil {
		t.Fatal(fmt.Errorf("after %v: %w", time.Since(start), err))
	}
	if d.Equal {
		t.Fatal("the models are equal")
	}
	t.Logf("%v", time.Since(start))
	return time.Since(start)
}
