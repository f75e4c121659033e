package check_test

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// refused is a model that the checker of the onnx package refuses in that package's
// own tests, told anew. The problem that is found names the node, or the value, or
// with neither stands in the place, whose last part is given.
type refused struct {
	name string
	text string // in the language of graphtest
	edit func(*onnxpb.ModelProto)
	node string // its name
	// value is what is at fault beside or instead of a node.
	value string
	place string
}

// TestRefusedByONNX holds the checks against what the tests of the onnx package expect
// its checker to refuse.
func TestRefusedByONNX(t *testing.T) {
	for _, c := range slices.Concat(refusedGraphs, refusedTensors()) {
		t.Run(c.name, func(t *testing.T) {
			m := graphtest.Proto(t, c.text)
			if c.edit != nil {
				c.edit(m)
			}
			content, err := proto.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			model, err := graphops.Decode(content)
			if err != nil {
				return // what cannot be read needs no check
			}
			wantNamed(t, model, c)
		})
	}
}

func wantNamed(t *testing.T, m *graphops.Model, c refused) {
	t.Helper()
	list, err := check.Model(t.Context(), m, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(list, c.isNamed) {
		t.Errorf("no problem is at node %q, value %q, place %q: %v", c.node, c.value, c.place, list)
	}
}

func (c refused) isNamed(p check.Problem) bool {
	switch {
	case p.Severity == check.Info:
		return false
	case c.node != "" && p.Place != nil && p.Node >= 0 && p.Place.Graph.Nodes()[p.Node].Name() == c.node:
		return true
	case c.value != "":
		return p.Value == c.value
	case c.place != "":
		return p.Place != nil && slices.Contains(p.Place.Hops(), c.place)
	}
	return c.node == "" && p.Node < 0
}

const relu = "input x f32[1,2]\noutput y f32[1,2]\nact: y = Relu(x)\n"

// recursive is a call of local:foo, whose definition follows.
const recursive = "opset local 1\ninput x f32[2]\noutput y f32[2]\ncall: y = local::foo(x)\n"

var refusedGraphs = []refused{
	{name: "required input left out", text: "output y f32[2]\nact: y = Relu()", node: "act", edit: func(m *onnxpb.ModelProto) { m.Graph.Node[0].Input = []string{""} }},
	{name: "initializer without a name", text: relu + "init w f32[2,3] 1", edit: func(m *onnxpb.ModelProto) { m.Graph.Initializer[0].Name = proto.String("") }},
	{name: "sparse initializer without a name", text: relu + "sparse s f32[4] 3 at 1", edit: func(m *onnxpb.ModelProto) { m.Graph.SparseInitializer[0].Values.Name = proto.String("") }},
	{name: "dense and sparse of one name", text: relu + "init w f32[4] 1\nsparse w f32[4] 3 at 1\nuse: z = Neg(w)\noutput z f32[4]", value: "w"},
	{name: "ir 3 without the input", text: "ir 3\nopset 8\n" + relu + "init w f32[1,2] 1\nuse: z = Neg(w)\noutput z f32[1,2]", value: "w"},
	{name: "two nodes make a value", text: "input x f32[2]\ninput w f32[2]\noutput z f32[2]\none: z = Relu(x)\ntwo: z = Relu(w)", node: "two", value: "z"},
	{name: "out of order", text: "input x f32[2]\noutput z f32[2]\nsecond: z = Abs(y)\nfirst: y = Neg(x)", node: "second"},
	{name: "graph output undefined", text: "input x f32[2]\ninput w f32[2]\noutput z f32[2]\nsum: y = Add(x, w)", value: "z"},
	{name: "output of a branch undefined", text: `
		input c bool[]
		input x f32[2]
		output y f32[2]
		graph then
		a: s = Neg(x)
		output sum f32[2]
		end
		graph else
		b: d = Abs(x)
		output d f32[2]
		end
		choose: y = If(c) then_branch=@then else_branch=@else`, node: "choose", value: "sum"},
	{name: "key of metadata twice", text: relu + "metadata a 1\nmetadata a 2"},
	{name: "no name of an opaque type", text: "input x f32[2]\noutput y f32[2]\nsame: y = Identity(x)", value: "x", node: "same", edit: func(m *onnxpb.ModelProto) {
		opaque := &onnxpb.TypeProto{Value: &onnxpb.TypeProto_OpaqueType{OpaqueType: &onnxpb.TypeProto_Opaque{}}}
		m.Graph.Input[0].Type, m.Graph.Output[0].Type = opaque, opaque
	}},
	{name: "type not taken", text: "input x f32[1,2]\ninput w bool[1,2]\noutput z f32[1,2]\ndiv: y = Div(x, w)\nsame: z = Identity(y)", node: "div"},
	{name: "types differ", text: "input x f32[1,2]\ninput w i32[1,2]\noutput z f32[1,2]\ndiv: y = Div(x, w)\nsame: z = Identity(y)", node: "div"},
	{name: "types of constants differ", text: "input x f32[2]\ninit w i32[2] 1\noutput z f32[2]\nsum: z = Add(x, w)", node: "sum"},
	{name: "bool in a sum", text: "input x bool[2]\ninput w bool[2]\noutput z bool[2]\nsum: z = Add(x, w)", node: "sum"},
	{name: "output declared as bool", text: "input x f32[2]\ninput w f32[2]\noutput z bool[2]\nsum: z = Add(x, w)", node: "sum", value: "z"},
	{name: "deprecated Upsample", text: "opset 10\ninput x i32[1,1,2,2]\ninit s f32[4] 1 1 2 2\noutput y i32[1,1,4,4]\nup: y = Upsample(x, s) mode='nearest'", node: "up"},
	{name: "deprecated Scatter", text: "opset 11\ninput x f32[3,3]\ninput i i64[2,3]\ninput u f32[2,3]\noutput y f32[3,3]\nput: y = Scatter(x, i, u)", node: "put"},
	{name: "operator of no version", text: "opset 5\ninput x f32[2]\noutput y f32[2]\ncustom: y = CustomOp(x)", node: "custom"},
	{name: "channels do not divide", text: "input x f32[N,32,14,14]\ninput w f32[32,64,3,3]\noutput y f32[N,?,?,?]\nup: y = ConvTranspose(x, w) group=3", node: "up"},
	{name: "attribute of no type", text: "input x f32[1,2]\noutput y f32[1,2]\nsoft: y = Softmax(x) axis=1", node: "soft", edit: firstAttribute(func(a *onnxpb.AttributeProto) { a.Type = nil })},
	{name: "attribute of no name", text: "input x f32[1,2]\noutput y f32[1,2]\nsoft: y = Softmax(x) axis=1", node: "soft", edit: firstAttribute(func(a *onnxpb.AttributeProto) { a.Name = proto.String("") })},
	{name: "attribute of two values", text: "input x f32[1,2]\noutput y f32[1,2]\nsoft: y = Softmax(x) axis=1", node: "soft", edit: firstAttribute(func(a *onnxpb.AttributeProto) { a.F = proto.Float32(1) })},
	{name: "attribute of another type than it says", text: "input x f32[1,2]\noutput y f32[1,2]\nsoft: y = Softmax(x) axis=1", node: "soft", edit: firstAttribute(func(a *onnxpb.AttributeProto) { a.Type = onnxpb.AttributeProto_STRING.Enum() })},
	{name: "function calls itself", text: recursive + "function local foo(a) -> (b)\nagain: b = local::foo(a)\nend", node: "again", place: "local:foo"},
	{name: "functions call each other", text: recursive + "function local foo(a) -> (b)\nthere: b = local::bar(a)\nend\nfunction local bar(a) -> (b)\nback: b = local::foo(a)\nend", node: "back", place: "local:foo"},
	{name: "three functions in a ring", text: recursive + "function local foo(a) -> (b)\nthere: b = local::two(a)\nend\nfunction local two(a) -> (b)\nthen: b = local::three(a)\nend\nfunction local three(a) -> (b)\nback: b = local::foo(a)\nend", node: "back", place: "local:foo"},
	{name: "function calls itself in a branch", text: recursive + `
		graph yes
		again: r = local::foo(a)
		output r
		end
		graph no
		keep: r = Identity(a)
		output r
		end
		function local foo(a) -> (b)
		c = Constant() value={bool[] 1}
		choose: b = If(c) then_branch=@yes else_branch=@no
		end`, node: "again", place: "local:foo"},
	{name: "function calls itself in a loop", text: recursive + `
		graph body
		input i i64[]
		input go bool[]
		input h f32[2]
		go_on = Identity(go)
		again: next = local::foo(h)
		output go_on bool[]
		output next f32[2]
		end
		function local foo(a) -> (b)
		trip = Constant() value={i64[] 1}
		c = Constant() value={bool[] 1}
		walk: b = Loop(trip, c, a) body=@body
		end`, node: "again", place: "local:foo"},
	{name: "body is given too little", text: `
		input n i64[]
		input c bool[]
		input x f32[2]
		output y f32[2]
		graph body
		input i i64[]
		input go bool[]
		input h f32[2]
		input w f32[2]
		go_on = Identity(go)
		next = Add(h, w)
		output go_on bool[]
		output next f32[2]
		end
		walk: y = Loop(n, c, x) body=@body`, node: "walk"},
}

// firstAttribute changes the first attribute of the first node.
func firstAttribute(change func(*onnxpb.AttributeProto)) func(*onnxpb.ModelProto) {
	return func(m *onnxpb.ModelProto) { change(m.Graph.Node[0].Attribute[0]) }
}
