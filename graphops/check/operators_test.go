package check

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

func init() { inGo["attribute-reference"] = true }

// TestAttributeReference has attributes that stand for one of a function, which the
// text of graphtest does not tell.
func TestAttributeReference(t *testing.T) {
	const text = `
opset local 1
input x f32[2,3]
output y f32[2,3]
function local Soft(a) -> (b)
b = Softmax(a) axis=1
end
y = local::Soft(x)
z = Softmax(x) axis=1
i = Cast(x) to=6
`
	m := graphtest.Proto(t, text)
	refer := func(n *onnxpb.NodeProto) {
		n.Attribute[0].I, n.Attribute[0].RefAttrName = nil, proto.String("axis")
	}
	refer(m.Functions[0].Node[0])
	refer(m.Graph.Node[1])
	refer(m.Graph.Node[2])
	const want = `error: node 2 (Cast): attribute "to" refers to attribute "axis" of a function, but the node is not in a function
  hint: state its value
warning: node 1 (Softmax): attribute "axis" refers to attribute "axis" of a function, but the node is not in a function
  hint: state its value
`
	if got := toldOf(t, "attribute-reference", graphtest.Decode(t, m)); got != want {
		t.Errorf("says\n%sexpected\n%s", got, want)
	}
}

// toldOf is what one check says of a model that is made in Go.
func toldOf(t *testing.T, code string, m *graphops.Model) string {
	t.Helper()
	list, err := Model(t.Context(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, p := range list {
		if p.Code == code {
			b.WriteString(lines(p))
		}
	}
	return b.String()
}

// TestAttributeFields has attributes whose type and value do not go together.
func TestAttributeFields(t *testing.T) {
	tests := []struct {
		name   string
		change func(*onnxpb.AttributeProto)
		want   string
	}{
		{"as it is", func(*onnxpb.AttributeProto) {}, ""},
		{"no type", func(a *onnxpb.AttributeProto) { a.Type = nil }, `attribute "axis" does not state its type`},
		{"two values", func(a *onnxpb.AttributeProto) { a.F = proto.Float32(1) }, `attribute "axis" states type int, but has a value of type float`},
		{"another value", func(a *onnxpb.AttributeProto) { a.I, a.Ints = nil, []int64{1} }, `attribute "axis" states type int, but has a value of type ints`},
		{"no value", func(a *onnxpb.AttributeProto) { a.I = nil }, ""},
		{"no name", func(a *onnxpb.AttributeProto) { a.Name = nil }, "an attribute has no name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Proto(t, "input x f32[2,3]\noutput y f32[2,3]\ny = Softmax(x) axis=1\n")
			tt.change(m.Graph.Node[0].Attribute[0])
			got := toldOf(t, "attribute-type", graphtest.Decode(t, m))
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("says %q, expected %q", got, tt.want)
			}
		})
	}
}
