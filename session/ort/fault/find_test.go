package fault_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/ort/fault"
)

// layered has nodes whose names, and whose values' names, optimizations build on.
const layered = `
opset 17
opset local 1
input x f32[1,16,8,8]
init w f32[16,16,3,3]
init s f32[16]
conv: c = Conv(x, w)
bn: b = BatchNormalization(c, s, s, s, s)
act: r = Relu(b)
own: o = BatchNormalization(r, s, s, s, s)
mm: h = MatMul(o, o)
sc: g = Mul(h, h)
Mul: q = Mul(g, g)
f = Neg(q)
k = Neg(f)
call: z = local::Swish(k)
output z f32
function local Swish(a) -> (y)
sig: t = Sigmoid(a)
apply: y = Mul(a, t)
end
`

// TestChangedNames finds the nodes behind the names that optimizations give; the
// forms are those seen with 1.30.0.
func TestChangedNames(t *testing.T) {
	m := graphtest.Model(t, layered)
	tests := []struct {
		op, name string
		how      fault.How
		sites    []string
	}{
		{"Conv", "conv", fault.ByName, []string{`node 0 "conv" (Conv)`}},
		{"Conv", "r_nchwc", fault.ByChangeName, []string{`node 0 "conv" (Conv)`}},
		{"Conv", "c_nchwc", fault.ByChangeName, []string{`node 0 "conv" (Conv)`}},
		{"Conv", "o_bn_nchwc", fault.ByChangeName, []string{`node 3 "own" (BatchNormalization)`}},
		{"Gemm", "mm/MatMulAddFusion", fault.ByChangeName, []string{`node 4 "mm" (MatMul)`}},
		{"FusedGemm", "fused mm/MatMulAddFusion", fault.ByChangeName, []string{`node 4 "mm" (MatMul)`}},
		{"FusedMatMul", "mm/MatMulScaleFusion//MatmulTransposeFusion/", fault.ByChangeName, []string{`node 4 "mm" (MatMul)`}},
		{"FusedGemm", "fused mm_token_7", fault.ByChangeName, []string{`node 4 "mm" (MatMul)`}},
		{"QuickGelu", "Mul/QuickGeluFusion/", fault.ByChangeName, []string{`node 6 "Mul" (Mul)`}},
		{"Cast", "InsertedPrecisionFreeCast_h", fault.ByChangeName, []string{`node 4 "mm" (MatMul)`}},
		{"Mul", "_inlfunc_Swish_apply", fault.ByInlining, []string{`node 1 "apply" (Mul) in "local:Swish"`}},
		{"Mul", "_inlfunc_Swish_token_3_apply", fault.ByInlining, []string{`node 1 "apply" (Mul) in "local:Swish"`}},
		{"QuickGelu", "_inlfunc_Swish_apply/QuickGeluFusion/", fault.ByInlining, []string{`node 1 "apply" (Mul) in "local:Swish"`}},
		{"Neg", "", fault.ByOperator, []string{`unnamed node 7 (Neg)`, `unnamed node 8 (Neg)`}},
		{"Neg", "fused _token_0", fault.ByOperator, []string{`unnamed node 7 (Neg)`, `unnamed node 8 (Neg)`}},
		{"ReorderOutput", "ReorderOutput_token_289", fault.NotFound, nil},
		{"Reshape", "gemm_input_reshape_token_21", fault.NotFound, nil},
		{"Transpose", "Transpose", fault.NotFound, nil},
		{"Mul", "Multiply", fault.NotFound, nil},
		{"Relu", "", fault.NotFound, nil},
	}
	for _, tt := range tests {
		t.Run(tt.op+" "+tt.name, func(t *testing.T) {
			text := fmt.Sprintf("Non-zero status code returned while running %s node. Name:'%s' Status Message: why", tt.op, tt.name)
			got := fault.Locate(fault.Parse(1, text), m)
			var sites []string
			for _, s := range got.Sites {
				sites = append(sites, s.String())
			}
			if diff := cmp.Diff(tt.sites, sites); diff != "" || got.How != tt.how {
				t.Errorf("by %q, want %q; sites (-want +got)\n%s", got.How, tt.how, diff)
			}
			worth, _ := fault.Again(got)
			if want := tt.how == fault.ByChangeName || tt.how == fault.NotFound || strings.Contains(tt.name, "Fusion") || strings.HasPrefix(tt.name, "fused"); worth != want {
				t.Errorf("a second load is worth it: %v, want %v", worth, want)
			}
		})
	}
}

// TestOperands tells types and origins, through bodies.
func TestOperands(t *testing.T) {
	m := graphtest.Model(t, `
input x f32[2,n]
init w f32[3] 1
value h f32[2,n]
graph body
input i i64[]
add: t = Add(h, w)
sum: u = Add(t, i)
output u f32
end
pre: h = Relu(x)
hold: y = Loop(, , h) body=@body
output y f32[2,3]
`)
	text := "Non-zero status code returned while running Loop node. Name:'hold' Status Message: Non-zero status code returned while running Add node. Name:'add' Status Message: why"
	got := fault.Locate(fault.Parse(1, text), m)
	inner := got.Sites[0].Place
	want := []fault.Operand{
		{Side: fault.Input, Position: 0, Name: "h", Type: m.Graph().ValueInfo()[0].Type(), From: fault.Origin{Kind: fault.FromNode, Place: m.Places()[0], Index: 0}},
		{Side: fault.Input, Position: 1, Name: "w", Type: m.Places()[0].Type(value(t, m, "w")), From: fault.Origin{Kind: fault.FromInitializer, Place: m.Places()[0], Index: -1}},
		{Side: fault.Output, Position: 0, Name: "t", From: fault.Origin{Kind: fault.FromNode, Place: inner, Index: 0}},
	}
	same := cmp.Comparer(func(a, b *graphops.Place) bool { return a == b })
	if diff := cmp.Diff(want, got.Operands, same); diff != "" {
		t.Errorf("operands (-want +got)\n%s", diff)
	}
	if want := `node 0 "add" (Add) in "hold:body": why`; got.Explanation != want {
		t.Errorf("got %s, want %s", got.Explanation, want)
	}
}

func value(t *testing.T, m *graphops.Model, name string) graphops.ValueID {
	t.Helper()
	id, ok := m.Graph().Index().Value(name)
	if !ok {
		t.Fatalf("no value %q", name)
	}
	return id
}

// Without a model a text still says what it says.
func TestLocateWithoutModel(t *testing.T) {
	got := fault.Locate(fault.Parse(7, "Load model from m.onnx failed:Protobuf parsing failed."), nil)
	if len(got.Sites) > 0 || got.Explanation != "the file is not an ONNX model, or it is damaged" {
		t.Errorf("got %+v", got)
	}
}

// FuzzParse reads any text, with any model at hand: it never panics, keeps the
// text whole, and names sites that the model has.
func FuzzParse(f *testing.F) {
	f.Add(1, "Non-zero status code returned while running Conv node. Name:'r_nchwc' Status Message: x.cc:1 a(")
	f.Add(1, "Node (a) Op (b) [ShapeInferenceError] (op_type:Add, node name: inner): Graph attribute inferencing failed: ")
	f.Add(1, `This is an invalid model. In Node, ("a", b, "", -1) : ("x": t,"",) -> () , Error Node:x Output:y `)
	f.Add(10, "==> Context: Bad node spec for node. Name: mm OpType: MatMul")
	f.Add(1, "_inlfunc_Swish_token_1_ fused _if_body_")
	f.Fuzz(func(t *testing.T, code int, text string) {
		m := graphtest.Model(t, layered)
		parsed := fault.Parse(code, text)
		if parsed.Message != text {
			t.Errorf("the text became %q", parsed.Message)
		}
		for _, s := range fault.Locate(parsed, m).Sites {
			_ = s.Node()
		}
	})
}
