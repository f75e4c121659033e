package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
)

const swish = "opset 17\ninput x f32[b,4]\noutput y f32[b,4]\nvalue s f32[b,4]\nvalue t f32[b,4]\ninit one f32[] 1\ninit w f32[4] 1 2 3 4\nh = Neg(x)\nu = Mul(h, one)\ns = Sigmoid(u)\nt = Mul(h, s)\ny = Add(t, w)"

func TestReplace(t *testing.T) {
	tests := []struct {
		name, model string
		nodes       []string
		operator    edit.Operator
		want        []string
		constants   []string
	}{
		{
			"constants are dropped", swish,
			[]string{"#1", "#2", "#3"},
			operator("HardSwish"),
			[]string{"h = Neg(x)", "t = HardSwish(h)", "y = Add(t, w)"},
			[]string{"w"},
		},
		{
			"what has a place stays", swish,
			[]string{"#3", "#4"},
			operator("Mean"),
			[]string{"h = Neg(x)", "u = Mul(h, one)", "s = Sigmoid(u)", "y = Mean(h, s, w)"},
			[]string{"one", "w"},
		},
		{
			"inputs are chosen", swish,
			[]string{"#3", "#4"},
			operator("Gemm", "-C=w", "-1=s"),
			[]string{"h = Neg(x)", "u = Mul(h, one)", "s = Sigmoid(u)", "y = Gemm(h, s, w)"},
			[]string{"one", "w"},
		},
		{
			"a Constant of the pattern that others read stays", "opset 17\ninput x f32[4]\noutput y f32[4]\noutput z f32[4]\nc = Constant() value={f32[] 2}\na = Mul(x, c)\ny = Abs(a)\nz = Mul(y, c)",
			[]string{"#0", "#1"},
			operator("Neg"),
			[]string{"c = Constant() value=f32[]{2}", "a = Neg(x)", "y = Abs(a)", "z = Mul(y, c)"},
			nil,
		},
		{
			"an output that nothing reads", "opset 17\ninput x f32[4]\noutput y f32[4]\na = Neg(x)\ny = Abs(a)",
			[]string{"#0", "#1"},
			operator("TopK", "-1=i64[1]{4}"),
			[]string{"y, y_1 = TopK(x, y_topk_K)"},
			[]string{"y_topk_K"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.model)
			next, _ := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Replace(t.Context(), m, at(t, m), edit.ReplaceOptions{Nodes: tt.nodes, Operator: tt.operator})
			})
			if diff := cmp.Diff(tt.want, nodesOf(next.Graph())); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			var constants []string
			for _, c := range next.Graph().Initializers() {
				constants = append(constants, c.Name())
			}
			if diff := cmp.Diff(tt.constants, constants); diff != "" {
				t.Errorf("constants (-want +got):\n%s", diff)
			}
			if problems := graphtest.Problems(next); len(problems) > 0 {
				t.Errorf("problems %q", problems)
			}
		})
	}
}

// TestReplaceFunction replaces two paths by a call of a function with two outputs, whose readers
// are partly before the last node of the pattern.
func TestReplaceFunction(t *testing.T) {
	m := graphtest.Model(t, "opset 17\nopset local 1\nfunction local Pair(a) -> (p, q)\nopset 17\np = Neg(a)\nq = Exp(a)\nend\ninput x f32[4]\noutput y f32[4]\noutput z f32[4]\na = Neg(x)\nz = Abs(a)\nb = Exp(x)\ny = Sum(b)")
	next, _ := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Replace(t.Context(), m, at(t, m), edit.ReplaceOptions{Nodes: []string{"#0", "#2"}, Operator: operator("Pair")})
	})
	if diff := cmp.Diff([]string{"a, b = local.Pair(x)", "z = Abs(a)", "y = Sum(b)"}, nodesOf(next.Graph())); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

func TestReplaceRefuses(t *testing.T) {
	tests := []struct {
		name     string
		nodes    []string
		operator edit.Operator
		want     string
	}{
		{"no node", nil, operator("Neg"), "no node is given"},
		{"no such node", []string{"nope"}, operator("Neg"), `node "nope": the graph has none of that name`},
		{"left and entered again", []string{"#1", "#3"}, operator("Neg"), `node #2 (Sigmoid): is between the nodes of the pattern: it depends on node #1 (Mul) and makes "s", which the pattern reads`},
		{"apart", []string{"#0", "#4"}, operator("Neg"), `node #4 (Add): has no value in common with the other nodes`},
		{"more outputs", []string{"#0", "#1"}, operator("Neg"), `value "u": is read by node #2 (Sigmoid), but operator Neg has 1 output, and the pattern gives 2 values that are needed outside: "h", "u"`},
		{"more inputs", []string{"#3"}, operator("Neg"), `operator Neg: the pattern reads "s", but the operator has 1 input: X, and no place for it`},
		{"too few inputs", []string{"#0"}, operator("Add"), `operator Add: input 1 (B): is required`},
		{"reads what it makes", []string{"#0"}, operator("Add", "-1=s"), `operator Add: input 1 (B): "s" depends on node #0 (Neg), which is replaced`},
		{"reads what goes", []string{"#1", "#2"}, operator("Add", "-1=u"), `operator Add: input 1 (B): "u" depends on node #1 (Mul), which is replaced`},
		{"another type", []string{"#0"}, operator("Shape"), `operator Shape: output 0: gives i64, but "h" (f32 b×4)`},
		{"no such operator", []string{"#0"}, operator("Negg"), `operator "Negg": no domain that is known has it`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, swish)
			_, _, err := edit.Replace(t.Context(), m, at(t, m), edit.ReplaceOptions{Nodes: tt.nodes, Operator: tt.operator})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
}

// FuzzOperator inserts any operator, and replaces nodes by it, in models as broken as they like.
// Nothing panics, and what was valid stays so.
func FuzzOperator(f *testing.F) {
	for i, text := range []string{branching, forked, quantized, plain, passed, swish} {
		for _, op := range []string{"Neg", "Add", "com.microsoft::FastGelu", "TopK", "Concat", "::", "a::b::c", "local::Twice"} {
			f.Add(graphtest.Bytes(f, text), op, "axis=1", "1=f32[]{0.5}", i%2 == 0, uint16(i), uint16(i), uint16(i*7))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, op, set, input string, replace bool, place, node, value uint16) {
		m, err := graphops.Decode(data)
		if err != nil || len(m.Places()) > 1000 {
			return
		}
		p := m.Places()[int(place)%len(m.Places())]
		x := p.Graph.Index()
		if len(p.Graph.Nodes()) == 0 || x.Values() == 0 {
			return
		}
		o := operator(op, "-"+input)
		if set != "" && !strings.HasPrefix(set, "-") {
			o = operator(op, "-"+input, set)
		}
		var next *graphops.Model
		if replace {
			n := len(p.Graph.Nodes())
			next, _, err = edit.Replace(t.Context(), m, p, edit.ReplaceOptions{Nodes: []string{fmt.Sprintf("#%d", int(node)%n), fmt.Sprintf("#%d", int(value)%n)}, Operator: o})
		} else {
			next, _, err = edit.Insert(t.Context(), m, p, edit.InsertOptions{On: []string{x.Name(graphops.ValueID(int(value) % x.Values()))}, Operator: o})
		}
		if err != nil {
			return
		}
		graphtest.Encode(t, next)
		if problems := graphtest.Problems(next); len(problems) > 0 && len(graphtest.Problems(m)) == 0 {
			t.Errorf("not valid: %q", problems)
		}
	})
}
