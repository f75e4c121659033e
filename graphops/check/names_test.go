package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestWithoutText has the models that graphtest has no words for.
func TestWithoutText(t *testing.T) {
	const function = `
		opset loc 1
		function loc F(a) -> (b)
		leak: b = LeakyRelu(a)
		end
		input x f32[2]
		output y f32[2]
		call: y = loc::F(x)`
	const within = `
		opset loc 1
		function loc F(a) -> (b)
		b = LeakyRelu(a)
		end
		function loc G(a) -> (b)
		b = loc::F(a)
		end
		input x f32[2]
		output y f32[2]
		call: y = loc::G(x)`
	const scan = `
		graph body
		input a f32[2]
		input b f32[2]
		c = Add(a, b)
		d = Identity(c)
		output c f32[2]
		output d f32[2]
		end
		input s f32[2]
		input x f32[3,2]
		output t f32[2]
		output z f32[3,2]
		t, z = Scan(s, x) body=@body num_scan_inputs=1`
	const branches = `
		graph then
		z = Relu(x)
		output z f32[2]
		end
		input c bool[]
		input x f32[2]
		output y f32[2]
		y = If(c) then_branch=@then else_branch=@then`
	for _, c := range []struct {
		name, code, text string
		change           func(m *onnxpb.ModelProto)
		want             []string
	}{
		{
			"main graph", "graph-nameless", branches, func(m *onnxpb.ModelProto) { m.Graph.Name = nil },
			[]string{"warning: the graph has no name", "hint: give it any name", "fix: metadata --graph-name=graph"},
		},
		{
			"body", "graph-nameless", branches, func(m *onnxpb.ModelProto) { m.Graph.Node[0].Attribute[1].G = &onnxpb.GraphProto{} },
			[]string{"error: in #0:else_branch: the body has no name", "hint: give it any name", "fix: metadata --in=#0:else_branch --graph-name=else_branch"},
		},
		{"all named", "graph-nameless", branches, func(*onnxpb.ModelProto) {}, nil},
		{
			"no operator", "node-incomplete", function, func(m *onnxpb.ModelProto) { m.Graph.Node[0].OpType = nil },
			[]string{`error: node "call": names no operator`, "hint: set the operator, or delete the node"},
		},
		{
			"nothing in, nothing out", "node-incomplete", function, func(m *onnxpb.ModelProto) { m.Graph.Node[0].Input, m.Graph.Node[0].Output = nil, nil },
			[]string{`warning: node "call" (F): has neither inputs nor outputs`, "hint: delete the node", "fix: delete --node=#0"},
		},
		{
			"nothing in, nothing out, in a body", "node-incomplete", branches, func(m *onnxpb.ModelProto) { emptied(m.Graph.Node[0].Attribute[0].G.Node[0]) },
			[]string{
				"error: in #0:then_branch: node 0 (Relu): has neither inputs nor outputs", "hint: delete the node", "fix: delete --in=#0:then_branch --node=#0",
				"error: in #0:else_branch: node 0 (Relu): has neither inputs nor outputs", "hint: delete the node", "fix: delete --in=#0:else_branch --node=#0",
			},
		},
		{
			"an operator that does not exist, nothing in, nothing out", "operator-unknown", function,
			func(m *onnxpb.ModelProto) {
				emptied(m.Graph.Node[0])
				m.Graph.Node[0].OpType, m.Graph.Node[0].Domain = proto.String("Nope"), nil
			},
			[]string{`warning: node "call" (Nope): version 28 of ai.onnx has no operator "Nope"`, `hint: nearest names: "Not", "TopK"`},
		},
		{
			"a branch without its node", "attribute-missing", branches,
			func(m *onnxpb.ModelProto) {
				emptied(m.Graph.Node[0])
				m.Graph.Node[0].Attribute = m.Graph.Node[0].Attribute[:1]
			},
			[]string{`warning: node 0 (If): attribute "else_branch" is missing, and If-16 (imported: 17) requires it: a graph`, "hint: the node is useless without its body; remove the node, or restore the body"},
		},
		{
			"of a function, newer", "opset-unsupported", function,
			func(m *onnxpb.ModelProto) { importing(m.Functions[0], "ai.onnx.ml", 9) },
			[]string{
				`error: function "F" imports version 9 of ai.onnx.ml, but ONNX Runtime 1.32 supports at most 5`,
				"hint: export for version 5, convert the model to it with onnx.version_converter, or use a newer ONNX Runtime",
			},
		},
		{
			"of a function, that does not exist and that the model overrules", "opset-unsupported", function,
			func(m *onnxpb.ModelProto) {
				importing(m.Functions[0], "", 0)
				m.OpsetImport = append(m.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String(""), Version: proto.Int64(17)})
			},
			[]string{
				`warning: function "F" imports version 0 of ai.onnx, which does not exist`,
				"hint: set the version that the nodes were written for: lathe metadata --set-opset ai.onnx=28",
			},
		},
		{"no inputs", "node-incomplete", function, func(m *onnxpb.ModelProto) { m.Graph.Node[0].Input = nil }, nil},
		{
			"no name", "function-formals", function, func(m *onnxpb.ModelProto) { m.Functions[0].Name = nil },
			[]string{"warning: in loc:: the function has no name, so that nothing can call it", "hint: remove it, or give it a name"},
		},
		{"attribute twice", "function-formals", function, func(m *onnxpb.ModelProto) {
			m.Functions[0].Attribute = []string{"slope"}
			m.Functions[0].AttributeProto = []*onnxpb.AttributeProto{attributeOf("slope")}
		}, []string{`warning: in loc:F: attribute "slope" is declared twice`, "value: slope", "hint: declare it once"}},
		{"attribute once", "function-formals", function, func(m *onnxpb.ModelProto) { m.Functions[0].Attribute = []string{"slope"} }, nil},
		{"near", "function-attribute-undeclared", function, func(m *onnxpb.ModelProto) {
			m.Functions[0].Attribute = []string{"slope"}
			following(m, "slop")
		}, []string{
			`warning: in loc:F: node "leak" (LeakyRelu): attribute "alpha" refers to attribute "slop", which the function does not declare`,
			"value: slop", `hint: nearest names: "slope"`,
		}},
		{"not declared", "function-attribute-undeclared", function, func(m *onnxpb.ModelProto) { following(m, "slope") }, []string{
			`warning: in loc:F: node "leak" (LeakyRelu): attribute "alpha" refers to attribute "slope", which the function does not declare`,
			"value: slope", "hint: declare it in the function, or give the attribute a value",
		}},
		{"with a default", "function-attribute-undeclared", function, func(m *onnxpb.ModelProto) {
			m.Functions[0].AttributeProto = []*onnxpb.AttributeProto{attributeOf("slope")}
			following(m, "slope")
		}, nil},
		{"left out", "function-call", function, func(m *onnxpb.ModelProto) {
			m.Functions[0].Attribute = []string{"slope"}
			following(m, "slope")
		}, []string{`warning: node "call" (F): omits attribute "slope" of "loc::F"`, "value: slope", "hint: make the call and the function agree"}},
		{"left out, and the operator needs it", "function-call", function, func(m *onnxpb.ModelProto) {
			m.Functions[0].Attribute = []string{"to"}
			m.Functions[0].Node[0].OpType = proto.String("Cast")
			following(m, "to").Name = proto.String("to")
		}, []string{`error: node "call" (F): omits attribute "to" of "loc::F"`, "value: to", "hint: make the call and the function agree"}},
		{"given", "function-call", function, func(m *onnxpb.ModelProto) {
			m.Functions[0].Attribute = []string{"slope"}
			following(m, "slope")
			m.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{attributeOf("slope")}
		}, nil},
		{"left out, and needed by a function within", "function-call", within, func(m *onnxpb.ModelProto) {
			m.Functions[0].Attribute, m.Functions[1].Attribute = []string{"to"}, []string{"of"}
			m.Functions[0].Node[0].OpType = proto.String("Cast")
			following(m, "to").Name = proto.String("to")
			m.Functions[1].Node[0].Attribute = []*onnxpb.AttributeProto{{Name: proto.String("to"), Type: onnxpb.AttributeProto_INT.Enum(), RefAttrName: proto.String("of")}}
		}, []string{`error: node "call" (G): omits attribute "of" of "loc::G"`, "value: of", "hint: make the call and the function agree"}},
		{"left out, and a Constant's value", "function-call", function, func(m *onnxpb.ModelProto) {
			m.Functions[0].Attribute = []string{"value"}
			m.Functions[0].Node[0].OpType, m.Functions[0].Node[0].Input = proto.String("Constant"), nil
			following(m, "value").Name = proto.String("value_float")
		}, []string{`error: node "call" (F): omits attribute "value" of "loc::F"`, "value: value", "hint: make the call and the function agree"}},
		{"of the newest version", "body-signature", scan, func(m *onnxpb.ModelProto) {
			m.OpsetImport = []*onnxpb.OperatorSetIdProto{{Domain: proto.String("com.microsoft"), Version: proto.Int64(1)}}
		}, nil},
		{"followed and not declared", "function-call", function, func(m *onnxpb.ModelProto) {
			following(m, "slope")
			m.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{attributeOf("slope")}
		}, nil},
		{"tensor of nothing", "type-missing", function, func(m *onnxpb.ModelProto) {
			m.Graph.Input[0].Type.GetTensorType().ElemType = nil
		}, []string{`error: the type of "x" names no element type`, "value: x", "hint: declare the type, such as f32[batch,3]"}},
		{"sequence of nothing", "type-missing", function, func(m *onnxpb.ModelProto) {
			m.Graph.ValueInfo = []*onnxpb.ValueInfoProto{{Name: proto.String("s"), Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_SequenceType{SequenceType: &onnxpb.TypeProto_Sequence{}}}}}
		}, []string{`warning: the type of "s" names no element type`, "value: s", "hint: declare the type, such as f32[batch,3]"}},
	} {
		t.Run(c.code+" "+c.name, func(t *testing.T) {
			p := graphtest.Proto(t, c.text)
			c.change(p)
			list, err := Model(t.Context(), graphtest.Decode(t, p), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, problem := range list {
				if problem.Code == c.code {
					got = append(got, strings.Split(strings.TrimSpace(lines(problem)), "\n  ")...)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// following makes the attribute of the function's node follow one of the call.
func following(m *onnxpb.ModelProto, name string) *onnxpb.AttributeProto {
	a := &onnxpb.AttributeProto{Name: proto.String("alpha"), Type: onnxpb.AttributeProto_FLOAT.Enum(), RefAttrName: &name}
	m.Functions[0].Node[0].Attribute = []*onnxpb.AttributeProto{a}
	return a
}

func attributeOf(name string) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: &name, Type: onnxpb.AttributeProto_FLOAT.Enum(), F: proto.Float32(0.5)}
}

// emptied takes inputs and outputs of a node away.
func emptied(n *onnxpb.NodeProto) { n.Input, n.Output = nil, nil }

// importing adds an import to a function.
func importing(f *onnxpb.FunctionProto, domain string, version int64) {
	f.OpsetImport = append(f.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: &domain, Version: &version})
}

// TestWithoutOutputs takes the outputs from nodes that read an open axis. The searches for
// pinned axes look at such nodes, too.
func TestWithoutOutputs(t *testing.T) {
	for _, op := range []string{"Reshape", "Expand", "Tile", "Squeeze", "Unsqueeze", "ReduceSum", "Gather", "GatherElements", "Slice", "Resize"} {
		p := graphtest.Proto(t, "input x f32[n,2]\ninput i i64[k]\nz = "+op+"(x, i)\ny = Relu(x)\noutput y f32[n,2]\n")
		p.Graph.Node[0].Output = nil
		list, err := Model(t.Context(), graphtest.Decode(t, p), Options{})
		if err != nil || OK(list) {
			t.Errorf("%s without outputs: %v, %v, expected an error about it", op, list, err)
		}
	}
}
