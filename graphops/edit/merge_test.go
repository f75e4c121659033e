package edit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// merge merges and checks that both models stay as they are and that valid ones
// give a valid one.
func merge(t *testing.T, first, second *graphops.Model, o edit.MergeOptions) (*graphops.Model, *edit.Report) {
	t.Helper()
	before := graphtest.Encode(t, second)
	next, report := apply(t, first, func() (*graphops.Model, *edit.Report, error) { return edit.Merge(t.Context(), first, second, o) })
	if !slices.Equal(before, graphtest.Encode(t, second)) {
		t.Error("the second model changed")
	}
	if problems := graphtest.Problems(next); len(problems) > 0 {
		t.Errorf("the result is not valid: %q", problems)
	}
	return next, report
}

// outline writes what a merge makes: inputs, outputs, value_info, initializers,
// nodes.
func outline(m *graphops.Model) string {
	g := m.Graph()
	return strings.Join([]string{
		"inputs " + types(g.Inputs()), "outputs " + types(g.Outputs()), "values " + types(g.ValueInfo()),
		"constants " + strings.Join(graphtest.Initializers(g), ", "), lines(m),
	}, "\n")
}

const encoder = `
	ir 8
	opset 17
	metadata author one
	metadata only first
	input image f32[n,3]
	input mask f32[n,1]
	init w f32[3,4] 1
	value h f32[n,4]
	mm: h = MatMul(image, w)
	relu: output = Relu(h)
	aux: extra = Neg(h)
	output output f32[n,4]
	output extra f32[n,4]
`

const head = `
	ir 9
	opset 17
	opset com.microsoft 1
	metadata author two
	metadata also second
	input input f32[batch,4]
	input mask f32[batch,1]
	init w f32[4,2] 2
	value h f32[batch,2]
	mm: h = MatMul(input, w)
	gelu: s = com.microsoft::Gelu(h)
	output = Mul(s, mask)
	output output f32[batch,2]
`

func TestMerge(t *testing.T) {
	next, report := merge(t, graphtest.Model(t, encoder), graphtest.Model(t, head), edit.MergeOptions{
		Connect: []edit.Connection{{"output", "input"}},
	})
	want := strings.TrimSpace(`
inputs image f32 n×3, mask f32 n×1
outputs output f32 n×2, extra f32 n×4
values h f32 n×4, output__1 f32 n×4, h__1 f32 n×2
constants w f32[3,4], w__1 f32[4,2]
mm: h = MatMul(image, w)
relu: output__1 = Relu(h)
aux: extra = Neg(h)
mm__1: h__1 = MatMul(output__1, w__1)
gelu: s = com.microsoft::Gelu(h__1)
output = Mul(s, mask)`)
	if diff := cmp.Diff(want, outline(next)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	changes := []edit.Change{
		{"connection", "output", "output", "input"},
		{"shared input", "mask", "two", "one"},
		{"symbol", "batch", "batch", "n"},
		{"value", "output", "output", "output__1"},
		{"value", "w", "w", "w__1"},
		{"value", "h", "h", "h__1"},
		{"node", "mm", "mm", "mm__1"},
	}
	if diff := cmp.Diff(changes, report.Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	warnings := []string{`metadata that differs between the models, where that of the first is kept: "author"`}
	if diff := cmp.Diff(warnings, report.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if report.NodesBefore != 3 || report.NodesAfter != 6 {
		t.Errorf("nodes %d to %d", report.NodesBefore, report.NodesAfter)
	}
	if got := fmt.Sprint(next.IRVersion(), next.Opsets(), next.Metadata()); got != "9 [{ 17} {com.microsoft 1}] [{author one} {only first} {also second}]" {
		t.Error(got)
	}
}

func TestMergeOptions(t *testing.T) {
	first, second := graphtest.Model(t, encoder), graphtest.Model(t, head)
	connect := []edit.Connection{{"output", "input"}}
	for _, tt := range []struct {
		name     string
		o        edit.MergeOptions
		want     []string // lines of the outline that must be there
		warnings string
	}{
		{
			"a prefix",
			edit.MergeOptions{Connect: connect, Prefix: "head/"},
			[]string{"outputs output f32 n×2, extra f32 n×4", "head/mm: head/h = MatMul(output__1, head/w)", "output = Mul(head/s, mask)", "constants w f32[3,4], head/w f32[4,2]"},
			"",
		},
		{
			"kept outputs",
			edit.MergeOptions{Connect: connect, KeepOutputs: true},
			[]string{"outputs output__1 f32 n×2, output f32 n×4, extra f32 n×4", "mm__1: h__1 = MatMul(output, w__1)", "output__1 = Mul(s, mask)"},
			`output "output" of the second model is called "output__1": the first has an output of that name`,
		},
		{
			"separate inputs",
			edit.MergeOptions{Connect: connect, Separate: []string{"mask"}},
			[]string{"inputs image f32 n×3, mask f32 n×1, mask__1 f32 n×1", "output = Mul(s, mask__1)"},
			`input "mask" of the second model is called "mask__1": the first has an input of that name`,
		},
		{
			"an inner value, and a prefix for a symbol",
			edit.MergeOptions{Connect: []edit.Connection{{"h", "input"}}},
			[]string{"outputs output__1 f32 n×2, output f32 n×4, extra f32 n×4", "mm__1: h__1 = MatMul(h, w__1)"},
			`output "output" of the second model is called "output__1": the first has an output of that name`,
		},
		{
			"one value for two inputs",
			edit.MergeOptions{Connect: []edit.Connection{{"output", "input"}, {"mask", "mask"}}},
			[]string{"inputs image f32 n×3, mask f32 n×1", "output = Mul(s, mask)"},
			"",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			next, report := merge(t, first, second, tt.o)
			got := outline(next)
			for _, line := range tt.want {
				if !slices.Contains(strings.Split(got, "\n"), line) {
					t.Errorf("%q is missing in\n%s", line, got)
				}
			}
			if all := strings.Join(report.Warnings, "\n"); !strings.Contains(all, tt.warnings) {
				t.Errorf("warnings %s lack %s", all, tt.warnings)
			}
		})
	}
}

// TestMergePairs is about connections that nobody asks for.
func TestMergePairs(t *testing.T) {
	two := graphtest.Model(t, "input x f32[2]\na = Relu(x)\nb = Neg(x)\noutput a f32[2]\noutput b f32[2]")
	one := graphtest.Model(t, "input x f32[2]\ny = Relu(x)\noutput y f32[2]")
	for _, tt := range []struct {
		name          string
		first, second *graphops.Model
		want          string
	}{
		{"the only ones", one, graphtest.Model(t, "input z f32[2]\nq = Neg(z)\noutput q f32[2]"), "y = Relu(x)\nq = Neg(y)"},
		{"by name", two, graphtest.Model(t, "input b f32[2]\ninput k f32[2]\nq = Sub(b, k)\noutput q f32[2]"), "a = Relu(x)\nb = Neg(x)\nq = Sub(b, k)"},
		{"a default is no input to feed", one, graphtest.Model(t, "input z f32[2]\ninput k f32[2]\ninit k f32[2] 1\nq = Sub(z, k)\noutput q f32[2]"), "y = Relu(x)\nq = Sub(y, k)"},
		{"one model twice", one, one, "y__1 = Relu(x)\ny = Relu(y__1)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			next, _ := merge(t, tt.first, tt.second, edit.MergeOptions{})
			if diff := cmp.Diff(tt.want, lines(next)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestMergeEdges is about values that are several things at once.
func TestMergeEdges(t *testing.T) {
	for _, tt := range []struct {
		name          string
		first, second string
		o             edit.MergeOptions
		want          string
	}{
		{
			"an initializer and an input that are outputs",
			"input x f32[2]\ninit k f32[2] 1\noutput x f32[2]\noutput k f32[2]",
			"input a f32[2]\ninput b f32[2]\ny = Add(a, b)\noutput y f32[2]",
			edit.MergeOptions{Connect: []edit.Connection{{"x", "a"}, {"k", "b"}}},
			"inputs x f32 2\noutputs y f32 2\nvalues \nconstants k f32[2]\ny = Add(x, k)",
		},
		{
			"a default that is fed falls away",
			"input x f32[2]\nh = Relu(x)\noutput h f32[2]",
			"input z f32[2]\ninput k f32[2]\ninit k f32[2] 1\ny = Add(z, k)\noutput y f32[2]",
			edit.MergeOptions{Connect: []edit.Connection{{"h", "k"}}},
			"inputs x f32 2, z f32 2\noutputs y f32 2\nvalues h f32 2\nconstants \nh = Relu(x)\ny = Add(z, h)",
		},
		{
			"an input that is an output too keeps its name",
			"input x f32[2]\nh = Relu(x)\noutput h f32[2]",
			"input z f32[2]\ny = Neg(z)\noutput z f32[2]\noutput y f32[2]",
			edit.MergeOptions{},
			"inputs x f32 2\noutputs z f32 2, y f32 2\nvalues h f32 2\nconstants \nh = Relu(x)\ny = Neg(h)\nz: z = Identity(h)",
		},
		{
			"and needs no node where it has the name",
			"input x f32[2]\nh = Relu(x)\noutput h f32[2]",
			"input h f32[2]\ny = Neg(h)\noutput h f32[2]\noutput y f32[2]",
			edit.MergeOptions{},
			"inputs x f32 2\noutputs h f32 2, y f32 2\nvalues h f32 2\nconstants \nh = Relu(x)\ny = Neg(h)",
		},
		{
			"two inputs from one value",
			"input x f32[2]\nh = Relu(x)\noutput h f32[2]",
			"input a f32[2]\ninput b f32[2]\nh = Add(a, b)\noutput h f32[2]",
			edit.MergeOptions{Connect: []edit.Connection{{"h", "a"}, {"h", "b"}}},
			"inputs x f32 2\noutputs h f32 2\nvalues h__1 f32 2\nconstants \nh__1 = Relu(x)\nh = Add(h__1, h__1)",
		},
		{
			"an output without a type has that of the graph",
			"input x f32[2]\nh = Relu(x)\noutput h",
			"input a f32[m]\ny = Neg(a)\noutput y f32[m]",
			edit.MergeOptions{},
			"inputs x f32 2\noutputs y f32 m\nvalues h f32 2\nconstants \nh = Relu(x)\ny = Neg(h)",
		},
		{
			"an output of a type that nobody knows has that of the input",
			"input x f32[2]\nh = Foo(x)\noutput h",
			"input a f32[m]\ny = Neg(a)\noutput y f32[m]",
			edit.MergeOptions{},
			"inputs x f32 2\noutputs y f32 m\nvalues h f32 m\nconstants \nh = Foo(x)\ny = Neg(h)",
		},
		{
			"an output declared for another batch is what the graph makes",
			"input x f32[n,4]\nh = Relu(x)\noutput h f32[1,4]",
			"input a f32[m,4]\ny = Neg(a)\noutput y f32[m,4]",
			edit.MergeOptions{},
			"inputs x f32 n×4\noutputs y f32 n×4\nvalues h f32 n×4\nconstants \nh = Relu(x)\ny = Neg(h)",
		},
		{
			"an optional input of one name stays two",
			"input x f32[2]\ninput k f32[2]\ninit k f32[2] 1\nh = Add(x, k)\noutput h f32[2]",
			"input h f32[2]\ninput k f32[2]\ninit k f32[2] 2\ny = Add(h, k)\noutput y f32[2]",
			edit.MergeOptions{},
			"inputs x f32 2, k f32 2, k__1 f32 2\noutputs y f32 2\nvalues h f32 2\nconstants k f32[2], k__1 f32[2]\nh = Add(x, k)\ny = Add(h, k__1)",
		},
		{
			"types that differ are not shared",
			"input x f32[2]\ninput k f32[3]\nh = Relu(x)\noutput h f32[2]",
			"input h f32[2]\ninput k f32[4]\ny = Foo(h, k)\noutput y f32[2]",
			edit.MergeOptions{},
			"inputs x f32 2, k f32 3, k__1 f32 4\noutputs y f32 2\nvalues h f32 2\nconstants \nh = Relu(x)\ny = Foo(h, k__1)",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			next, _ := merge(t, graphtest.Model(t, tt.first), graphtest.Model(t, tt.second), tt.o)
			if diff := cmp.Diff(tt.want, outline(next)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// twoBodies has bodies one in the other, with names that mean something else around
// them.
const twoBodies = `
	graph deep
	out = Abs(h)
	output out f32[2]
	end
	graph inside
	init h f32[2] 3
	t = If(c) then_branch=@deep else_branch=@deep
	u = Add(t, a)
	output u f32[2]
	end
	input c bool[]
	input a f32[2]
	k = Neg(a)
	y = If(c) then_branch=@inside else_branch=@inside
	x = Sub(y, k)
	output y f32[2]
	output x f32[2]`

// TestMergeBodies has names in bodies that clash with everything: with inner
// values of the other model, with what it shows, and with what feeds.
func TestMergeBodies(t *testing.T) {
	first := graphtest.Model(t, `
		graph inside
		y = Neg(h)
		output y f32[2]
		end
		input c bool[]
		input x f32[2]
		h = Relu(x)
		out = If(c) then_branch=@inside else_branch=@inside
		output out f32[2]`)
	second := graphtest.Model(t, twoBodies)
	next, _ := merge(t, first, second, edit.MergeOptions{Connect: []edit.Connection{{"out", "a"}}})
	want := strings.TrimSpace(`
inputs c bool scalar, x f32 2
outputs y f32 2, x__1 f32 2
values out f32 2
constants 
h = Relu(x)
out = If(c) then_branch=kind(5) else_branch=kind(5)
  y__1 = Neg(h)
  y__1 = Neg(h)
k = Neg(out)
y = If(c) then_branch=kind(5) else_branch=kind(5)
  t = If(c) then_branch=kind(5) else_branch=kind(5)
    out__1 = Abs(h__1)
    out__1 = Abs(h__1)
  u = Add(t, out)
  t = If(c) then_branch=kind(5) else_branch=kind(5)
    out__1 = Abs(h__1)
    out__1 = Abs(h__1)
  u = Add(t, out)
x__1 = Sub(y, k)`)
	if diff := cmp.Diff(want, outline(next)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMergeSymbols(t *testing.T) {
	for _, tt := range []struct {
		name          string
		first, second string // the type that feeds, and the types of input, another input and output
		want          string // those types in the result
		warning       string
	}{
		{"bound", "f32[n,4]", "f32[batch,4] f32[batch] f32[batch,2]", "z f32 n, y f32 n×2", ""},
		{"bound in an expression", "f32[n,4]", "f32[batch,4] f32[2*batch+1] f32[floor(batch/2),2]", "z f32 2*n+1, y f32 floor(n/2)×2", ""},
		{"bound to an expression", "f32[2*n,4]", "f32[batch,4] f32[batch] f32[batch+1,2]", "z f32 2*n, y f32 (2*n+1)×2", ""},
		{"an expression as a whole", "f32[n,4]", "f32[a+b,4] f32[a] f32[a+b,2]", "z f32 a, y f32 n×2", ""},
		{"free", "f32[n,4]", "f32[batch,4] f32[m] f32[m,2]", "z f32 m, y f32 m×2", ""},
		{"of one name by chance", "f32[n,4]", "f32[batch,4] f32[n] f32[n,batch]", "z f32 n__1, y f32 n__1×n", ""},
		{"of one name and bound", "f32[n,4]", "f32[n,4] f32[n] f32[n,2]", "z f32 n, y f32 n×2", ""},
		{"of one name, the axis unknown", "f32[?,n]", "f32[n,k] f32[n] f32[n,k]", "z f32 n__1, y f32 n__1×n", ""},
		{"fixed by the first", "f32[1,4]", "f32[n,4] f32[n] f32[n,2]", "z f32 n, y f32 n×2", `symbol "n" is always 1 because of the first model; lathe axes --fix n=1 replaces it in the shapes that still have "n"`},
		{"fixed by the second", "f32[n,4]", "f32[1,4] f32[m] f32[1,2]", "z f32 m, y f32 1×2", `axis 0 of input "a" is 1 for the second model and "n" for the first; the result is right for 1 alone, which lathe axes --fix n=1 writes down`},
		{"fixed by the second alone", "f32[?,4]", "f32[1,4] f32[m] f32[1,2]", "z f32 m, y f32 1×2", `axis 0 of input "a" is 1 for the second model and unknown in the first; the result is right for 1 alone`},
		{"two for one", "f32[n,m]", "f32[k,k] f32[k] f32[k,2]", "z f32 n, y f32 n×2", `sizes n and m of the first model have one symbol in the second, "k"`},
		{"no rank", "f32", "f32[n,4] f32[n] f32[n,2]", "z f32 n, y f32 n×2", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			types2 := strings.Fields(tt.second)
			first := graphtest.Model(t, "input x "+tt.first+"\nh = Relu(x)\noutput h "+tt.first)
			second := graphtest.Model(t, fmt.Sprintf("input a %s\ninput z %s\ny = Foo(a, z)\noutput y %s", types2[0], types2[1], types2[2]))
			next, report := merge(t, first, second, edit.MergeOptions{Connect: []edit.Connection{{"h", "a"}}})
			got := types(next.Graph().Inputs()[1:]) + ", " + types(next.Graph().Outputs())
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if all := strings.Join(report.Warnings, "\n"); all != tt.warning {
				t.Errorf("warnings %q, want %q", all, tt.warning)
			}
		})
	}
}

// TestMergeSymbolsInBodies renames symbols wherever the second model has them.
func TestMergeSymbolsInBodies(t *testing.T) {
	first := graphtest.Model(t, "input x f32[n]\nh = Relu(x)\noutput h f32[n]")
	second := graphtest.Model(t, `
		graph body
		value q f32[n]
		q = Neg(a)
		r = Neg(q)
		output r f32[n]
		end
		input c bool[]
		input a f32[k]
		input z f32[n]
		y = If(c) then_branch=@body else_branch=@body
		output y f32[k]`)
	next, _ := merge(t, first, second, edit.MergeOptions{Connect: []edit.Connection{{"h", "a"}}, Prefix: "p."})
	body := at(t, next, "#1:then_branch").Graph
	if got := types(body.ValueInfo()) + ", " + types(body.Outputs()); got != "p.q f32 p.n, p.r f32 p.n" {
		t.Error(got)
	}
	if got := types(next.Graph().Outputs()); got != "y f32 n" {
		t.Error(got)
	}
}

func TestMergeFunctions(t *testing.T) {
	calling := func(body, call string) string {
		return "opset 17\nopset local 1\nfunction local F(a) -> (b)\nb = " + body + "\nend\nfunction local G(a) -> (b)\nc = local::F(a)\nb = Neg(c)\nend\n" +
			"function local H(a) -> (b)\nb = Abs(a)\nend\ninput x f32[2]\n" + call + " = local::G(x)\nz" + call + " = local::H(" + call + ")\noutput z" + call + " f32[2]"
	}
	first := graphtest.Model(t, calling("Relu(a)", "p"))
	next, report := merge(t, first, graphtest.Model(t, calling("Relu(a)", "q")), edit.MergeOptions{})
	if len(next.Functions()) != 3 {
		t.Errorf("functions that are the same: %d, changes %v", len(next.Functions()), report.Changes)
	}
	next, _ = merge(t, first, graphtest.Model(t, calling("Exp(a)", "q")), edit.MergeOptions{})
	var keys []string
	for _, f := range next.Functions() {
		keys = append(keys, f.Key().Name+": "+strings.Join(graphtest.Nodes(f.Graph()), "; "))
	}
	want := []string{
		"F: b = Relu(a)", "G: c = local::F(a); b = Neg(c)", "H: b = Abs(a)",
		"F__1: b = Exp(a)", "G__1: c = local::F__1(a); b = Neg(c)",
	}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("p = local::G(x)\nzp = local::H(p)\nq = local::G__1(zp)\nzq = local::H(q)", lines(next)); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

// TestMergeFunctionsForOperators is about a function of one model that has the
// name of an operator which the other means.
func TestMergeFunctionsForOperators(t *testing.T) {
	own := "opset 17\nopset com.microsoft 1\nfunction com.microsoft Gelu(a) -> (b)\nb = Neg(a)\nend\ninput x f32[2]\nh = com.microsoft::Gelu(x)\noutput h f32[2]"
	operator := "opset 17\nopset com.microsoft 1\ninput x f32[2]\ny = com.microsoft::Gelu(x)\noutput y f32[2]"
	next, _ := merge(t, graphtest.Model(t, own), graphtest.Model(t, operator), edit.MergeOptions{})
	if diff := cmp.Diff("h = com.microsoft::Gelu__1(x)\ny = com.microsoft::Gelu(h)", lines(next)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	next, _ = merge(t, graphtest.Model(t, operator), graphtest.Model(t, own), edit.MergeOptions{})
	if diff := cmp.Diff("y = com.microsoft::Gelu(x)\nh = com.microsoft::Gelu__1(y)", lines(next)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMergeVersions(t *testing.T) {
	relu := "input x f32[2]\ny = Relu(x)\noutput y f32[2]"
	for _, tt := range []struct {
		name          string
		first, second string
		want          string // opsets and inputs, or the error
		warning       string
	}{
		{"differ", "opset 17\n" + relu, "opset 18\n" + relu, "error: the models use different versions of the operators of ai.onnx, the first 17, the second 18; export or convert one", ""},
		{"one does not use it", "opset 17\nopset ai.onnx.ml 2\n" + relu, "opset 17\nopset ai.onnx.ml 3\ninput x f32[2]\ny = ai.onnx.ml::Scaler(x)\noutput y f32[2]", "[{ 17} {ai.onnx.ml 3}] x", "versions 2 and 3; 3 is taken"},
		{"the other does not use it", "opset 17\nopset ai.onnx.ml 2\ninput x f32[2]\ny = ai.onnx.ml::Scaler(x)\noutput y f32[2]", "opset 17\nopset ai.onnx.ml 3\n" + relu, "[{ 17} {ai.onnx.ml 2}] x", "versions 2 and 3; 2 is taken"},
		{"neither uses it", "opset 17\nopset ai.onnx.ml 4\n" + relu, "opset 17\nopset ai.onnx.ml 3\n" + relu, "[{ 17} {ai.onnx.ml 4}] x", "versions 4 and 3; 4 is taken"},
		{"only one imports it", "opset 17\n" + relu, "opset 17\nopset ai.onnx.ml 3\n" + relu, "[{ 17} {ai.onnx.ml 3}] x", ""},
		{"old constants", "ir 3\nopset 9\ninput x f32[2]\ninput w f32[2]\ninit w f32[2] 1\ny = Add(x, w)\noutput y f32[2]", "ir 4\nopset 9\n" + relu, "[{ 9}] x", "the first model: constants that IR version 3 lists as inputs are not inputs in the result, whose IR version is 4; there are 1"},
		{"old constants of the second", "ir 8\nopset 9\n" + relu, "ir 3\nopset 9\ninput x f32[2]\ninput w f32[2]\ninit w f32[2] 1\ny = Add(x, w)\noutput y f32[2]", "[{ 9}] x", "the second model: constants that IR version 3"},
		{"both old", "ir 3\nopset 9\n" + relu, "ir 3\nopset 9\ninput x f32[2]\ninput w f32[2]\ninit w f32[2] 1\ny = Add(x, w)\noutput y f32[2]", "[{ 9}] x w", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first, second := graphtest.Model(t, tt.first), graphtest.Model(t, tt.second)
			if want, ok := strings.CutPrefix(tt.want, "error: "); ok {
				if _, _, err := edit.Merge(t.Context(), first, second, edit.MergeOptions{}); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v lacks %q", err, want)
				}
				return
			}
			next, report := merge(t, first, second, edit.MergeOptions{})
			if got := fmt.Sprint(next.Opsets(), " ", valueNames(next.Graph().Inputs())); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if all := strings.Join(report.Warnings, "\n"); !strings.Contains(all, tt.warning) || tt.warning == "" && all != "" {
				t.Errorf("warnings %q, want %q", all, tt.warning)
			}
		})
	}
}

func TestMergeRefuses(t *testing.T) {
	first, second := graphtest.Model(t, encoder), graphtest.Model(t, head)
	broken := graphtest.Model(t, "input x f32[2]\ny = Relu(nowhere)\noutput y f32[2]")
	sequence := graphtest.Proto(t, "input input\ny = Foo(input)\noutput y f32[2]")
	sequence.Graph.Input[0].Type = &onnxpb.TypeProto{Value: &onnxpb.TypeProto_SequenceType{SequenceType: &onnxpb.TypeProto_Sequence{
		ElemType: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(1)}}},
	}}}
	of := func(typ string) *graphops.Model {
		return graphtest.Model(t, "input input "+typ+"\ny = Neg(input)\noutput y "+typ)
	}
	connect := func(list ...string) (o edit.MergeOptions) {
		for i := 0; i < len(list); i += 2 {
			o.Connect = append(o.Connect, edit.Connection{From: list[i], To: list[i+1]})
		}
		return o
	}
	for _, tt := range []struct {
		name          string
		first, second *graphops.Model
		o             edit.MergeOptions
		want          string
	}{
		{"prefix is no text", first, second, edit.MergeOptions{Prefix: "p\xff"}, `prefix "p\xff" is not UTF-8`},
		{"nothing to pair", first, graphtest.Model(t, "input a f32[2]\ninput b f32[2]\ny = Add(a, b)\noutput y f32[2]"), edit.MergeOptions{}, `no output of the first model has the name of an input of the second; connect them by OUTPUT=INPUT; outputs are "output", "extra", inputs "a", "b"`},
		{"unknown output", first, second, connect("outputs", "input"), `the first model: output "outputs": the graph has none of that name; nearest names: "output"`},
		{"unknown input", first, second, connect("output", "inputs"), `the second model: input "inputs": the graph has none of that name; nearest names: "input"`},
		{"no input", first, second, connect("output", "s"), `the second model: input "s": the value of that name is not an input`},
		{"twice", first, second, connect("output", "input", "extra", "input"), `input "input" of the second model is connected twice, with "output" and "extra"`},
		{"undefined", broken, second, connect("nowhere", "input"), `value "nowhere" is not defined by any node`},
		{"element type", first, of("f16[n,4]"), connect("output", "input"), `value "output" of the first model is f32[n,4], input "input" of the second takes f16[n,4]: the element types differ; put a Cast between them first`},
		{"rank", first, of("f32[4]"), connect("output", "input"), `the ranks differ`},
		{"axis", first, of("f32[n,5]"), connect("output", "input"), `axis 1 differs`},
		{"axis that only the graph tells", graphtest.Model(t, "input x f32[n,4]\noutput = Relu(x)\noutput output f32"), of("f32[n,5]"), connect("output", "input"), `value "output" of the first model is f32[n,4], input "input" of the second takes f32[n,5]: axis 1 differs`},
		{"axis that is declared otherwise", graphtest.Model(t, "input x f32[n,4]\noutput = Relu(x)\noutput output f32[n,5]"), of("f32[n,5]"), connect("output", "input"), `axis 1 differs`},
		{"kind", first, graphtest.Decode(t, sequence), connect("output", "input"), `takes seq(f32): these are different kinds of value`},
		{"nothing to separate", first, second, edit.MergeOptions{Connect: connect("output", "input").Connect, Separate: []string{"image"}}, `input "image" is not an input of both models that nothing feeds`},
		{"separate what is fed", first, second, edit.MergeOptions{Connect: connect("output", "input", "image", "mask").Connect, Separate: []string{"mask"}}, `axis 1 differs`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := edit.Merge(t.Context(), tt.first, tt.second, tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
}

// TestMergePorts keeps the names by which an operator finds inputs and outputs of its
// body.
func TestMergePorts(t *testing.T) {
	first := graphtest.Model(t, "input input_ids i32[1,n]\nlogits = Abs(input_ids)\nhidden = Neg(logits)\noutput hidden i32[1,n]")
	for _, o := range []edit.MergeOptions{
		{Connect: []edit.Connection{{From: "hidden", To: "input_ids"}}},
		{Connect: []edit.Connection{{From: "hidden", To: "input_ids"}}, Prefix: "p/"},
	} {
		m, _, err := edit.Merge(t.Context(), first, graphtest.Model(t, searching), o)
		if err != nil {
			t.Fatal(err)
		}
		body := m.Places()[1].Graph
		got := []string{body.Inputs()[0].Name(), body.Inputs()[1].Name(), body.Outputs()[0].Name(), body.Nodes()[0].Inputs()[0]}
		if want := []string{"input_ids", "mask", "logits", "input_ids"}; !slices.Equal(got, want) {
			t.Errorf("prefix %q: the body has %q, expected %q", o.Prefix, got, want)
		}
	}
}
