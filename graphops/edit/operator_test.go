package edit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
)

// nodesOf lists the nodes of a graph as "y = Op(inputs) attributes".
func nodesOf(g *graphops.Graph) []string {
	var list []string
	for _, n := range g.Nodes() {
		text := strings.Join(n.Outputs(), ", ") + " = " + strings.TrimPrefix(n.Domain()+"."+n.OpType(), ".") + "(" + strings.Join(n.Inputs(), ", ") + ")"
		for _, a := range n.Attributes() {
			text += " " + a.Name() + "=" + a.String()
		}
		list = append(list, text)
	}
	return list
}

const shapes = "opset 17\ninput x f32[b,4]\noutput y f32[b,4]\nvalue h f32[b,4]\nh = Neg(x)\ny = Abs(h)"

func operator(name string, settings ...string) edit.Operator {
	o := edit.Operator{Name: name}
	for _, s := range settings {
		left, right, _ := strings.Cut(s, "=")
		if input, ok := strings.CutPrefix(left, "-"); ok {
			o.Inputs = append(o.Inputs, edit.OperatorInput{Input: input, Text: right})
		} else {
			o.Set = append(o.Set, edit.AttributeSetting{Name: left, Text: right})
		}
	}
	return o
}

func TestInsertOperator(t *testing.T) {
	const function = "opset 17\nopset local 1\nfunction local Twice(a) -> (b)\nopset 17\nb = Add(a, a)\nend\n"
	tests := []struct {
		name, model string
		o           edit.InsertOptions
		nodes       []string
		types       []string
	}{
		{
			"an attribute", shapes,
			edit.InsertOptions{On: []string{"h"}, Operator: operator("LeakyRelu", "alpha=0.5")},
			[]string{"h = Neg(x)", "h_leakyrelu = LeakyRelu(h) alpha=0.5", "y = Abs(h_leakyrelu)"},
			[]string{"h f32 b×4", "h_leakyrelu f32 b×4", "y f32 b×4"},
		},
		{
			"an output keeps its name", shapes,
			edit.InsertOptions{On: []string{"y"}, Operator: operator("ArgMax", "axis=1")},
			[]string{"h = Neg(x)", "y_before_argmax = Abs(h)", "y = ArgMax(y_before_argmax) axis=1"},
			[]string{"h f32 b×4", "y_before_argmax f32 b×4", "y i64 b×1"},
		},
		{
			"a value", shapes,
			edit.InsertOptions{On: []string{"h"}, Operator: operator("Sub", "-A=x"), At: "B"},
			[]string{"h = Neg(x)", "h_sub = Sub(x, h)", "y = Abs(h_sub)"},
			[]string{"h f32 b×4", "h_sub f32 b×4", "y f32 b×4"},
		},
		{
			"a value that is made later", "opset 17\ninput x f32[4]\noutput y f32[4]\nh = Neg(x)\ny = Abs(h)\nlate = Exp(x)\noutput late f32[4]",
			edit.InsertOptions{On: []string{"h"}, Operator: operator("Add", "-1=late")},
			[]string{"h = Neg(x)", "late = Exp(x)", "h_add = Add(h, late)", "y = Abs(h_add)"},
			[]string{"y f32 4", "late f32 4", "h_add f32 4"},
		},
		{
			"itself twice, before an output", shapes,
			edit.InsertOptions{On: []string{"y"}, Operator: operator("Mul", "-1=y")},
			[]string{"h = Neg(x)", "y_before_mul = Abs(h)", "y = Mul(y_before_mul, y_before_mul)"},
			[]string{"h f32 b×4", "y_before_mul f32 b×4", "y f32 b×4"},
		},
		{
			"a constant in a graph that cannot hold an initializer", "ir 3\n" + shapes,
			edit.InsertOptions{On: []string{"h"}, Operator: operator("Add", "-B=f32[]{2}")},
			[]string{"h_add_B = Constant() value=f32[]{2}", "h = Neg(x)", "h_add = Add(h, h_add_B)", "y = Abs(h_add)"},
			[]string{"h f32 b×4", "h_add f32 b×4", "y f32 b×4"},
		},
		{
			"a Cast", shapes,
			edit.InsertOptions{On: []string{"h"}, AtOutput: false, Before: []string{"#1"}, Operator: operator("Cast", "to=i32")},
			[]string{"h = Neg(x)", "h_cast = Cast(h) to=6", "y = Abs(h_cast)"},
			[]string{"h f32 b×4", "h_cast i32 b×4", "y f32 b×4"},
		},
		{
			"a function of the model", function + shapes[len("opset 17\n"):],
			edit.InsertOptions{On: []string{"h"}, Operator: operator("local::Twice")},
			[]string{"h = Neg(x)", "h_twice = local.Twice(h)", "y = Abs(h_twice)"},
			[]string{"h f32 b×4", "h_twice f32 b×4", "y f32 b×4"},
		},
		{
			"a function without its domain", function + shapes[len("opset 17\n"):],
			edit.InsertOptions{On: []string{"h"}, Operator: operator("Twice")},
			[]string{"h = Neg(x)", "h_twice = local.Twice(h)", "y = Abs(h_twice)"},
			[]string{"h f32 b×4", "h_twice f32 b×4", "y f32 b×4"},
		},
		{
			"two outputs", shapes,
			edit.InsertOptions{On: []string{"h"}, Operator: operator("TopK", "-K=i64[1]{4}")},
			[]string{"h = Neg(x)", "h_topk, h_topk_1 = TopK(h, h_topk_K)", "y = Abs(h_topk)"},
			[]string{"h f32 b×4", "h_topk f32 b×4", "y f32 b×4"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.model)
			next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Insert(t.Context(), m, at(t, m), tt.o)
			})
			if diff := cmp.Diff(tt.nodes, nodesOf(next.Graph())); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(sortedTexts(tt.types), sortedTexts(records(next.Graph()))); diff != "" {
				t.Errorf("types (-want +got):\n%s%q", diff, report.Warnings)
			}
			if problems := graphtest.Problems(next); len(problems) > 0 {
				t.Errorf("problems %q", problems)
			}
		})
	}
}

func sortedTexts(list []string) []string { return slices.Sorted(slices.Values(list)) }

// TestInsertOperatorInside inserts in a body and in a function, where names, constants and imports
// are those of the place.
func TestInsertOperatorInside(t *testing.T) {
	m := graphtest.Model(t, "opset 17\nopset local 1\nfunction local F(a) -> (b)\nopset 17\nb = Abs(a)\nend\ninput x f32[2]\noutput y f32[2]\ny = local::F(x)")
	next, _ := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Insert(t.Context(), m, at(t, m, "local:F"), edit.InsertOptions{On: []string{"a"}, Operator: operator("com.microsoft::BiasGelu", "-B=f32[2]{1,2}")})
	})
	f := next.Functions()[0]
	if diff := cmp.Diff([]string{"a_biasgelu_B = Constant() value=f32[2]{1,2}", "a_biasgelu = com.microsoft.BiasGelu(a, a_biasgelu_B)", "b = Abs(a_biasgelu)"}, nodesOf(f.Graph())); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	for _, opset := range []func(string) (int64, bool){f.Opset, next.Opset} {
		if v, ok := opset("com.microsoft"); !ok || v != 1 {
			t.Errorf("imports com.microsoft %d", v)
		}
	}
	_, _, err := edit.Insert(t.Context(), m, at(t, m, "local:F"), edit.InsertOptions{On: []string{"a"}, Operator: operator("local::F")})
	if err == nil || !strings.Contains(err.Error(), "operator local::F: the function would call itself") {
		t.Errorf("error %v", err)
	}
}

func TestInsertOperatorRefuses(t *testing.T) {
	tests := []struct {
		name string
		o    edit.InsertOptions
		want string
	}{
		{"no such operator", edit.InsertOptions{Operator: operator("LeakyRelo")}, `operator "LeakyRelo": no domain that is known has it, and no function of the model is called so; nearest names: "LeakyRelu"`},
		{"no such operator of a domain", edit.InsertOptions{Operator: operator("com.microsoft::FastGelo")}, `operator "com.microsoft::FastGelo": domain com.microsoft has none of that name; nearest names: "FastGelu"`},
		{"opset", edit.InsertOptions{Operator: operator("Swish")}, `operator Swish: needs opset 24 of the default domain, the graph has 17; convert it first`},
		{"removed", edit.InsertOptions{Operator: operator("Upsample")}, `operator Upsample: opset 10 of the default domain removed it, and the graph has 17`},
		{"no such attribute", edit.InsertOptions{Operator: operator("LeakyRelu", "alhpa=1")}, `attribute "alhpa": LeakyRelu has none of that name; nearest names: "alpha"`},
		{"no attributes", edit.InsertOptions{Operator: operator("Relu", "alpha=1")}, `attribute "alpha": Relu has no attributes`},
		{"attribute twice", edit.InsertOptions{Operator: operator("LeakyRelu", "alpha=1", "alpha=2")}, `attribute "alpha": is given twice`},
		{"kind", edit.InsertOptions{Operator: operator("LeakyRelu", "alpha=[1]")}, `attribute "alpha": is of kind float: "[1]" is not a number`},
		{"stated kind", edit.InsertOptions{Operator: edit.Operator{Name: "LeakyRelu", Set: []edit.AttributeSetting{{Name: "alpha", Kind: graphops.AttrInt, Text: "1"}}}}, `attribute "alpha": is of kind float, not int`},
		{"required attribute", edit.InsertOptions{Operator: operator("Concat")}, `attribute "axis": is required; give it with --set axis=VALUE, of kind int`},
		{"graph", edit.InsertOptions{Operator: operator("Loop")}, `attribute "body": is required, and holds a graph`},
		{"required input", edit.InsertOptions{Operator: operator("PRelu")}, `operator PRelu: input 1 (slope): is required`},
		{"left out", edit.InsertOptions{Operator: operator("PRelu", "-1=")}, `operator PRelu: input 1 (slope): is required`},
		{"no such input", edit.InsertOptions{Operator: operator("PRelu", "-2=x")}, `input 2: it has 2 inputs: X, slope`},
		{"no such input name", edit.InsertOptions{Operator: operator("PRelu", "-slop=x")}, `input "slop": it has none of that name; nearest names: "slope"`},
		{"input twice", edit.InsertOptions{Operator: operator("PRelu", "-1=x", "-slope=x")}, `input 1 (slope): is given twice`},
		{"no place left", edit.InsertOptions{Operator: operator("Relu", "-0=x")}, `operator Relu: has 1 input: X, and no place for another one`},
		{"no such value", edit.InsertOptions{Operator: operator("Add", "-1=hh")}, `input 1 (B): "hh" is neither a value of the graph nor a constant such as f32[]{0.5}; nearest names: "h"`},
		{"constant", edit.InsertOptions{Operator: operator("Add", "-1=f32[2]{1}")}, `input 1 (B): "f32[2]{1}" is not a tensor such as`},
		{"cycle", edit.InsertOptions{Operator: operator("Add", "-1=y")}, `input 1 (B): "y" depends on node #1 (Abs), which is to read the new value`},
		{"type", edit.InsertOptions{Operator: operator("And", "-1=bool[]{1}")}, `operator And: input 0 (A): accepts bool in this opset, but "h" is f32`},
		{"types that differ", edit.InsertOptions{Operator: operator("Add", "-1=i64[]{1}")}, `inputs 0 (A) and 1 (B): need the same type, but "h" is f32 and the constant is i64`},
		{"at nowhere", edit.InsertOptions{Operator: operator("Add", "-1=x"), At: "C"}, `input "C": it has 2 inputs: A, B`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, shapes)
			tt.o.On = []string{"h"}
			_, _, err := edit.Insert(t.Context(), m, at(t, m), tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
}

// TestOperators lists operators of the opset, and what a form asks of one.
func TestOperators(t *testing.T) {
	m := graphtest.Model(t, shapes)
	p := m.Places()[0]
	var names []string
	for _, o := range edit.Operators(m, p) {
		names = append(names, o.Name)
	}
	for name, want := range map[string]bool{"LeakyRelu": true, "com.microsoft::FastGelu": true, "Swish": false, "Upsample": false} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s listed: %t", name, !want)
		}
	}
	form, ok := edit.FormOf(m, p, "Concat")
	want := edit.Form{Attributes: []edit.Named{{Name: "axis", About: "int, required"}}, Inputs: []edit.Named{{Name: "inputs", About: "input 0, required"}}}
	if diff := cmp.Diff(want, form); diff != "" || !ok {
		t.Errorf("form (-want +got):\n%s", diff)
	}
}
