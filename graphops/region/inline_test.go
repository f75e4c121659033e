package region_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/region"
)

const called = `
input x f32[2]
input c bool[]
output w f32[2]
output z f32[2]
output q f32[2]
function local Scaled(a) -> (b)
in: s = LeakyRelu(a)
b = Neg(s)
end
function local Outer(a, unused) -> (b)
t = local::Scaled(a)
u = Relu(t)
b = Add(u, t)
end
function local Pair(a) -> (b, c, a)
b = Abs(a)
c = Neg(b)
end
graph then
r = Relu(p)
output r f32[2]
end
function local Held(a, c) -> (b)
p = Neg(a)
b = If(c) then_branch=@then else_branch=@then
end
one: y = local::Outer(x)
_, z, w = local::Pair(y)
last: q = local::Held(y, c)
`

// Calls become the nodes of their functions, with the names of both, and attributes that
// the calls give; what a function hands on goes through an Identity. Functions that hold
// bodies stay, and those of other versions.
func TestInlined(t *testing.T) {
	p := graphtest.Proto(t, called)
	alpha := func(set func(*onnxpb.AttributeProto)) []*onnxpb.AttributeProto {
		a := &onnxpb.AttributeProto{Name: proto.String("alpha"), Type: onnxpb.AttributeProto_FLOAT.Enum()}
		set(a)
		return []*onnxpb.AttributeProto{a}
	}
	scaled, outer := p.Functions[0], p.Functions[1]
	scaled.Attribute = []string{"by"}
	scaled.Node[0].Attribute = alpha(func(a *onnxpb.AttributeProto) { a.RefAttrName = proto.String("by") })
	outer.Node[0].Attribute = alpha(func(a *onnxpb.AttributeProto) { a.Name, a.F = proto.String("by"), proto.Float32(2.5) })
	m, calls, left := region.Inlined(graphtest.Decode(t, p))
	want := []string{
		"one/Scaled/in: one/Scaled/s = LeakyRelu(x) alpha=2.5",
		"one/Scaled/Neg: one/t = Neg(one/Scaled/s)",
		"one/Relu: one/u = Relu(one/t)",
		"one/Add: y = Add(one/u, one/t)",
		"z/Abs: z/b = Abs(y)",
		"z/Neg: z = Neg(z/b)",
		"z/w: w = Identity(y)",
		"last: q = local::Held(y, c)",
	}
	if diff := cmp.Diff(want, graphtest.Nodes(m.Graph())); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Held"}, left); diff != "" || calls != 3 || len(m.Functions()) != 1 {
		t.Errorf("%d calls went, %d functions are left: %s", calls, len(m.Functions()), diff)
	}
	scaled.OpsetImport[0].Version = proto.Int64(13)
	_, calls, left = region.Inlined(graphtest.Decode(t, p))
	if diff := cmp.Diff([]string{"Held", "Scaled"}, left); diff != "" || calls != 2 {
		t.Errorf("of another version: %d calls went: %s", calls, diff)
	}
}

// Functions that call the next one twice each stay calls before they are too many nodes.
func TestInlinedBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	text := "input x f32[2]\noutput y f32[2]\nfunction local F0(a) -> (b)\nb = Neg(a)\nend\n"
	for i := range 40 {
		name, next := fmt.Sprint("F", i+1), "F0"
		if i > 0 {
			next = fmt.Sprint("F", i)
		}
		text += "function local " + name + "(a) -> (c)\nb = local::" + next + "(a)\nc = local::" + next + "(b)\nend\n"
	}
	m, _, left := region.Inlined(graphtest.Model(t, text+"y = local::"+"F40"+"(x)"))
	if n := len(m.Graph().Nodes()); n > 200_000 || len(left) == 0 {
		t.Errorf("%d nodes, left are %q", n, left)
	}
}
