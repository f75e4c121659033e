package profile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// joined says of every node of the optimized graph where it comes from: its name or
// operator, how, the original, and the members beside it.
func joined(original, optimized *graphops.Model, weigh map[string]int64) []string {
	weight := func(p *graphops.Place, i int) int64 { return weigh[p.Graph.Nodes()[i].Outputs()[0]] }
	j := joinModels(original, optimized, weight)
	var out []string
	for _, p := range optimized.Places() {
		for i, n := range p.Graph.Nodes() {
			o, known := j.origin[at{p, i}]
			what := n.OpType() + "→" + strings.Join(n.Outputs(), ",")
			if !known || o.By == ByNone {
				out = append(out, what+" none")
				continue
			}
			nodes := o.Place.Graph.Nodes()
			line := fmt.Sprintf("%s %s %s", what, o.By, nodes[o.Node].Outputs()[0])
			for _, m := range o.Members {
				if m != o.Node {
					line += " +" + nodes[m].Outputs()[0]
				}
			}
			if !slices.Contains(o.Members, o.Node) {
				line += " (not its work)"
			}
			out = append(out, line)
		}
	}
	return out
}

// TestJoin has what ONNX Runtime makes of graphs, in small.
func TestJoin(t *testing.T) {
	const inputs = "input x f32[1,4]\ninit w f32[4,4] 1\ninit b f32[4] 1\ninit c f32[1] 2\noutput y f32\n"
	for name, c := range map[string]struct {
		original, optimized string
		weigh               map[string]int64
		want                []string
	}{
		"the same": {
			original:  "a: h = Relu(x)\nb: y = Neg(h)\n",
			optimized: "a: h = Relu(x)\nb: y = Neg(h)\n",
			want:      []string{"Relu→h name h", "Neg→y name y"},
		},
		"without names": {
			original:  "h = Relu(x)\ny = Neg(h)\n",
			optimized: "h = Relu(x)\ny = Neg(h)\n",
			want:      []string{"Relu→h values h", "Neg→y values y"},
		},
		"a fusion that keeps an output": {
			original:  "conv: h = Conv(x, w)\nact: y = Relu(h)\n",
			optimized: "fused: y = com.microsoft::FusedConv(x, w)\n",
			want:      []string{"FusedConv→y values h +y"},
		},
		"a fusion under another's name": { // the name alone would lead to the wrong half
			original:  "one: h = Conv(x, w)\ntwo: y = Relu(h)\n",
			optimized: "two: y = Conv(x, w)\n",
			want:      []string{"Conv→y name y +h"},
		},
		"many nodes, the costly one counts": {
			original:  "s = Shape(x)\nk = Mul(x, b)\nm = Mul(k, b)\nn = Mul(m, x)\ny = Reshape(n, s)\n",
			optimized: "y = com.microsoft::Attention(x, b)\n",
			weigh:     map[string]int64{"m": 7},
			want:      []string{"Attention→y values m +s +k +n +y"},
		},
		"nothing counts: the last": {
			original:  "k = Sub(x, b)\nm = Mul(k, b)\ny = Sqrt(m)\n",
			optimized: "Gelu: y = Gelu(x)\n",
			want:      []string{"Gelu→y values y +k +m"},
		},
		"what another reads is not swallowed": {
			original:  "k = Sub(x, b)\nm = Mul(k, b)\nn = Sqrt(k)\ny = Add(m, n)\n",
			optimized: "k = Sub(x, b)\ny = Fused(k, b)\n",
			want:      []string{"Sub→k values k", "Fused→y values y +m +n"},
		},
		"a product between reshapes": {
			original:  "fc/MatMul: h = MatMul(x, w)\nfc/Add: y = Add(h, b)\n",
			optimized: "gemm_input_reshape: i = Reshape(x, s)\nfc/MatMul/MatMulAddFusion: g = Gemm(i, w, b)\ngemm_output_reshape: y = Reshape(g, s)\n",
			want:      []string{"Reshape→i values h (not its work)", "Gemm→g name h +y", "Reshape→y values h (not its work)"},
		},
		"the same without names": {
			original:  "h = MatMul(x, w)\ny = Add(h, b)\n",
			optimized: "i = Reshape(x, s)\ng = Gemm(i, w, b)\ny = Reshape(g, s)\n",
			want:      []string{"Reshape→i values h (not its work)", "Gemm→g values h +y", "Reshape→y values h (not its work)"},
		},
		"channels in blocks": {
			original:  "p = Conv(x, w)\nq = Relu(p)\nr = MaxPool(q)\ny = Flatten(r)\n",
			optimized: "ReorderInput: reorder = com.microsoft.nchwc::ReorderInput(x)\nq_nchwc: t0 = com.microsoft.nchwc::Conv(reorder, w2)\nr_nchwc: t1 = com.microsoft.nchwc::MaxPool(t0)\nReorderOutput: r = com.microsoft.nchwc::ReorderOutput(t1)\ny = Flatten(r)\n",
			want:      []string{"ReorderInput→reorder values p (not its work)", "Conv→t0 values p +q", "MaxPool→t1 name r", "ReorderOutput→r values r (not its work)", "Flatten→y values y"},
		},
		"a call of a function": {
			original:  "call: h = local::Swish(x)\ny = Neg(h)\nfunction local Swish(a) -> (b)\ns = Sigmoid(a)\nb = Mul(a, s)\nend\n",
			optimized: "s = Sigmoid(x)\nh = Mul(x, s)\ny = Neg(h)\n",
			want:      []string{"Sigmoid→s values h", "Mul→h values h (not its work)", "Neg→y values y"},
		},
		"constants that are folded": {
			original:  "k = Neg(w)\nl = Neg(k)\nh = MatMul(x, l)\ny = Relu(h)\n",
			optimized: "init l f32[4,4] 1\nh = MatMul(x, l)\ny = Relu(h)\n",
			want:      []string{"MatMul→h values h", "Relu→y values y"},
		},
		"a copy to a device": {
			original:  "a: h = Relu(x)\nb: y = Neg(h)\n",
			optimized: "Memcpy: x_dev = MemcpyFromHost(x)\na: h = Relu(x_dev)\nMemcpy_token_1: h_host = MemcpyToHost(h)\nb: y = Neg(h_host)\n",
			want:      []string{"MemcpyFromHost→x_dev values h (not its work)", "Relu→h name h", "MemcpyToHost→h_host values y (not its work)", "Neg→y name y"},
		},
		"an operator taken apart": {
			original:  "h = MatMul(x, w)\ni = Softmax(h)\ny = MatMul(i, w)\n",
			optimized: "c0 = MatMul(x, w)\nc1 = ReduceMax(c0)\nc2 = Sub(c0, c1)\nc3 = Exp(c2)\ny = MatMul(c3, w)\n",
			want:      []string{"MatMul→c0 values h", "ReduceMax→c1 values i", "Sub→c2 values i (not its work)", "Exp→c3 values i (not its work)", "MatMul→y values y"},
		},
		"what nothing is known of": {
			original:  "y = Relu(x)\n",
			optimized: "z = Relu(other)\ny = Relu(x)\n",
			want:      []string{"Relu→z none", "Relu→y values y"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			original := graphtest.Model(t, inputs+"opset local 1\nopset com.microsoft 1\n"+c.original)
			optimized := graphtest.Model(t, inputs+"opset com.microsoft 1\nopset com.microsoft.nchwc 1\n"+c.optimized)
			if d := cmp.Diff(c.want, joined(original, optimized, c.weigh)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestJoinBodies leads what stands in a branch to the same branch, which knows what is
// around it.
func TestJoinBodies(t *testing.T) {
	const text = `
		graph then
		t = Exp(h)
		r = Relu(t)
		output r f32
		end
		graph else
		r = Neg(h)
		output r f32
		end
		input x f32[4]
		input c bool[]
		output y f32
		h = Relu(x)
		choose: y = If(c) then_branch=@then else_branch=@else
	`
	fused := strings.Replace(text, "t = Exp(h)\n\t\tr = Relu(t)", "r = FusedExp(h)", 1)
	got := joined(graphtest.Model(t, text), graphtest.Model(t, fused), nil)
	slices.Sort(got)
	want := []string{"FusedExp→r values t +r", "If→y name y", "Neg→r values r", "Relu→h values h"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestMatch pairs nodes without names by their order, and not where there are more on
// one side.
func TestMatch(t *testing.T) {
	m := graphtest.Model(t, "input x f32[4]\noutput y f32\na = Relu(x)\nnamed: b = Neg(a)\nc = Relu(b)\nd = Exp(c)\ny = Exp(d)\n")
	timed := []*Timed{
		{Name: "Relu_7", Op: "Relu", Index: "7"},
		{Name: "named", Op: "Neg", Index: "1"},
		{Name: "Relu_2", Op: "Relu", Index: "2"},
		{Name: "Exp_3", Op: "Exp", Index: "3"},
		{Name: "Abs_9", Op: "Abs", Index: "9"},
	}
	found := match(&Trace{Nodes: timed}, m.Places()[0])
	want := map[string]int{"Relu_7": 0, "named": 1, "Relu_2": 2}
	got := map[string]int{}
	for n, where := range found {
		got[n.Name] = where.node
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestUndecorated(t *testing.T) {
	for name, want := range map[string][]string{
		"/fc/MatMul/MatMulAddFusion":             {"/fc/MatMul"},
		"/m/ln/Mul/LayerNormFusion/":             {"/m/ln/Mul"},
		"fused /fc1/Gemm":                        {"/fc1/Gemm"},
		"/fc1/Conv_token_187":                    {"/fc1/Conv"},
		"/fc1/Conv_output_0_nchwc":               {"/fc1/Conv_output_0"},
		"x_DequantizeLinear/duplicated_token_15": {"x_DequantizeLinear/duplicated", "x_DequantizeLinear"},
		"plain":                                  nil, "": nil, "/": nil,
	} {
		if d := cmp.Diff(want, undecorated(name)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestJoinManyNodes wants time that grows with the graph, also where no value survives.
func TestJoinManyNodes(t *testing.T) {
	const n = 20000
	var a, b strings.Builder
	for _, s := range []*strings.Builder{&a, &b} {
		s.WriteString("input x f32[4]\noutput y f32\n")
	}
	last, lost := "x", "x"
	for i := range n {
		fmt.Fprintf(&a, "v%d = Relu(%s)\n", i, last)
		fmt.Fprintf(&b, "w%d = Relu(%s)\n", i, lost)
		last, lost = fmt.Sprint("v", i), fmt.Sprint("w", i)
	}
	fmt.Fprintf(&a, "y = Neg(%s)\n", last)
	fmt.Fprintf(&b, "y = Neg(%s)\n", lost)
	got := joined(graphtest.Model(t, a.String()), graphtest.Model(t, b.String()), nil)
	if len(got) != n+1 || got[n] != "Neg→y values y" {
		t.Errorf("%d nodes, the last %q", len(got), got[len(got)-1])
	}
}
