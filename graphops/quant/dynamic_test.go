package quant

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

func dynamicOf(t testing.TB, m *graphops.Model, o DynamicOptions) (*graphops.Model, *Report) {
	t.Helper()
	q, report, err := Dynamic(context.Background(), m, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q, report
}

// TestDynamicWrites shows the nodes that take the place of others.
func TestDynamicWrites(t *testing.T) {
	tests := []struct {
		model        string
		change       func(*DynamicOptions)
		nodes        []string
		initializers []string
	}{
		{model: "matmul", nodes: []string{
			"x_QuantizeLinear: x_quantized, x_scale, x_zero_point = DynamicQuantizeLinear(x)",
			"fc_quant: y_output_quantized = MatMulInteger(x_quantized, w_quantized, x_zero_point, w_zero_point)",
			"y_output_quantized_cast: y_output_quantized_cast_output = Cast(y_output_quantized) to=1",
			"fc_quant_scales_mul: fc_quant_scales_mul:0 = Mul(x_scale, w_scale)",
			"fc_quant_output_scale_mul: y = Mul(y_output_quantized_cast_output, fc_quant_scales_mul:0)",
		}, initializers: []string{"w_scale f32[]", "w_zero_point i8[]", "w_quantized i8[3,2]"}},

		{model: "unnamed twice", nodes: []string{
			"x_QuantizeLinear: x_quantized, x_scale, x_zero_point = DynamicQuantizeLinear(x)",
			"y_output_quantized = MatMulInteger(x_quantized, w_quantized, x_zero_point, w_zero_point)",
			"y_output_quantized_cast: y_output_quantized_cast_output = Cast(y_output_quantized) to=1",
			"x_scale_w_scale_mul: x_scale_w_scale_mul:0 = Mul(x_scale, w_scale)",
			"y = Mul(y_output_quantized_cast_output, x_scale_w_scale_mul:0)",
			"z_output_quantized = MatMulInteger(x_quantized, w_quantized, x_zero_point, w_zero_point)",
			"z_output_quantized_cast: z_output_quantized_cast_output = Cast(z_output_quantized) to=1",
			"z = Mul(z_output_quantized_cast_output, x_scale_w_scale_mul:0)",
		}, initializers: []string{"w_scale f32[]", "w_zero_point i8[]", "w_quantized i8[3,2]"}},

		{model: "gemm transposed", change: func(o *DynamicOptions) { o.PerChannel, o.WeightType = true, tensor.U8 }, nodes: []string{
			"x_QuantizeLinear: x_quantized, x_scale, x_zero_point = DynamicQuantizeLinear(x)",
			"fc_MatMul_quant: y_MatMul_output_quantized = MatMulInteger(x_quantized, w_quantized, x_zero_point, w_zero_point)",
			"y_MatMul_output_quantized_cast: y_MatMul_output_quantized_cast_output = Cast(y_MatMul_output_quantized) to=1",
			"fc_MatMul_quant_scales_mul: fc_MatMul_quant_scales_mul:0 = Mul(x_scale, w_scale)",
			"fc_MatMul_quant_output_scale_mul: y_MatMul = Mul(y_MatMul_output_quantized_cast_output, fc_MatMul_quant_scales_mul:0)",
			"fc_Add: y = Add(y_MatMul, c)",
		}, initializers: []string{"c f32[2]", "w_scale f32[2]", "w_zero_point u8[2]", "w_quantized u8[3,2]"}},

		{model: "gather to matmul", change: func(o *DynamicOptions) { o.OpTypes = []string{"Gather"} }, nodes: []string{
			"embed: e_quantized = Gather(table_quantized, ids)",
			"e_DequantizeLinear: e = DequantizeLinear(e_quantized, table_scale, table_zero_point)",
			"fc: y = MatMul(e, w)",
		}, initializers: []string{"w f32[4,2]", "table_scale f32[]", "table_zero_point u8[]", "table_quantized u8[3,4]"}},

		{model: "gather to everything", nodes: []string{
			"embed: e_quantized = Gather(table_quantized, ids)",
			"t: f_quantized = Transpose(e_quantized) perm=[1,0]",
			"f_DequantizeLinear: f = DequantizeLinear(f_quantized, table_scale, table_zero_point)",
			"r: r = Relu(f)",
			"fc_quant: y_output_quantized = MatMulInteger(e_quantized, w_quantized, table_zero_point, w_zero_point)",
			"y_output_quantized_cast: y_output_quantized_cast_output = Cast(y_output_quantized) to=1",
			"fc_quant_scales_mul: fc_quant_scales_mul:0 = Mul(table_scale, w_scale)",
			"fc_quant_output_scale_mul: y = Mul(y_output_quantized_cast_output, fc_quant_scales_mul:0)",
			"e_DequantizeLinear: e = DequantizeLinear(e_quantized, table_scale, table_zero_point)",
			"again: s = Sigmoid(e)",
		}, initializers: []string{
			"table_scale f32[]", "table_zero_point u8[]", "table_quantized u8[3,4]",
			"w_scale f32[]", "w_zero_point i8[]", "w_quantized i8[4,2]",
		}},

		{model: "weight read before and after", change: func(o *DynamicOptions) { o.PerChannel = true }, nodes: []string{
			"w_DequantizeLinear: w = DequantizeLinear(w_quantized, w_scale, w_zero_point) axis=-1",
			"r: r = Relu(w)",
			"x_QuantizeLinear: x_quantized, x_scale, x_zero_point = DynamicQuantizeLinear(x)",
			"fc_quant: y_output_quantized = MatMulInteger(x_quantized, w_quantized, x_zero_point, w_zero_point)",
			"y_output_quantized_cast: y_output_quantized_cast_output = Cast(y_output_quantized) to=1",
			"fc_quant_scales_mul: fc_quant_scales_mul:0 = Mul(x_scale, w_scale)",
			"fc_quant_output_scale_mul: y = Mul(y_output_quantized_cast_output, fc_quant_scales_mul:0)",
			"s: s = Sigmoid(w)",
		}, initializers: []string{"w_scale f32[2]", "w_zero_point i8[2]", "w_quantized i8[3,2]"}},

		{model: "weight read elsewhere, opset 12", change: func(o *DynamicOptions) { o.PerChannel = true }, nodes: []string{
			"x_QuantizeLinear: x_quantized, x_scale, x_zero_point = DynamicQuantizeLinear(x)",
			"fc_quant: y_output_quantized = MatMulInteger(x_quantized, w_quantized, x_zero_point, w_zero_point)",
			"y_output_quantized_cast: y_output_quantized_cast_output = Cast(y_output_quantized) to=1",
			"fc_quant_scales_mul: fc_quant_scales_mul:0 = Mul(x_scale, w_scale)",
			"fc_quant_output_scale_mul: y = Mul(y_output_quantized_cast_output, fc_quant_scales_mul:0)",
			"sum: s = ReduceSum(w) keepdims=1",
		}, initializers: []string{"w f32[3,2]", "w_scale f32[2]", "w_zero_point i8[2]", "w_quantized i8[3,2]"}},

		{model: "transposed weight read elsewhere", nodes: []string{
			"x_QuantizeLinear: x_quantized, x_scale, x_zero_point = DynamicQuantizeLinear(x)",
			"a_MatMul_quant: h_output_quantized = MatMulInteger(x_quantized, w_Transposed_quantized, x_zero_point, w_Transposed_zero_point)",
			"h_output_quantized_cast: h_output_quantized_cast_output = Cast(h_output_quantized) to=1",
			"a_MatMul_quant_scales_mul: a_MatMul_quant_scales_mul:0 = Mul(x_scale, w_Transposed_scale)",
			"a_MatMul_quant_output_scale_mul: h = Mul(h_output_quantized_cast_output, a_MatMul_quant_scales_mul:0)",
			"h_QuantizeLinear: h_quantized, h_scale, h_zero_point = DynamicQuantizeLinear(h)",
			"b_quant: y_output_quantized = MatMulInteger(h_quantized, w_quantized, h_zero_point, w_zero_point)",
			"y_output_quantized_cast: y_output_quantized_cast_output = Cast(y_output_quantized) to=1",
			"b_quant_scales_mul: b_quant_scales_mul:0 = Mul(h_scale, w_scale)",
			"b_quant_output_scale_mul: y = Mul(y_output_quantized_cast_output, b_quant_scales_mul:0)",
			"w_DequantizeLinear: w = DequantizeLinear(w_quantized, w_scale, w_zero_point)",
			"sum: s = ReduceSum(w) keepdims=1",
		}, initializers: []string{
			"w_Transposed_scale f32[]", "w_Transposed_zero_point i8[]", "w_Transposed_quantized i8[3,3]",
			"w_scale f32[]", "w_zero_point i8[]", "w_quantized i8[3,3]",
		}},

		{model: "gemm of computed factors", change: func(o *DynamicOptions) { o.MatMulConstBOnly, o.Include = false, []string{"fc"} }, nodes: []string{
			"x_QuantizeLinear: x_quantized, x_scale, x_zero_point = DynamicQuantizeLinear(x)",
			"fc_Transpose: v_Transposed = Transpose(v)",
			"v_Transposed_QuantizeLinear: v_Transposed_quantized, v_Transposed_scale, v_Transposed_zero_point = DynamicQuantizeLinear(v_Transposed)",
			"fc_MatMul_quant: y_output_quantized = MatMulInteger(x_quantized, v_Transposed_quantized, x_zero_point, v_Transposed_zero_point)",
			"y_output_quantized_cast: y_output_quantized_cast_output = Cast(y_output_quantized) to=1",
			"fc_MatMul_quant_scales_mul: fc_MatMul_quant_scales_mul:0 = Mul(x_scale, v_Transposed_scale)",
			"fc_MatMul_quant_output_scale_mul: y = Mul(y_output_quantized_cast_output, fc_MatMul_quant_scales_mul:0)",
			"other: z = MatMul(x, w)",
		}, initializers: []string{"w f32[3,2]"}},

		{model: "values of the new names exist", nodes: []string{
			"x_QuantizeLinear: x_scale = Relu(x)",
			"other: w_quantized = Sigmoid(x)",
			"x_QuantizeLinear__1: x_quantized, x_scale__1, x_zero_point = DynamicQuantizeLinear(x)",
			"fc_quant: y_output_quantized = MatMulInteger(x_quantized, w_quantized__1, x_zero_point, w_zero_point)",
			"y_output_quantized_cast: y_output_quantized_cast_output = Cast(y_output_quantized) to=1",
			"fc_quant_scales_mul: fc_quant_scales_mul:0 = Mul(x_scale__1, w_scale)",
			"fc_quant_output_scale_mul: y = Mul(y_output_quantized_cast_output, fc_quant_scales_mul:0)",
		}, initializers: []string{"w_scale f32[]", "w_zero_point i8[]", "w_quantized__1 i8[3,2]"}},

		{model: "nodes of one name", nodes: []string{
			"x_QuantizeLinear: x_quantized, x_scale, x_zero_point = DynamicQuantizeLinear(x)",
			"fc_quant: h_output_quantized = MatMulInteger(x_quantized, w_quantized, x_zero_point, w_zero_point)",
			"h_output_quantized_cast: h_output_quantized_cast_output = Cast(h_output_quantized) to=1",
			"fc_quant_scales_mul: fc_quant_scales_mul:0 = Mul(x_scale, w_scale)",
			"fc_quant_output_scale_mul: h = Mul(h_output_quantized_cast_output, fc_quant_scales_mul:0)",
			"h_QuantizeLinear: h_quantized, h_scale, h_zero_point = DynamicQuantizeLinear(h)",
			"fc_quant__1: y_output_quantized = MatMulInteger(h_quantized, v_quantized, h_zero_point, v_zero_point)",
			"y_output_quantized_cast: y_output_quantized_cast_output = Cast(y_output_quantized) to=1",
			"fc_quant__1_scales_mul: fc_quant__1_scales_mul:0 = Mul(h_scale, v_scale)",
			"fc_quant__1_output_scale_mul: y = Mul(y_output_quantized_cast_output, fc_quant__1_scales_mul:0)",
		}, initializers: []string{
			"w_scale f32[]", "w_zero_point i8[]", "w_quantized i8[3,3]",
			"v_scale f32[]", "v_zero_point i8[]", "v_quantized i8[3,3]",
		}},

		{model: "a body captures a table's values", nodes: []string{
			"embed: e_quantized = Gather(table_quantized, ids)",
			"e_DequantizeLinear: e = DequantizeLinear(e_quantized, table_scale, table_zero_point)",
			"branch: y = If(c) then_branch=kind(5) else_branch=kind(5)",
			"  z = Relu(e)", "  z = Sigmoid(e)",
		}, initializers: []string{"table_scale f32[]", "table_zero_point u8[]", "table_quantized u8[3,4]"}},

		{model: "a body captures a weight", nodes: []string{
			"x_QuantizeLinear: x_quantized, x_scale, x_zero_point = DynamicQuantizeLinear(x)",
			"fc_quant: h_output_quantized = MatMulInteger(x_quantized, w_quantized, x_zero_point, w_zero_point)",
			"h_output_quantized_cast: h_output_quantized_cast_output = Cast(h_output_quantized) to=1",
			"fc_quant_scales_mul: fc_quant_scales_mul:0 = Mul(x_scale, w_scale)",
			"fc_quant_output_scale_mul: h = Mul(h_output_quantized_cast_output, fc_quant_scales_mul:0)",
			"sum: s = ReduceSum(w) keepdims=1",
			"branch: y = If(c) then_branch=kind(5) else_branch=kind(5)",
			"  z = MatMul(h, w)", "  z = Gemm(h, w)",
		}, initializers: []string{"w f32[3,3]", "w_scale f32[]", "w_zero_point i8[]", "w_quantized i8[3,3]"}},

		{model: "constant node read elsewhere", nodes: []string{
			"w_DequantizeLinear: w = DequantizeLinear(w_quantized, w_scale, w_zero_point)",
			"r: r = Relu(w)",
			"x_QuantizeLinear: x_quantized, x_scale, x_zero_point = DynamicQuantizeLinear(x)",
			"fc_quant: y_output_quantized = MatMulInteger(x_quantized, w_quantized, x_zero_point, w_zero_point)",
			"y_output_quantized_cast: y_output_quantized_cast_output = Cast(y_output_quantized) to=1",
			"fc_quant_scales_mul: fc_quant_scales_mul:0 = Mul(x_scale, w_scale)",
			"fc_quant_output_scale_mul: y = Mul(y_output_quantized_cast_output, fc_quant_scales_mul:0)",
			"s: s = Sigmoid(w)",
		}, initializers: []string{"w_scale f32[]", "w_zero_point i8[]", "w_quantized i8[3,2]"}},
	}
	for _, tt := range tests {
		t.Run(tt.model, func(t *testing.T) {
			o := DefaultDynamicOptions()
			if tt.change != nil {
				tt.change(&o)
			}
			q, _ := dynamicOf(t, graphtest.Model(t, modelText(t, tt.model)), o)
			if diff := cmp.Diff(tt.nodes, graphtest.Nodes(q.Graph())); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.initializers, graphtest.Initializers(q.Graph())); diff != "" {
				t.Errorf("initializers (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDynamicOfEveryModel holds what must be true whatever is quantized, and
// how.
func TestDynamicOfEveryModel(t *testing.T) {
	seen := map[Departure]bool{wrongType: true} // which only an invalid model brings up
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) {
			original := graphtest.Model(t, m.text)
			before := digest(t, original)
			o := DefaultDynamicOptions()
			o.Subgraphs = m.subgraphs
			_, report := dynamicOf(t, original, o)
			want := slices.Sorted(slices.Values(m.departures))
			if diff := cmp.Diff(want, report.Departures); diff != "" {
				t.Errorf("departures (-want +got):\n%s", diff)
			}
			for _, o := range everyOption() {
				o.Subgraphs = m.subgraphs
				q, report := dynamicOf(t, original, o)
				checkGraph(t, original, q, fmt.Sprintf("%+v", o))
				for _, d := range report.Departures {
					seen[d] = true
				}
			}
			if digest(t, original) != before {
				t.Error("the original changed")
			}
		})
	}
	for d := range departures {
		if !seen[d] {
			t.Errorf("no model brings up the departure %s", d)
		}
	}
}

func everyOption() []DynamicOptions {
	var out []DynamicOptions
	for _, weights := range []tensor.DType{tensor.I8, tensor.U8} {
		for bits := range 8 {
			for _, symmetry := range []Symmetry{SymmetryByType, Symmetric, Asymmetric} {
				out = append(out, DynamicOptions{
					WeightType: weights, PerChannel: bits&1 > 0, ReduceRange: bits&2 > 0,
					MatMulConstBOnly: bits&4 == 0, WeightSymmetric: symmetry,
				})
			}
		}
	}
	return out
}

func digest(t testing.TB, m *graphops.Model) [32]byte {
	t.Helper()
	var buf bytes.Buffer
	if err := graphops.Write(&buf, m); err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(buf.Bytes())
}

// checkGraph makes sure that every value is defined once and before it is read,
// that names of nodes are unique, that the result can be written and read, and
// that inputs and outputs are those of the original.
func checkGraph(t *testing.T, original, q *graphops.Model, what string) {
	t.Helper()
	g := q.Graph()
	defined := map[string]bool{"": true}
	define := func(name string) {
		if name != "" && defined[name] {
			t.Errorf("%s: %q is defined twice", what, name)
		}
		defined[name] = true
	}
	for _, v := range g.Inputs() {
		define(v.Name())
	}
	for _, x := range g.Initializers() {
		if defined[x.Name()] && slices.ContainsFunc(g.Inputs(), func(v *graphops.ValueInfo) bool { return v.Name() == x.Name() }) {
			continue // the default of an input
		}
		define(x.Name())
	}
	for _, x := range g.SparseInitializers() {
		define(x.Name())
	}
	nodes := map[string]bool{}
	for _, n := range g.Nodes() {
		if n.Name() != "" && nodes[n.Name()] {
			t.Errorf("%s: two nodes are named %q", what, n.Name())
		}
		nodes[n.Name()] = true
		for _, name := range append(slices.Clone(n.Inputs()), n.Captured()...) {
			if !defined[name] {
				t.Errorf("%s: node %q reads %q before it is made", what, graphtest.Node(n), name)
			}
		}
		for _, name := range n.Outputs() {
			define(name)
		}
	}
	for _, v := range g.Outputs() {
		if !defined[v.Name()] {
			t.Errorf("%s: output %q is not made", what, v.Name())
		}
	}
	for _, v := range g.ValueInfo() {
		if !defined[v.Name()] {
			t.Errorf("%s: value_info of %q, which is gone", what, v.Name())
		}
	}
	if diff := cmp.Diff(valueNames(original.Graph().Outputs()), valueNames(g.Outputs())); diff != "" {
		t.Errorf("%s: outputs (-original +result):\n%s", what, diff)
	}
	if diff := cmp.Diff(valueNames(original.Graph().FeedInputs()), valueNames(g.FeedInputs())); diff != "" {
		t.Errorf("%s: inputs (-original +result):\n%s", what, diff)
	}
	digest(t, q)
}

func valueNames(list []*graphops.ValueInfo) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Name())
	}
	return out
}

// TestDynamicAgain quantizes what is quantized.
func TestDynamicAgain(t *testing.T) {
	q, _ := dynamicOf(t, graphtest.Model(t, modelText(t, "gather to everything")), DefaultDynamicOptions())
	_, report, err := Dynamic(context.Background(), q, DefaultDynamicOptions(), nil)
	if !errors.Is(err, ErrNothing) || !strings.Contains(err.Error(), "already quantized") || report == nil {
		t.Errorf("report %v, error %v", report, err)
	}
	half, _ := dynamicOf(t, graphtest.Model(t, modelText(t, "shared input")), DynamicOptions{WeightType: tensor.I8, Include: []string{"a"}})
	rest, report := dynamicOf(t, half, DefaultDynamicOptions())
	checkGraph(t, half, rest, "what is left")
	if len(report.Quantized) != 1 || report.Quantized[0].Node != "b" || len(report.Warnings) != 1 {
		t.Errorf("%+v", report)
	}
}

func TestDynamicRefuses(t *testing.T) {
	with := func(f func(*DynamicOptions)) DynamicOptions {
		o := DefaultDynamicOptions()
		f(&o)
		return o
	}
	plain := DefaultDynamicOptions()
	tests := []struct {
		name, text string
		o          DynamicOptions
		want       []string // parts of the message
	}{
		{"opset", "ir 3\nopset 5\n" + body("init w f32[3,2] 1") + "\nd = Dropout(x)", plain, []string{"opset 5", "raised to 11", "is_test"}},
		{"operators that changed", "ir 4\nopset 6\n" + body("init w f32[3,2] 1") + "\na = Clip(k) min=1.0\nb = Upsample(x)\nd, e = Dropout(x) is_test=1\ni = Relu(e)\nf = Clip(x)\ng = BatchNormalization(x, x, x, x, x)\nh = Add(x, x) broadcast=1", plain, []string{"2 nodes", "Clip #1: the type of \"k\" is not known", "Upsample #2: attribute \"height_scale\" is missing"}},
		{"no opset", "opset com.microsoft 1\n" + body("init w f32[3,2] 1"), plain, []string{"opset_import"}},
		{"NaN", body("init w f32[3,2] 1 2 NaN"), plain, []string{"nothing to quantize", `node "fc" (MatMul) reads "w"`, "element 2 is NaN"}},
		{"float16", "input x f16[n,3]\ninit w f16[3,2] 1\ny = MatMul(x, w)\noutput y", plain, []string{"nothing to quantize", "float16"}},
		{"nothing", "input x f32[n,3]\ny = Relu(x)\noutput y", plain, []string{"nothing to quantize: no node of Attention"}},
		{"nothing that can be", body("init w f64[3,2] 1"), plain, []string{"nothing to quantize: the only candidate was skipped"}},
		{"only a Transpose", "input x f32[3,2]\ny = Transpose(x)\noutput y", plain, []string{"nothing to quantize"}},
		{"unknown node", body("init w f32[3,2] 1"), with(func(o *DynamicOptions) { o.Exclude = []string{"fcc"} }), []string{`node "fcc"`, `nearest names: "fc"`}},
		{"unknown node to include", body("init w f32[3,2] 1"), with(func(o *DynamicOptions) { o.Include = []string{"fc_MatMul"} }), []string{`node "fc_MatMul"`}},
		{"unknown operator", body("init w f32[3,2] 1"), with(func(o *DynamicOptions) { o.OpTypes = []string{"Relu"} }), []string{`"Relu"`, "Attention, Conv, EmbedLayerNormalization, Gather, Gemm, LSTM, MatMul, Transpose"}},
		{"type of weights", body("init w f32[3,2] 1"), DynamicOptions{WeightType: tensor.I16}, []string{"i16", "expected i8 or u8"}},
		{"cycle", body("init w f32[3,2] 1") + "\na = Relu(b)\nb = Relu(a)", plain, []string{"cycle"}},
		{"value made twice", body("init w f32[3,2] 1") + "\ny = Relu(x)", plain, []string{`value "y"`, "more than one"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q, _, err := Dynamic(context.Background(), graphtest.Model(t, tt.text), tt.o, nil)
			if err == nil || q != nil {
				t.Fatalf("taken: %v", graphtest.Nodes(q.Graph()))
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
		})
	}
}

// body is a model with one MatMul by the weight.
func body(weight string) string {
	return "input x f32[n,3]\noutput y f32[n,2]\n" + weight + "\nfc: y = MatMul(x, w)"
}

// TestDynamicRefusesWrongLength hides the lie of a weight until it is read.
func TestDynamicRefusesWrongLength(t *testing.T) {
	p := graphtest.Proto(t, body("init w f32[3,2] 1"))
	p.Graph.Initializer[0].Dims = []int64{1 << 40, 1 << 20}
	_, _, err := Dynamic(context.Background(), graphtest.Decode(t, p), DefaultDynamicOptions(), nil)
	if err == nil || !strings.Contains(err.Error(), `"w"`) {
		t.Errorf("error %v", err)
	}
	o := DefaultDynamicOptions()
	o.PerChannel = true
	q, report, err := Dynamic(context.Background(), graphtest.Decode(t, p), o, nil)
	if !errors.Is(err, ErrNothing) || q != nil || !strings.Contains(report.Skipped[0].Reason, "at most 4194304 channels") {
		t.Errorf("per channel: %v, %+v, error %v", q, report, err)
	}
}
