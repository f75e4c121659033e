package edit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// typer answers as a runtime would, and notes what it was asked.
type typer struct {
	types map[string]graphops.Type
	err   error
	// takes tells which models are taken; nil takes all.
	takes func(*graphops.Model) bool
	asked [][]string
	// declared are the types of outputs in the models that it was asked about.
	declared []string
}

func (f *typer) Types(_ context.Context, m *graphops.Model, names []string) (map[string]graphops.Type, error) {
	f.asked = append(f.asked, names)
	for _, v := range m.Graph().Outputs() {
		f.declared = append(f.declared, v.Name()+" "+typeOf(v))
	}
	for _, name := range names {
		if _, err := m.Graph().Index().Lookup("value", name); err != nil {
			return nil, err
		}
	}
	if f.takes != nil && !f.takes(m) {
		return nil, errors.New("no")
	}
	return f.types, f.err
}

func floats(dims ...int64) graphops.Type {
	return graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32, Shape: graphops.FixedShape(dims)}
}

func typeOf(v *graphops.ValueInfo) string {
	t := v.Type()
	if t.Kind == graphops.TypeTensor {
		return t.String() + " " + t.Shape.String()
	}
	return t.String()
}

// records writes what a graph records of types: of its values, then of its
// outputs.
func records(g *graphops.Graph) []string {
	var out []string
	for _, list := range [][]*graphops.ValueInfo{g.ValueInfo(), g.Outputs()} {
		for _, v := range list {
			out = append(out, v.Name()+" "+typeOf(v))
		}
	}
	return out
}

// quantized is a float model with a pair around a value, a weight that is
// dequantized, and casts.
const quantized = `
	opset 19
	input x f32[1,2]
	init w i8[2,2] 1 2 3 4
	init scale f32[] 0.5
	init zero i8[] 0
	value q i8[1,2]
	value dq f32[1,2]
	value half f16[1,2]
	value sum f16[1,2]
	value back f32[1,2]
	output y f32[1,2]
	quantize: q = QuantizeLinear(x, scale, zero)
	dequantize: dq = DequantizeLinear(q, scale, zero)
	weight: wf = DequantizeLinear(w, scale, zero)
	mul: p = MatMul(dq, wf)
	down: half = Cast(p) to=10
	add: sum = Add(half, half)
	up: back = Cast(sum) to=1
	last: y = Relu(back)
	value p f32[1,2]
`

func TestBypass(t *testing.T) {
	tests := []struct {
		name     string
		model    string
		hops     []string
		o        edit.BypassOptions
		nodes    string // of the main graph, bodies included
		records  []string
		changes  []string
		warnings []string
	}{
		{
			name:  "in the middle",
			model: "input x f32[2]\nvalue h f32[2]\nvalue r f32[2]\noutput y f32[2]\nh = Neg(x)\nrelu: r = Relu(h)\nadd: y = Add(r, r)",
			o:     edit.BypassOptions{Nodes: []string{"relu"}},
			nodes: "h = Neg(x)\nadd: y = Add(h, h)", records: []string{"h f32 2", "y f32 2"},
			changes: []string{"node relu: Relu →", "node input add: r → h"},
		},
		{
			name:  "before an output that a node's value can become",
			model: "input x f32[2]\nvalue h f32[2]\noutput y f32[2]\nmake: h = Neg(x)\nrelu: y = Relu(h)\nother: z = Abs(h)",
			o:     edit.BypassOptions{Nodes: []string{"relu"}},
			nodes: "make: y = Neg(x)\nother: z = Abs(y)", records: []string{"y f32 2"},
			changes: []string{"node relu: Relu →", "value h: h → y"},
		},
		{
			name:  "between an input and an output",
			model: "input x f32[2]\noutput y f32[2]\nrelu: y = Relu(x)\nneg: z = Neg(y)",
			o:     edit.BypassOptions{Nodes: []string{"relu"}},
			nodes: "y_identity: y = Identity(x)\nneg: z = Neg(x)", records: []string{"y f32 2"},
			changes: []string{"node relu: Relu →", "node y_identity:  → Identity", "node input neg: y → x"},
		},
		{
			name:  "between an output and an output",
			model: "input x f32[2]\noutput h f32[2]\noutput y f32[2]\nh = Neg(x)\nrelu: y = Relu(h)",
			o:     edit.BypassOptions{Nodes: []string{"relu"}},
			nodes: "h = Neg(x)\ny_identity: y = Identity(h)", records: []string{"h f32 2", "y f32 2"},
			changes: []string{"node relu: Relu →", "node y_identity:  → Identity"},
		},
		{
			name:  "two outputs from one value",
			model: "input x f32[2]\nvalue h f32[2]\noutput y f32[2]\noutput z f32[2]\nh = Neg(x)\na: y = Relu(h)\nb: z = Abs(h)\nc: k = Neg(z)",
			o:     edit.BypassOptions{Nodes: []string{"b", "a"}},
			nodes: "y = Neg(x)\nz_identity: z = Identity(y)\nc: k = Neg(y)", records: []string{"y f32 2", "z f32 2"},
			changes: []string{"node a: Relu →", "node b: Abs →", "value h: h → y", "node z_identity:  → Identity", "node input c: z → y"},
		},
		{
			name: "a quantizing pair, in any order", model: quantized,
			o: edit.BypassOptions{Nodes: []string{"dequantize", "quantize"}},
			nodes: `
weight: wf = DequantizeLinear(w, scale, zero)
mul: p = MatMul(x, wf)
down: half = Cast(p) to=10
add: sum = Add(half, half)
up: back = Cast(sum) to=1
last: y = Relu(back)`,
			records: []string{"half f16 1×2", "sum f16 1×2", "back f32 1×2", "p f32 1×2", "y f32 1×2"},
			changes: []string{"node quantize: QuantizeLinear →", "node dequantize: DequantizeLinear →", "node input mul: dq → x"},
		},
		{
			name: "a product with a weight that is computed from constants", model: quantized,
			o: edit.BypassOptions{Nodes: []string{"mul"}, Unused: true},
			nodes: `
quantize: q = QuantizeLinear(x, scale, zero)
dequantize: dq = DequantizeLinear(q, scale, zero)
down: half = Cast(dq) to=10
add: sum = Add(half, half)
up: back = Cast(sum) to=1
last: y = Relu(back)`,
			records: []string{"q i8 1×2", "dq f32 1×2", "half f16 1×2", "sum f16 1×2", "back f32 1×2", "y f32 1×2"},
			changes: []string{"node weight: DequantizeLinear →", "node mul: MatMul →", "node input down: p → dq", "initializer w: i8 2×2 →"},
		},
		{
			name: "what fed only it, counted", model: quantized,
			o: edit.BypassOptions{Nodes: []string{"mul"}},
			nodes: `
quantize: q = QuantizeLinear(x, scale, zero)
dequantize: dq = DequantizeLinear(q, scale, zero)
weight: wf = DequantizeLinear(w, scale, zero)
down: half = Cast(dq) to=10
add: sum = Add(half, half)
up: back = Cast(sum) to=1
last: y = Relu(back)`,
			records:  []string{"q i8 1×2", "dq f32 1×2", "half f16 1×2", "sum f16 1×2", "back f32 1×2", "y f32 1×2"},
			changes:  []string{"node mul: MatMul →", "node input down: p → dq"},
			warnings: []string{"1 node and 1 initializer feed nothing any more; --unused removes them too"},
		},
		{
			name:  "one of two data inputs, an optional one left out",
			model: "input x f32[2]\ninput z f32[2]\noutput y f32[2]\nclip: h = Max(x, , z)\ny = Neg(h)",
			o:     edit.BypassOptions{Nodes: []string{"clip"}, Through: []string{"z"}},
			nodes: "y = Neg(z)", records: []string{"y f32 ?"},
			changes: []string{"node clip: Max →", "node input #1: h → z", "type y: f32 2 → f32"},
			warnings: []string{
				`it is unknown whether the readers of "h" accept "z" (f32 2): the model does not declare the types`, `nothing reads 1 input any more: "x"`,
				"the types that follow from the change are unknown without a runtime: declared shapes of values after it are removed",
			},
		},
		{
			name:  "the output that is needed",
			model: "input x f32[2]\nvalue a f32[2]\noutput y f32[2]\ndrop: a, mask = Dropout(x)\ny = Neg(a)",
			o:     edit.BypassOptions{Nodes: []string{"drop"}},
			nodes: "y = Neg(x)", records: []string{"y f32 2"},
			changes: []string{"node drop: Dropout →", "node input #1: a → x"},
		},
		{
			name:  "a chain in which an output is named",
			model: "input x f32[2]\nvalue a f32[2]\nvalue b f32[2]\noutput y f32[2]\ntwo: a, b = Split(x) num_outputs=2\nsum: s = Add(a, b)\ny = Neg(s)\nvalue s f32[2]",
			o:     edit.BypassOptions{Nodes: []string{"sum", "two"}, Through: []string{"b", "x"}, Outputs: []string{"b"}},
			nodes: "y = Neg(x)", records: []string{"y f32 2"},
			changes: []string{"node two: Split →", "node sum: Add →", "node input #2: s → x"},
		},
		{
			name: "what bodies read", model: branching,
			o: edit.BypassOptions{Nodes: []string{"relu"}},
			nodes: `
outer: y = If(c) then_branch=kind(5) else_branch=kind(5)
  a = Add(x, own)
  inner: b = If(c) then_branch=kind(5) else_branch=kind(5)
    d = Add(x, w)
    d = Add(x, w)
  r = Add(a, b)
  s = Identity(x)
tail: t = Neg(y)`,
			records: []string{"y f32 2"},
			changes: []string{"node relu: Relu →", "node input outer: h → x"},
		},
		{
			name: "in a body, to its output", model: branching, hops: []string{"outer:then_branch"},
			o: edit.BypassOptions{Nodes: []string{"#2"}, Through: []string{"b"}},
			nodes: `
relu: h = Relu(x)
outer: y = If(c) then_branch=kind(5) else_branch=kind(5)
  a = Add(x, own)
  inner: r = If(c) then_branch=kind(5) else_branch=kind(5)
    d = Add(h, w)
    d = Add(h, w)
  s = Identity(h)
tail: t = Neg(y)`,
			records: []string{"h f32 2", "y f32 ?"},
			changes: []string{"node #2: Add →", "value b: b → r", "type y: f32 2 → f32"},
			warnings: []string{
				`it is unknown whether the readers of "r" (f32 2) accept "b": the model does not declare the types`,
				"1 recorded type inside bodies and functions may be wrong after the change and are removed",
				"1 node and 1 initializer feed nothing any more; --unused removes them too",
				"the types that follow from the change are unknown without a runtime: declared shapes of values after it are removed",
			},
		},
		{
			name: "in a body, to its output from around it", model: branching, hops: []string{"outer:else_branch"},
			o: edit.BypassOptions{Nodes: []string{"#0"}},
			nodes: `
relu: h = Relu(x)
outer: y = If(c) then_branch=kind(5) else_branch=kind(5)
  a = Add(x, own)
  inner: b = If(c) then_branch=kind(5) else_branch=kind(5)
    d = Add(h, w)
    d = Add(h, w)
  r = Add(a, b)
  s_identity: s = Identity(h)
tail: t = Neg(y)`,
			records: []string{"h f32 2", "y f32 2"},
			changes: []string{"node #0: Identity →", "node s_identity:  → Identity"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.model)
			next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Bypass(t.Context(), m, at(t, m, tt.hops...), tt.o)
			})
			expect(t, next, report, edited{tt.nodes, tt.records, tt.changes, tt.warnings})
		})
	}
}

// TestBypassInFunctions bypasses in a function, whose outputs keep their names
// and whose calls stay.
func TestBypassInFunctions(t *testing.T) {
	m := graphtest.Model(t, `
		opset local 1
		input x f32[2]
		output y f32[2]
		function local Twice(a) -> (b, c)
		first: h = Neg(a)
		second: b = Relu(h)
		third: c = Relu(a)
		end
		y, z = local::Twice(x)
	`)
	next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Bypass(t.Context(), m, at(t, m, "local:Twice"), edit.BypassOptions{Nodes: []string{"second", "third"}})
	})
	f := next.Functions()[0].Graph()
	if got, want := graphtest.Nodes(f), []string{"c_identity: c = Identity(a)", "first: b = Neg(a)"}; !slices.Equal(got, want) {
		t.Errorf("function %q, want %q", got, want)
	}
	if got := outputs(f); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("outputs %q", got)
	}
	if len(report.Warnings) == 0 || !strings.Contains(report.Warnings[0], "the model does not declare the types") {
		t.Errorf("warnings %q", report.Warnings)
	}
}

// TestBypassAsks checks what becomes of recorded types where the shape changes,
// with and without a runtime that tells.
func TestBypassAsks(t *testing.T) {
	const model = `
		input x f32[batch,4]
		value h f32[2,batch]
		value r f32[2,batch]
		value side f32[batch,4]
		output y f32[2,batch]
		output z f32[batch,4]
		side = Neg(x)
		z = Neg(side)
		turn: h = Transpose(x)
		r = Relu(h)
		y = Neg(r)
	`
	told := map[string]graphops.Type{"r": floats(7, 4), "y": floats(7, 4)}
	open := floats(2, 2)
	open.Shape[1] = graphops.Dim{Value: -1}
	tests := []struct {
		name     string
		h        string
		typer    *typer
		records  []string
		warnings []string
	}{
		{"told", "[8]", &typer{types: told}, []string{"r f32 7×4", "side f32 batch×4", "y f32 7×4", "z f32 batch×4"}, nil},
		{"told otherwise where nothing is sure", "[?,4]", &typer{types: told}, []string{"r f32 7×4", "side f32 batch×4", "y f32 7×4", "z f32 batch×4"}, nil},
		{"told less where nothing is sure", "[?,4]", &typer{types: map[string]graphops.Type{"r": open, "y": open}}, []string{"r f32 2×batch", "side f32 batch×4", "y f32 2×batch", "z f32 batch×4"}, nil},
		{"told less where it is sure", "[8]", &typer{types: map[string]graphops.Type{"r": open, "y": open}}, []string{"r f32 2×4", "side f32 batch×4", "y f32 2×4", "z f32 batch×4"}, nil},
		{
			"not told", "[?,4]", &typer{err: errors.New("no runtime")},
			[]string{"r f32 ?", "side f32 batch×4", "y f32 ?", "z f32 batch×4"},
			[]string{
				"ONNX Runtime did not check this; it does not check the unchanged model either: no runtime",
				"the types that follow from the change are unknown without a runtime: declared shapes of values after it are removed",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, strings.Replace(model, "value h f32[2,batch]", "value h f32"+tt.h, 1))
			next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Bypass(t.Context(), m, at(t, m), edit.BypassOptions{Nodes: []string{"turn"}, Typing: edit.Typing{Typer: tt.typer}})
			})
			if diff := cmp.Diff(tt.records, records(next.Graph())); diff != "" {
				t.Errorf("types (-want +got):\n%s", diff)
			}
			if got := slices.DeleteFunc(report.Warnings, func(w string) bool { return strings.Contains(w, "another shape") }); !slices.Equal(got, tt.warnings) {
				t.Errorf("warnings %q, want %q", got, tt.warnings)
			}
			if got := tt.typer.asked[0]; !slices.Equal(got, []string{"r", "y", "z"}) {
				t.Errorf("asked %q", got)
			}
		})
	}
	t.Run("interrupted", func(t *testing.T) {
		m := graphtest.Model(t, model)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _, err := edit.Bypass(ctx, m, at(t, m), edit.BypassOptions{Nodes: []string{"turn"}, Typing: edit.Typing{Typer: &typer{err: ctx.Err()}}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

// TestBypassSizes bypasses what shapes are computed from: values change and with
// them sizes, but as many axes stay.
func TestBypassSizes(t *testing.T) {
	const model = `
		input x f32[batch,4]
		init two i64[1] 2
		value s i64[2]
		value twice i64[2]
		value r f32[n,8]
		output y f32[n,8]
		s = Shape(x)
		double: twice = Mul(s, two)
		r = Expand(x, twice)
		y = Neg(r)
	`
	t.Run("a Cast that changes nothing", func(t *testing.T) {
		m := graphtest.Model(t, strings.Replace(model, "Mul(s, two)", "Cast(s) to=7", 1))
		next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
			return edit.Bypass(t.Context(), m, at(t, m), edit.BypassOptions{Nodes: []string{"double"}})
		})
		if got := records(next.Graph()); !slices.Equal(got, []string{"s i64 2", "r f32 n×8", "y f32 n×8"}) || len(report.Warnings) > 0 {
			t.Errorf("types %q, warnings %q", got, report.Warnings)
		}
	})
	m := graphtest.Model(t, model)
	wide := floats(8)
	wide.Shape = append(graphops.Shape{graphops.SymbolDim("batch")}, wide.Shape...)
	for _, tt := range []struct {
		name  string
		typer graphops.Typer
		want  []string
	}{
		{"nobody asked", nil, []string{"s i64 2", "r f32 ?×?", "y f32 ?×?"}},
		{"not told", &typer{types: map[string]graphops.Type{"r": {Kind: graphops.TypeTensor, Elem: tensor.F32}}}, []string{"s i64 2", "r f32 ?×?", "y f32 ?×?"}},
		{"told", &typer{types: map[string]graphops.Type{"r": wide, "y": wide}}, []string{"s i64 2", "r f32 batch×8", "y f32 batch×8"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Bypass(t.Context(), m, at(t, m), edit.BypassOptions{Nodes: []string{"double"}, Unused: true, Typing: edit.Typing{Typer: tt.typer}})
			})
			if diff := cmp.Diff(tt.want, records(next.Graph())); diff != "" {
				t.Errorf("types (-want +got):\n%s", diff)
			}
			if want := "the types that follow from the change are unknown without a runtime: declared sizes of values after it are removed"; slices.Contains(report.Warnings, want) != (tt.typer == nil) {
				t.Errorf("warnings %q", report.Warnings)
			}
		})
	}
}

// TestBypassLearns takes types that the model does not record from the runtime.
func TestBypassLearns(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\noutput y f32[2]\nh = Neg(x)\nmiddle: k = Cast(h) to=1\ny = Neg(k)")
	half := floats(2)
	half.Elem = tensor.F16
	f := &typer{types: map[string]graphops.Type{"h": half, "k": floats(2)}}
	_, _, err := edit.Bypass(t.Context(), m, at(t, m), edit.BypassOptions{Nodes: []string{"middle"}, Typing: edit.Typing{Typer: f}})
	if err == nil || !strings.Contains(err.Error(), `the readers of "k" (f32 2) would get "h" (f16 2), which has another element type`) {
		t.Errorf("error %v", err)
	}
	f.types["h"] = floats(2)
	_, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Bypass(t.Context(), m, at(t, m), edit.BypassOptions{Nodes: []string{"middle"}, Typing: edit.Typing{Typer: f}})
	})
	if len(report.Warnings) > 0 || len(f.asked) != 2 {
		t.Errorf("warnings %q, asked %q", report.Warnings, f.asked)
	}
}

// TestBypassForced changes an element type: what is recorded behind it may be
// wrong, but what an output declares stays until the runtime tells otherwise.
func TestBypassForced(t *testing.T) {
	m := graphtest.Model(t, quantized)
	run := func(f *typer) (*graphops.Model, *edit.Report) {
		return apply(t, m, func() (*graphops.Model, *edit.Report, error) {
			return edit.Bypass(t.Context(), m, at(t, m), edit.BypassOptions{Nodes: []string{"up"}, ForceType: true, Typing: edit.Typing{Typer: f}})
		})
	}
	half := floats(1, 2)
	half.Elem = tensor.F16
	f := &typer{types: map[string]graphops.Type{"y": half}}
	next, report := run(f)
	want := []string{"q i8 1×2", "dq f32 1×2", "half f16 1×2", "sum f16 1×2", "p f32 1×2", "y f16 1×2"}
	if diff := cmp.Diff(want, records(next.Graph())); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
	if want := "type y: f32 1×2 → f16 1×2"; !slices.Contains(changes(report), want) {
		t.Errorf("changes %q lack %q", changes(report), want)
	}
	if !slices.Equal(f.declared, []string{"y ?"}) {
		t.Errorf("the runtime was asked about outputs declared as %q", f.declared)
	}
	next, report = run(&typer{err: errors.New("does not load")})
	want[len(want)-1] = "y f32 1×2"
	if diff := cmp.Diff(want, records(next.Graph())); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
	if len(report.Warnings) != 3 || !strings.HasSuffix(report.Warnings[2], "except those of outputs") {
		t.Errorf("warnings %q", report.Warnings)
	}
}

// TestBypassUndoesInsert inserts an Identity and bypasses it again.
func TestBypassUndoesInsert(t *testing.T) {
	for _, value := range []string{"h", "x", "w", "y"} {
		m := graphtest.Model(t, branching)
		with, _ := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
			return edit.Insert(t.Context(), m, at(t, m), edit.InsertOptions{On: []string{value}, Name: "probe"})
		})
		if lines(with) == lines(m) {
			t.Errorf("%s: nothing is inserted", value)
		}
		back, _ := apply(t, with, func() (*graphops.Model, *edit.Report, error) {
			return edit.Bypass(t.Context(), with, at(t, with), edit.BypassOptions{Nodes: []string{"probe"}})
		})
		if diff := cmp.Diff(graphtest.Message(t, m), graphtest.Message(t, back), protocmp.Transform()); diff != "" {
			t.Errorf("%s: there and back (-want +got):\n%s", value, diff)
		}
	}
}

func TestBypassRefuses(t *testing.T) {
	const two = "input x f32[2]\ninput z i64[2]\noutput y f32[2]\nvalue h f32[2]\nadd: h = Foo(x, z)\na, b = Split(h) num_outputs=2\ny = Add(a, b)\nnone: k = Neg(x)\nmade: r = RandomNormal()\ns = Neg(r)"
	const hides = `
		opset 17
		input c bool[]
		input x f32[2]
		output y f32[2]
		graph branch
		init x f32[2] 3 4
		b = Neg(h)
		output b f32[2]
		end
		relu: h = Relu(x)
		y = If(c) then_branch=@branch else_branch=@branch
	`
	tests := []struct {
		name  string
		model string
		hops  []string
		o     edit.BypassOptions
		want  string
	}{
		{"two inputs", two, nil, edit.BypassOptions{Nodes: []string{"add"}}, `node "add" (Foo): "x" (f32 2), "z" (i64 2) could each replace "h"; name one of them with --through`},
		{"another type", two, nil, edit.BypassOptions{Nodes: []string{"add"}, Through: []string{"z"}}, `node "add" (Foo): the readers of "h" (f32 2) would get "z" (i64 2), which has another element type; to do it anyway, use --force-type`},
		{"no input of it", two, nil, edit.BypassOptions{Nodes: []string{"add"}, Through: []string{"x", "a"}}, `input "a": none of the nodes to bypass reads it`},
		{"no output of it", two, nil, edit.BypassOptions{Nodes: []string{"add"}, Through: []string{"x"}, Outputs: []string{"y"}}, `output "y": none of the nodes to bypass makes it`},
		{"two outputs", two, nil, edit.BypassOptions{Nodes: []string{"#1"}}, `node #1 (Split): "a", "b" are all in use, but an input can replace only one of them; name it with --output`},
		{"the other output", two, nil, edit.BypassOptions{Nodes: []string{"#1"}, Outputs: []string{"a"}}, `its output "b" is read by node #2 (Add), and no input replaces it if "a" is bypassed`},
		{"the other output in a chain", two, nil, edit.BypassOptions{Nodes: []string{"#1", "#2"}, Through: []string{"b", "h"}, Outputs: []string{"a", "y"}}, `node #1 (Split): its output "b" would replace "y", but no input replaces that output; choose it with --output`},
		{"nothing reads it", two, nil, edit.BypassOptions{Nodes: []string{"none"}}, `node "none" (Neg): nothing reads its outputs; delete it instead`},
		{"no input", two, nil, edit.BypassOptions{Nodes: []string{"made"}}, `node "made" (RandomNormal): has no input that could replace "r"`},
		{"unknown", two, nil, edit.BypassOptions{Nodes: []string{"ad"}}, `nearest names: "add"`},
		{"hidden in a body", hides, nil, edit.BypassOptions{Nodes: []string{"relu"}}, `its body defines a value named "x", which would hide the value to be read`},
		{"a cycle", "input x f32[2]\noutput y f32[2]\na: h = Neg(k)\nb: k = Neg(h)\ny = Neg(k)", nil, edit.BypassOptions{Nodes: []string{"a", "b"}}, "the graph has a cycle"},
		{
			"an Identity that does not take the type",
			"opset 12\ninput x bf16[2]\noutput y bf16[2]\nrelu: y = Foo(x)", nil,
			edit.BypassOptions{Nodes: []string{"relu"}},
			`an Identity of bf16 for output "y": needs opset 13 of the default domain, the graph has 12`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.model)
			_, _, err := edit.Bypass(t.Context(), m, at(t, m, tt.hops...), tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
}

// TestBypassLongChain bypasses every node of a chain at once.
func TestBypassLongChain(t *testing.T) {
	const length = 20_000
	var b strings.Builder
	b.WriteString("input v0 f32[2]\n")
	fmt.Fprintf(&b, "output v%d f32[2]\n", length)
	for i := range length {
		fmt.Fprintf(&b, "v%d = Relu(v%d)\n", i+1, i)
	}
	m := graphtest.Model(t, b.String())
	var all []string
	for i := range length {
		all = append(all, fmt.Sprintf("#%d", length-1-i))
	}
	next, _ := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Bypass(t.Context(), m, at(t, m), edit.BypassOptions{Nodes: all})
	})
	if got, want := lines(next), fmt.Sprintf("v%d_identity: v%d = Identity(v0)", length, length); got != want {
		t.Errorf("nodes %q, want %q", got, want)
	}
}

// TestBypassOpenShapes warns where shapes that are not wholly known may change, and only
// there.
func TestBypassOpenShapes(t *testing.T) {
	for _, tt := range []struct{ name, node, told, want string }{
		{"keeps the shape", "n: h = Neg(x)", "f32[?,?]", ""},
		{"keeps what is partly known", "n: h = Abs(f)", "f32[?,2]", ""},
		{"moves axes", "n: h = Transpose(x)", "f32[?,?]", `the readers of "h" (f32 ?×?) now get "x" (f32 ?×?), which may have another shape`},
		{"moves named axes", "n: h = Transpose(k)", "f32[b,a]", `the readers of "h" (f32 b×a) now get "k" (f32 a×b), which may have another shape`},
		{"convolves", "n: h = Conv(c, w)", "f32[?,?,?,?]", `the readers of "h" (f32 ?×?×?×?) now get "c" (f32 ?×3×?×?), which may have another shape`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, "input x f32[?,?]\ninput k f32[a,b]\ninput c f32[?,3,?,?]\ninput f f32[n,2]\ninit w f32[4,3,3,3] 1\n"+tt.node+"\ny = Neg(h)\noutput y f32")
			told, err := graphops.ParseType(tt.told)
			if err != nil {
				t.Fatal(err)
			}
			_, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Bypass(t.Context(), m, at(t, m), edit.BypassOptions{
					Nodes: []string{"n"}, Unused: true, Typing: edit.Typing{Typer: &typer{types: map[string]graphops.Type{"h": told}}},
				})
			})
			if got := strings.Join(report.Warnings, "; "); got != tt.want {
				t.Errorf("warnings %q, expected %q", got, tt.want)
			}
		})
	}
}

// A node that reads inputs alone runs before others, so that no body may make a value of
// the name of its result, which it may before the bypass.
func TestBypassLeavesBodiesTheirOwnNames(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[2]
		input c bool[]
		output y f32[2]
		graph yes
		h = Abs(x)
		o = Neg(h)
		output o
		end
		a = Identity(x)
		h = Neg(a)
		z = If(c) then_branch=@yes else_branch=@yes
		y = Add(z, h)`)
	next, report, err := edit.Bypass(t.Context(), m, m.Places()[0], edit.BypassOptions{Nodes: []string{"#0"}})
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := next.Unshadowed(); again != next {
		t.Error("a body makes a value of a name around it")
	}
	if !slices.ContainsFunc(report.Warnings, func(w string) bool { return strings.HasPrefix(w, `"h": renamed inside bodies`) }) {
		t.Errorf("warnings are %q", report.Warnings)
	}
}
