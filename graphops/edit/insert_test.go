package edit_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// plain has a value with several readers, one of which is a node without a name,
// an output that is read, and names that an insertion would like.
const plain = `
	ir 9
	opset 19
	input x f32[b,2]
	init w f32[2] 1 2
	sparse s f32[2] 3 at 1
	value h f32[b,2]
	value k f32[b,2]
	value y_before_cast f32[b,2]
	output y f32[b,2]
	output z f32[b,2]
	stem: h = Add(x, w)
	left: k = Neg(h)
	right: y = Mul(h, h)
	h_identity: y_before_cast = Abs(y)
	last: z = Add(k, s)
`

func TestInsert(t *testing.T) {
	tests := []struct {
		name     string
		model    string
		hops     []string
		o        edit.InsertOptions
		nodes    string
		records  []string
		changes  []string
		warnings []string
	}{
		{
			name: "an Identity, for all readers",
			o:    edit.InsertOptions{On: []string{"h"}},
			nodes: `
stem: h = Add(x, w)
h_identity__1: h_identity = Identity(h)
left: k = Neg(h_identity)
right: y = Mul(h_identity, h_identity)
h_identity: y_before_cast = Abs(y)
last: z = Add(k, s)`,
			records: []string{"h f32 b×2", "k f32 b×2", "y_before_cast f32 b×2", "h_identity f32 b×2", "y f32 b×2", "z f32 b×2"},
			changes: []string{"node h_identity__1:  → Identity of h", "node input left: h → h_identity", "node input right: h → h_identity"},
		},
		{
			name: "a Cast for one reader, under a name",
			o:    edit.InsertOptions{On: []string{"h"}, To: tensor.F16, Before: []string{"left"}, Name: "down"},
			nodes: `
stem: h = Add(x, w)
down: h_to_f16 = Cast(h) to=10
left: k = Neg(h_to_f16)
right: y = Mul(h, h)
h_identity: y_before_cast = Abs(y)
last: z = Add(k, s)`,
			records:  []string{"h f32 b×2", "y_before_cast f32 b×2", "h_to_f16 f16 b×2", "y f32 b×2", "z f32 b×2"},
			changes:  []string{"node down:  → Cast of h to f16", "node input left: h → h_to_f16"},
			warnings: []string{"the types that follow from the change are unknown without a runtime: declared types of values after it are removed, except those of outputs"},
		},
		{
			name: "at an input, an initializer and a sparse one",
			o:    edit.InsertOptions{On: []string{"x", "w", "s"}},
			nodes: `
x_identity: x_identity = Identity(x)
w_identity: w_identity = Identity(w)
s_identity: s_identity = Identity(s)
stem: h = Add(x_identity, w_identity)
left: k = Neg(h)
right: y = Mul(h, h)
h_identity: y_before_cast = Abs(y)
last: z = Add(k, s_identity)`,
			records: []string{"h f32 b×2", "k f32 b×2", "y_before_cast f32 b×2", "x_identity f32 b×2", "w_identity f32 2", "s_identity f32 2", "y f32 b×2", "z f32 b×2"},
			changes: []string{
				"node x_identity:  → Identity of x", "node input stem: x → x_identity", "node w_identity:  → Identity of w", "node input stem: w → w_identity",
				"node s_identity:  → Identity of s", "node input last: s → s_identity",
			},
		},
		{
			name: "at an output and its readers",
			o:    edit.InsertOptions{On: []string{"y"}, To: tensor.F64},
			nodes: `
stem: h = Add(x, w)
left: k = Neg(h)
right: y_before_cast__1 = Mul(h, h)
y_cast: y = Cast(y_before_cast__1) to=11
h_identity: y_before_cast = Abs(y)
last: z = Add(k, s)`,
			records: []string{"h f32 b×2", "k f32 b×2", "y_before_cast__1 f32 b×2", "y f64 b×2", "z f32 b×2"},
			changes: []string{"node y_cast:  → Cast of y_before_cast__1 to f64", "value y: y → y_before_cast__1", "type y: f32 b×2 → f64 b×2"},
			warnings: []string{
				"the types that follow from the change are unknown without a runtime: declared types of values after it are removed, except those of outputs",
			},
		},
		{
			name: "at an output alone",
			o:    edit.InsertOptions{On: []string{"y"}, To: tensor.F16, AtOutput: true},
			nodes: `
stem: h = Add(x, w)
left: k = Neg(h)
right: y_before_cast__1 = Mul(h, h)
y_cast: y = Cast(y_before_cast__1) to=10
h_identity: y_before_cast = Abs(y_before_cast__1)
last: z = Add(k, s)`,
			records: []string{"h f32 b×2", "k f32 b×2", "y_before_cast f32 b×2", "y_before_cast__1 f32 b×2", "y f16 b×2", "z f32 b×2"},
			changes: []string{"node y_cast:  → Cast of y_before_cast__1 to f16", "value y: y → y_before_cast__1", "type y: f32 b×2 → f16 b×2"},
		},
		{
			name: "at a reader of an output alone",
			o:    edit.InsertOptions{On: []string{"y"}, Before: []string{"#3"}},
			nodes: `
stem: h = Add(x, w)
left: k = Neg(h)
right: y = Mul(h, h)
y_identity: y_identity = Identity(y)
h_identity: y_before_cast = Abs(y_identity)
last: z = Add(k, s)`,
			records: []string{"h f32 b×2", "k f32 b×2", "y_before_cast f32 b×2", "y_identity f32 b×2", "y f32 b×2", "z f32 b×2"},
			changes: []string{"node y_identity:  → Identity of y", "node input h_identity: y → y_identity"},
		},
		{
			name: "to the type that it has",
			o:    edit.InsertOptions{On: []string{"k"}, To: tensor.F32},
			nodes: `
stem: h = Add(x, w)
left: k = Neg(h)
k_cast: k_to_f32 = Cast(k) to=1
right: y = Mul(h, h)
h_identity: y_before_cast = Abs(y)
last: z = Add(k_to_f32, s)`,
			records:  []string{"h f32 b×2", "k f32 b×2", "y_before_cast f32 b×2", "k_to_f32 f32 b×2", "y f32 b×2", "z f32 b×2"},
			changes:  []string{"node k_cast:  → Cast of k to f32", "node input last: k → k_to_f32"},
			warnings: []string{`"k" (f32 b×2) is f32 already: the Cast changes nothing`},
		},
		{
			name: "captured in bodies, at two depths", model: branching,
			o: edit.InsertOptions{On: []string{"h"}},
			nodes: `
relu: h = Relu(x)
h_identity: h_identity = Identity(h)
outer: y = If(c) then_branch=kind(5) else_branch=kind(5)
  a = Add(x, own)
  inner: b = If(c) then_branch=kind(5) else_branch=kind(5)
    d = Add(h_identity, w)
    d = Add(h_identity, w)
  r = Add(a, b)
  s = Identity(h_identity)
tail: t = Neg(y)`,
			records: []string{"h f32 2", "h_identity f32 2", "y f32 2"},
			changes: []string{"node h_identity:  → Identity of h", "node input outer: h → h_identity"},
		},
		{
			name: "in a body, on a value from around it", model: branching, hops: []string{"outer:then_branch"},
			o: edit.InsertOptions{On: []string{"h"}, Before: []string{"inner"}},
			nodes: `
relu: h = Relu(x)
outer: y = If(c) then_branch=kind(5) else_branch=kind(5)
  h_identity: h_identity = Identity(h)
  a = Add(x, own)
  inner: b = If(c) then_branch=kind(5) else_branch=kind(5)
    d = Add(h_identity, w)
    d = Add(h_identity, w)
  r = Add(a, b)
  s = Identity(h)
tail: t = Neg(y)`,
			records: []string{"h f32 2", "y f32 2"},
			changes: []string{"node h_identity:  → Identity of h", "node input inner: h → h_identity"},
		},
		{
			name: "in a body, at its output", model: branching, hops: []string{"outer:then_branch"},
			o: edit.InsertOptions{On: []string{"r"}, To: tensor.F16},
			nodes: `
relu: h = Relu(x)
outer: y = If(c) then_branch=kind(5) else_branch=kind(5)
  a = Add(x, own)
  inner: b = If(c) then_branch=kind(5) else_branch=kind(5)
    d = Add(h, w)
    d = Add(h, w)
  r_before_cast = Add(a, b)
  r_cast: r = Cast(r_before_cast) to=10
  s = Identity(h)
tail: t = Neg(y)`,
			records:  []string{"h f32 2", "y f32 2"},
			changes:  []string{"node r_cast:  → Cast of r_before_cast to f16", "value r: r → r_before_cast", "type r: f32 2 → f16 2"},
			warnings: []string{"the types that follow from the change are unknown without a runtime: declared types of values after it are removed, except those of outputs"},
		},
		{
			name: "an input that is an output", model: "input x f32[2]\noutput x f32[2]\noutput y f32[2]\nneg: y = Neg(x)",
			o:     edit.InsertOptions{On: []string{"x"}},
			nodes: "x_identity: x_identity = Identity(x)\nneg: y = Neg(x_identity)", records: []string{"x_identity f32 2", "x f32 2", "y f32 2"},
			changes:  []string{"node x_identity:  → Identity of x", "node input neg: x → x_identity"},
			warnings: []string{`"x" is also an output of the graph, which stays equal to the input`},
		},
		{
			name: "an initializer that is an output", model: "input x f32[2]\ninit w f32[2] 1 2\noutput w f32[2]\noutput y f32[2]\nneg: y = Add(x, w)",
			o:     edit.InsertOptions{On: []string{"w"}},
			nodes: "w_identity: w = Identity(w_before_identity)\nneg: y = Add(x, w)", records: []string{"w_before_identity f32 2", "w f32 2", "y f32 2"},
			changes: []string{"node w_identity:  → Identity of w_before_identity", "value w: w → w_before_identity"},
		},
		{
			name: "a constant that overrules another", model: `
				output c f32[1]
				output y f32[1]
				first: c = Constant() value={f32[1] 1}
				second: c = Constant() value={f32[1] 2}
				y = Neg(c)
			`,
			o: edit.InsertOptions{On: []string{"c"}},
			nodes: `
first: c_before_identity = Constant() value=kind(4)
second: c_before_identity = Constant() value=kind(4)
c_identity: c = Identity(c_before_identity)
y = Neg(c)`,
			records: []string{"c_before_identity f32 1", "c f32 1", "y f32 1"},
			changes: []string{"node c_identity:  → Identity of c_before_identity", "value c: c → c_before_identity"},
		},
		{
			name: "what has no kernel", model: "opset 21\ninput x u4[2]\noutput y f32[2]\ny = Cast(x) to=1",
			o:     edit.InsertOptions{On: []string{"x"}},
			nodes: "x_identity: x_identity = Identity(x)\ny = Cast(x_identity) to=1", records: []string{"x_identity u4 2", "y f32 2"},
			changes:  []string{"node x_identity:  → Identity of x", "node input #0: x → x_identity"},
			warnings: []string{`ONNX Runtime has no kernel on the CPU for an Identity of "x" (u4 2)`},
		},
		{
			name: "a sequence", model: "input x f32[2]\noutput y f32[2]\nq = SequenceConstruct(x)\ny = ConcatFromSequence(q) axis=0",
			o:     edit.InsertOptions{On: []string{"q"}},
			nodes: "q = SequenceConstruct(x)\nq_identity: q_identity = Identity(q)\ny = ConcatFromSequence(q_identity) axis=0", records: []string{"y f32 2"},
			changes: []string{"node q_identity:  → Identity of q", "node input #1: q → q_identity"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.model == "" {
				tt.model = plain
			}
			m := graphtest.Model(t, tt.model)
			next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Insert(t.Context(), m, at(t, m, tt.hops...), tt.o)
			})
			expect(t, next, report, edited{tt.nodes, tt.records, tt.changes, tt.warnings})
		})
	}
}

// passed has functions and bodies that pass values of their callers on.
const passed = `
	opset 19
	opset local 1
	input c bool[]
	input x f32[2]
	value before f32[2]
	value inside f32[2]
	value after f32[2]
	value beside f32[2]
	output y f32[2]
	output other f32[2]
	function local Twice(a) -> (b)
	inner: m = Add(a, a)
	b = Relu(m)
	end
	graph branch
	value mine f32[2]
	value shape i64[1]
	mine = Neg(before)
	shape = Shape(x)
	r = local::Twice(mine)
	output r f32[2]
	end
	graph simple
	s = Identity(x)
	output s f32[2]
	end
	before = Relu(x)
	choose: inside = If(c) then_branch=@branch else_branch=@simple
	after = Neg(inside)
	call: y = local::Twice(after)
	beside = local::Twice(x)
	other = Neg(beside)
`

// TestInsertForgets checks which recorded types a Cast puts in doubt, in every
// place that its result reaches.
func TestInsertForgets(t *testing.T) {
	all := []string{"before f32 2", "inside f32 2", "after f32 2", "beside f32 2", "y f32 2", "other f32 2"}
	tests := []struct {
		name   string
		hops   []string
		o      edit.InsertOptions
		main   []string
		branch []string
		asked  []string
	}{
		{
			"in the graph", nil,
			edit.InsertOptions{On: []string{"before"}, To: tensor.F16},
			[]string{"before f32 2", "beside f32 2", "before_to_f16 f16 2", "y f32 2", "other f32 2"},
			[]string{"shape i64 1", "r ?"},
			[]string{"after", "inside", "other", "y"},
		},
		{
			"in a body, at its output",
			[]string{"choose:else_branch"},
			edit.InsertOptions{On: []string{"s"}, To: tensor.F16},
			[]string{"before f32 2", "beside f32 2", "y f32 2", "other f32 2"},
			[]string{"mine f32 2", "shape i64 1", "r f32 2"},
			[]string{"after", "inside", "other", "y"},
		},
		{
			"in a body, inside",
			[]string{"choose:then_branch"},
			edit.InsertOptions{On: []string{"x"}, To: tensor.F16},
			all,
			[]string{"mine f32 2", "x_to_f16 f16 2", "r f32 2"},
			[]string{"other", "y"},
		},
		{
			"in a function",
			[]string{"local:Twice"},
			edit.InsertOptions{On: []string{"m"}, To: tensor.F16},
			[]string{"before f32 2", "y f32 2", "other f32 2"},
			[]string{"mine f32 2", "shape i64 1", "r ?"},
			[]string{"after", "beside", "inside", "other", "y"},
		},
		{
			"an Identity", nil,
			edit.InsertOptions{On: []string{"before"}},
			slices.Insert(slices.Clone(all), 4, "before_identity f32 2"),
			[]string{"mine f32 2", "shape i64 1", "r f32 2"},
			nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, passed)
			f := &typer{err: errors.New("does not load")}
			next, _ := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				tt.o.Typer = f
				return edit.Insert(t.Context(), m, at(t, m, tt.hops...), tt.o)
			})
			if diff := cmp.Diff(tt.main, records(next.Graph())); diff != "" {
				t.Errorf("types of the graph (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.branch, records(at(t, next, "choose:then_branch").Graph)); diff != "" {
				t.Errorf("types of the branch (-want +got):\n%s", diff)
			}
			if len(f.asked) == 0 {
				f.asked = [][]string{nil}
			}
			if got := f.asked[0]; !slices.Equal(got, tt.asked) {
				t.Errorf("asked %q, want %q", got, tt.asked)
			}
		})
	}
}

// TestInsertAsks records what the runtime tells of what follows from a Cast, and
// keeps the shapes that a Cast leaves as they are.
func TestInsertAsks(t *testing.T) {
	m := graphtest.Model(t, plain)
	half := floats(3, 3)
	half.Elem = tensor.F16
	f := &typer{types: map[string]graphops.Type{"k": half, "z": half}}
	next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Insert(t.Context(), m, at(t, m), edit.InsertOptions{On: []string{"h"}, To: tensor.F16, Before: []string{"left"}, Typing: edit.Typing{Typer: f}})
	})
	if diff := cmp.Diff([]string{"h f32 b×2", "k f16 b×2", "y_before_cast f32 b×2", "h_to_f16 f16 b×2", "y f32 b×2", "z f16 b×2"}, records(next.Graph())); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
	if want := "type z: f32 b×2 → f16 b×2"; !slices.Contains(changes(report), want) {
		t.Errorf("changes %q lack %q", changes(report), want)
	}
	if len(report.Warnings) > 0 {
		t.Errorf("warnings %q", report.Warnings)
	}
}

// TestRefused gives results that the runtime refuses to somebody who says so, and
// asks nobody then.
func TestRefused(t *testing.T) {
	m := graphtest.Model(t, plain)
	f := &typer{takes: func(m *graphops.Model) bool { return len(m.Graph().Nodes()) == 5 }}
	_, _, err := edit.Insert(t.Context(), m, at(t, m), edit.InsertOptions{On: []string{"h"}, To: tensor.F16, Typing: edit.Typing{Typer: f}})
	if err == nil || !strings.Contains(err.Error(), "the runtime accepts the model but refuses the result of the change: no; to do it anyway, use --no-check") {
		t.Errorf("error %v", err)
	}
	m = graphtest.Model(t, quantized)
	o := edit.BypassOptions{Nodes: []string{"up"}, ForceType: true, Typing: edit.Typing{Typer: &typer{takes: func(m *graphops.Model) bool { return len(m.Graph().Nodes()) == 8 }}}}
	_, _, err = edit.Bypass(t.Context(), m, at(t, m), o)
	if err == nil || !strings.Contains(err.Error(), "refuses the result of the change") {
		t.Errorf("error %v", err)
	}
	o.Typing = edit.Typing{Keep: true}
	next, _ := apply(t, m, func() (*graphops.Model, *edit.Report, error) { return edit.Bypass(t.Context(), m, at(t, m), o) })
	if got := records(next.Graph()); !slices.Equal(got, []string{"q i8 1×2", "dq f32 1×2", "half f16 1×2", "sum f16 1×2", "p f32 1×2", "y f32 1×2"}) {
		t.Errorf("types %q", got)
	}
}

// TestInsertLearns asks for the type of what a Cast takes, and not for what an
// Identity does.
func TestInsertLearns(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\noutput y f32[2]\nh = Neg(x)\ny = Neg(h)")
	for _, to := range []tensor.DType{tensor.F16, tensor.Undefined} {
		f := &typer{types: map[string]graphops.Type{"h": floats(2), "y": floats(2)}}
		next, _ := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
			return edit.Insert(t.Context(), m, at(t, m), edit.InsertOptions{On: []string{"h"}, To: to, Typing: edit.Typing{Typer: f}})
		})
		want, asked := []string{"h_to_f16 f16 2", "y f32 2"}, 2
		if to == tensor.Undefined {
			want, asked = []string{"y f32 2"}, 0
		}
		if got := records(next.Graph()); !slices.Equal(got, want) || len(f.asked) != asked {
			t.Errorf("to %s: records %q, want %q; asked %q", to, got, want, f.asked)
		}
	}
}

func TestInsertRefuses(t *testing.T) {
	const old = "opset 12\ninput x f32[2]\ninput b bf16[2]\ninput q c64[2]\noutput y f32[2]\noutput x f32[2]\ny = Neg(x)\nn = Foo(b, q)"
	const early = "opset 12\ninput x f32[2]\noutput y f32[2]\ns = SequenceConstruct(x)\ny = ConcatFromSequence(s) axis=0"
	tests := []struct {
		name  string
		model string
		hops  []string
		o     edit.InsertOptions
		want  string
	}{
		{"unknown value", plain, nil, edit.InsertOptions{On: []string{"hh"}}, `value "hh": the graph has none of that name; nearest names: "h"`},
		{"twice", plain, nil, edit.InsertOptions{On: []string{"h", "h"}}, `value "h": is named twice`},
		{"unknown node", plain, nil, edit.InsertOptions{On: []string{"h"}, Before: []string{"lef"}}, `nearest names: "left"`},
		{"no reader of it", plain, nil, edit.InsertOptions{On: []string{"h"}, Before: []string{"left", "last"}}, `node "last" (Add): does not read "h", which is read by node "left" (Neg), node "right" (Mul)`},
		{"no reader of any", plain, nil, edit.InsertOptions{On: []string{"h", "x"}, Before: []string{"last"}}, `node "last" (Add): reads none of "h", "x"`},
		{"nothing reads it", plain, nil, edit.InsertOptions{On: []string{"y_before_cast"}}, `value "y_before_cast": nothing reads it`},
		{"no output", plain, nil, edit.InsertOptions{On: []string{"h"}, AtOutput: true}, `value "h": is not an output of the graph; it is read by node "left" (Neg), node "right" (Mul)`},
		{"name taken", plain, nil, edit.InsertOptions{On: []string{"h"}, Name: "left"}, `node name "left": another node has that name`},
		{"name is no text", plain, nil, edit.InsertOptions{On: []string{"h"}, Name: "n\xff"}, `node name "n\xff" is not UTF-8`},
		{"one name for two", plain, nil, edit.InsertOptions{On: []string{"h", "k"}, Name: "n"}, `node name "n": cannot be that of 2 nodes`},
		{"an input that is an output", old, nil, edit.InsertOptions{On: []string{"x"}, AtOutput: true}, `value "x": is both an input and an output of the graph`},
		{"opset", old, nil, edit.InsertOptions{On: []string{"x"}, Before: []string{"#0"}, To: tensor.BF16}, `a Cast of "x" (f32 2) to bf16: needs opset 13 of the default domain, the graph has 12`},
		{"opset of what it takes", old, nil, edit.InsertOptions{On: []string{"b"}, To: tensor.F32}, `a Cast of "b" (bf16 2) to f32: needs opset 13`},
		{"opset of an Identity", old, nil, edit.InsertOptions{On: []string{"b"}}, `an Identity of "b" (bf16 2): needs opset 13`},
		{"opset of an Identity of what no file tells", early, nil, edit.InsertOptions{On: []string{"s"}}, `an Identity of "s" (seq(f32[2])): needs opset 14 of the default domain, the graph has 12`},
		{"complex", old, nil, edit.InsertOptions{On: []string{"q"}, To: tensor.F32}, `value "q" (c64 2): no Cast accepts c64`},
		{"to complex", old, nil, edit.InsertOptions{On: []string{"b"}, To: tensor.C64}, `type c64: no Cast produces it`},
		{"no opset", "opset local 1\ninput x f32[2]\noutput y f32[2]\ny = local::Foo(x)", nil, edit.InsertOptions{On: []string{"x"}}, `the graph imports no opset of the default domain`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.model)
			_, _, err := edit.Insert(t.Context(), m, at(t, m, tt.hops...), tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
}
