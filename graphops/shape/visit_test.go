package shape_test

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/shape"
)

// twoCalls is a function whose axis each call gives.
func twoCalls(t *testing.T) *graphops.Model {
	p := graphtest.Proto(t, `
function local Turned(x) -> (r)
s = Softmax(x)
r = Neg(s)
end
input a f32[2,3]
input b f32[5,3]
y = local::Turned(a) axis=0
z = local::Turned(b) axis=1
output y f32
output z f32
`)
	p.Functions[0].Attribute = []string{"axis"}
	p.Functions[0].Node[0].Attribute = []*onnxpb.AttributeProto{{
		Name: proto.String("axis"), RefAttrName: proto.String("axis"), Type: onnxpb.AttributeProto_INT.Enum(),
	}}
	return graphtest.Decode(t, p)
}

// TestVisits looks at the nodes of a function that is called twice: each visit has
// the shapes and attributes of its own call.
func TestVisits(t *testing.T) {
	var got []string
	_, err := shape.Infer(context.Background(), twoCalls(t), shape.Options{Visit: func(v shape.Visit) {
		line := v.Node.OpType()
		for _, in := range v.In {
			line += " " + in.String()
		}
		if a, ok := v.Attribute("axis"); ok {
			line += " axis " + string(rune('0'+a.Int()))
		}
		got = append(got, line)
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Softmax f32 2×3 axis 0", "Neg f32 2×3", "Turned f32 2×3 axis 0",
		"Softmax f32 5×3 axis 1", "Neg f32 5×3", "Turned f32 5×3 axis 1",
	}
	if len(got) != len(want) {
		t.Fatalf("visits %q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("visit %d is %q, want %q", i, got[i], want[i])
		}
	}
}

// TestLimit counts what a model expands to: here six nodes of four.
func TestLimit(t *testing.T) {
	m := twoCalls(t)
	for limit, over := range map[int]bool{5: true, 6: false, 0: false} {
		r, err := shape.Infer(context.Background(), m, shape.Options{Limit: limit})
		if errors.Is(err, shape.ErrLimit) != over || (r == nil) != over {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

// TestNameAxes names the axes of an input that the file leaves open, and no others.
func TestNameAxes(t *testing.T) {
	m := graphtest.Model(t, "input x f32[?,n,3]\ny = Relu(x)\noutput y f32")
	for named, want := range map[bool]string{true: "f32 x:0×n×3", false: "f32 ?×n×3"} {
		r, err := shape.Infer(context.Background(), m, shape.Options{NameAxes: named})
		if err != nil {
			t.Fatal(err)
		}
		main := m.Places()[0]
		id, _ := main.Graph.Index().Value("y")
		if got := r.Value(main, id).String(); got != want {
			t.Errorf("NameAxes %v: y is %s, want %s", named, got, want)
		}
	}
}
