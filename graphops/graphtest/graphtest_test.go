package graphtest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/prototext"

	"lathe/graphops/onnxpb"
)

const everything = `
ir 9
opset 18
opset com.microsoft 1
metadata key some value
input x f32[batch,4,?]
output y f32
value h i64[]
init w f32[2,2] 1 2       # repeated
sparse s f32[4] 3 at 1
graph then
z = Relu(x)
output z
end
function local Double(a) -> (b)
b = Add(a, a)
end
fc: h, _ = com.microsoft::Foo(x, , w) i=1 f=1.5 s='text' is=[1,2] fs=[0.5] ss=['a','b'] t={f32[1] 7}
y = If(h) then_branch=@then graphs=@[then,then]
`

func TestModel(t *testing.T) {
	m := Model(t, everything)
	want := []string{
		"fc: h, _ = com.microsoft::Foo(x, , w) i=1 f=1.5 s='text' is=[1,2] fs=[0.5] ss=kind(8) t=kind(4)",
		"y = If(h) then_branch=kind(5) graphs=kind(10)",
		"  z = Relu(x)", "  z = Relu(x)", "  z = Relu(x)",
	}
	if diff := cmp.Diff(want, Nodes(m.Graph())); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"w f32[2,2]"}, Initializers(m.Graph())); diff != "" {
		t.Errorf("initializers (-want +got):\n%s", diff)
	}
}

// TestProto holds what the text says against the message written out.
func TestProto(t *testing.T) {
	text := `
		ir_version: 9
		opset_import { domain: "" version: 18 } opset_import { domain: "com.microsoft" version: 1 }
		metadata_props { key: "key" value: "some value" }
		functions { name: "Double" domain: "local" input: "a" output: "b"
			opset_import { domain: "" version: 17 }
			node { op_type: "Add" input: "a" input: "a" output: "b" } }
		graph {
			name: "g"
			input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "batch" } dim { dim_value: 4 } dim {} } } } }
			output { name: "y" type { tensor_type { elem_type: 1 } } }
			value_info { name: "h" type { tensor_type { elem_type: 7 shape {} } } }
			initializer { name: "w" data_type: 1 dims: 2 dims: 2
				raw_data: "\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x80\x3f\x00\x00\x00\x40" }
			sparse_initializer {
				values { name: "s" data_type: 1 dims: 1 raw_data: "\x00\x00\x40\x40" }
				indices { data_type: 7 dims: 1 raw_data: "\x01\x00\x00\x00\x00\x00\x00\x00" }
				dims: 4 }
			node { name: "fc" op_type: "Foo" domain: "com.microsoft" input: "x" input: "" input: "w" output: "h" output: ""
				attribute { name: "i" type: INT i: 1 } attribute { name: "f" type: FLOAT f: 1.5 }
				attribute { name: "s" type: STRING s: "text" } attribute { name: "is" type: INTS ints: [1, 2] }
				attribute { name: "fs" type: FLOATS floats: 0.5 } attribute { name: "ss" type: STRINGS strings: "a" strings: "b" }
				attribute { name: "t" type: TENSOR t { data_type: 1 dims: 1 raw_data: "\x00\x00\xe0\x40" } } }
			node { op_type: "If" input: "h" output: "y"
				attribute { name: "then_branch" type: GRAPH g { THEN } } attribute { name: "graphs" type: GRAPHS graphs { THEN } graphs { THEN } } }
		}`
	then := `name: "then" node { op_type: "Relu" input: "x" output: "z" } output { name: "z" }`
	var want onnxpb.ModelProto
	if err := prototext.Unmarshal([]byte(strings.ReplaceAll(text, "THEN", then)), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(prototext.Format(&want), prototext.Format(Proto(t, everything))); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}

func TestMistakes(t *testing.T) {
	for _, text := range []string{
		"nonsense", "ir x", "opset", "input x f31", "init w f32[a] 1", "init w f32[1] a",
		"function f", "y = If(x) then_branch=@none", "y = Foo(x) a", "y = Foo(x) a=b",
	} {
		if _, err := parse(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
