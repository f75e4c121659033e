package edit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

// everyConstant has a Constant of every form, one that is an output, one in a
// body, and one in a function.
const everyConstant = `
	ir 10
	opset 21
	opset local 1
	input x f32[2]
	input c bool[]
	value w f32[2]
	graph body
	k = Constant() value={f32[2] 5 6}
	r = Add(k, w)
	output r f32[2]
	end
	function local Shift(a) -> (b)
	s = Constant() value_float=1.5
	b = Add(a, s)
	end
	named: w = Constant() value={f32[2] 1 2}
	f = Constant() value_float=0.5
	fs = Constant() value_floats=[0.5,1.5]
	i = Constant() value_int=-3
	is = Constant() value_ints=[1,2,3]
	s = Constant() value_string='text'
	ss = Constant() value_strings=['a','b']
	y = If(c) then_branch=@body else_branch=@body
	z = local::Shift(y)
	output y f32[2]
	output i i64[]
	output z f32[2]
`

// toInitializers is the edit of the main graph, or of the place at hops.
func toInitializers(t *testing.T, m *graphops.Model, names []string, hops ...string) (*graphops.Model, *edit.Report) {
	t.Helper()
	return apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.ConstantsToInitializers(m, at(t, m, hops...), names)
	})
}

func toNodes(t *testing.T, m *graphops.Model, names []string, hops ...string) (*graphops.Model, *edit.Report) {
	t.Helper()
	return apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.InitializersToConstants(m, at(t, m, hops...), names)
	})
}

// constants writes the initializers of a graph with their elements.
func constants(t *testing.T, g *graphops.Graph) []string {
	t.Helper()
	var out []string
	for _, c := range g.Initializers() {
		line := fmt.Sprintf("%s %s %s", c.Name(), c.DType(), tensor.FormatShape(c.Dims()))
		if c.DType() == tensor.String {
			s, err := c.Strings()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprint(line, " ", s))
			continue
		}
		p, err := c.Data()
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		v, err := tensor.Tensor{DType: c.DType(), Shape: c.Dims(), Data: b}.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprint(line, " ", v))
	}
	return out
}

func TestConstantsToInitializers(t *testing.T) {
	m := graphtest.Model(t, everyConstant)
	next, report := toInitializers(t, m, nil)
	want := []string{
		"w f32 2 [1 2]", "f f32 scalar [0.5]", "fs f32 2 [0.5 1.5]", "i i64 scalar [-3]",
		"is i64 3 [1 2 3]", "s str scalar [text]", "ss str 2 [a b]",
	}
	if diff := cmp.Diff(want, constants(t, next.Graph())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := len(next.Graph().Nodes()); got != 2 || report.NodesBefore != 9 || report.NodesAfter != 2 {
		t.Errorf("%d nodes, report %d to %d", got, report.NodesBefore, report.NodesAfter)
	}
	if got := fmt.Sprint(report.Changes[0], len(report.Changes)); got != "{constant w Constant initializer} 7" {
		t.Errorf("changes: %s", got)
	}
	if got := strings.Join(report.Warnings, "\n"); !strings.Contains(got, `bodies contain 2 more of these (each a Constant node), the first in "#7:then_branch"; to edit a body, use --in`) {
		t.Errorf("warnings: %s", got)
	}
	if slices.Index(report.Keep, true) != 7 {
		t.Errorf("keeps %v", report.Keep)
	}
	if len(next.Graph().ValueInfo()) != 1 {
		t.Error("value_info of an initializer is gone")
	}
	again, report := toInitializers(t, next, nil)
	if len(report.Changes) > 0 {
		t.Errorf("a second run changes %v", report.Changes)
	}
	if diff := cmp.Diff(graphtest.Message(t, next), graphtest.Message(t, again), protocmp.Transform()); diff != "" {
		t.Errorf("a second run (-want +got):\n%s", diff)
	}
}

// TestConstantsThereAndBack is about initializers that become nodes and come back
// as they were.
func TestConstantsThereAndBack(t *testing.T) {
	m := graphtest.Model(t, `
		ir 10
		opset 21
		input x f32[2]
		init w f32[2] 1 2
		init b i4[3] 1 -2 3
		init t str[2] p q
		sparse s f32[2] 3 at 1
		n0: y = Add(x, w)
		output y f32[2]
		output w f32[2]`)
	nodes, report := toNodes(t, m, nil)
	want := strings.TrimSpace(`
w: w = Constant() value=kind(4)
b: b = Constant() value=kind(4)
t: t = Constant() value=kind(4)
s: s = Constant() sparse_value=kind(11)
n0: y = Add(x, w)`)
	if diff := cmp.Diff(want, lines(nodes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if g := nodes.Graph(); len(g.Initializers())+len(g.SparseInitializers()) > 0 || len(report.Changes) != 4 {
		t.Errorf("initializers are left, changes %v", report.Changes)
	}
	back, _ := toInitializers(t, nodes, nil)
	if diff := cmp.Diff(graphtest.Message(t, m), graphtest.Message(t, back), protocmp.Transform()); diff != "" {
		t.Errorf("there and back (-want +got):\n%s", diff)
	}
}

func TestConstantsInBodies(t *testing.T) {
	m := graphtest.Model(t, everyConstant)
	next, report := toInitializers(t, m, []string{"k"}, "#7:then_branch")
	p := at(t, next, "#7:then_branch")
	if diff := cmp.Diff([]string{"k f32 2 [5 6]"}, constants(t, p.Graph)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(report.Warnings) > 0 {
		t.Errorf("warnings %q", report.Warnings)
	}
	if other := at(t, next, "#7:else_branch"); len(other.Graph.Initializers()) > 0 {
		t.Error("the other body changed")
	}
	back, _ := toNodes(t, next, nil, "#7:then_branch")
	if got := graphtest.Nodes(at(t, back, "#7:then_branch").Graph)[0]; got != "k: k = Constant() value=kind(4)" {
		t.Errorf("back: %s", got)
	}
}

// TestNodesAreNamedAnew is about names that other nodes have.
func TestNodesAreNamedAnew(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[2]
		init w f32[2] 1 2
		w: y = Add(x, w)
		output y f32[2]`)
	next, _ := toNodes(t, m, nil)
	if got := graphtest.Nodes(next.Graph())[0]; got != "w__1: w = Constant() value=kind(4)" {
		t.Error(got)
	}
}

// TestSparseConstant moves a sparse value to a sparse initializer.
func TestSparseConstant(t *testing.T) {
	p := graphtest.Proto(t, `
		ir 10
		opset 21
		input x f32[4]
		n: s = Constant()
		y = Add(x, s)
		output y f32[4]`)
	p.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{{
		Name: proto.String("sparse_value"), Type: onnxpb.AttributeProto_SPARSE_TENSOR.Enum(),
		SparseTensor: &onnxpb.SparseTensorProto{
			Values:  &onnxpb.TensorProto{DataType: proto.Int32(1), Dims: []int64{1}, FloatData: []float32{7}},
			Indices: &onnxpb.TensorProto{DataType: proto.Int32(7), Dims: []int64{1}, Int64Data: []int64{2}},
			Dims:    []int64{4},
		},
	}}
	m := graphtest.Decode(t, p)
	next, _ := toInitializers(t, m, []string{"s"})
	if s := next.Graph().SparseInitializers(); len(s) != 1 || s[0].Name() != "s" || !slices.Equal(s[0].Dims(), []int64{4}) {
		t.Errorf("sparse initializers %v", s)
	}
	p.IrVersion = proto.Int64(5)
	old := graphtest.Decode(t, p)
	if _, _, err := edit.ConstantsToInitializers(old, at(t, old), []string{"s"}); err == nil || !strings.Contains(err.Error(), "IR version 5 has no sparse initializers") {
		t.Errorf("IR version 5: %v", err)
	}
}

// TestOldFormat is about IR version 3, where every initializer is an input too.
func TestOldFormat(t *testing.T) {
	m := graphtest.Model(t, `
		ir 3
		opset 9
		input x f32[2]
		c: w = Constant() value={f32[2] 1 2}
		n: y = Add(x, w)
		output y f32[2]`)
	next, _ := toInitializers(t, m, nil)
	if got := valueNames(next.Graph().Inputs()); got != "x w" {
		t.Errorf("inputs %s", got)
	}
	if next.IRVersion() != 3 {
		t.Errorf("IR version %d", next.IRVersion())
	}
	back, _ := toNodes(t, next, nil)
	if got := valueNames(back.Graph().Inputs()); got != "x" {
		t.Errorf("inputs back: %s", got)
	}
	if got := graphtest.Nodes(back.Graph())[0]; got != "w: w = Constant() value=kind(4)" {
		t.Error(got)
	}
}

func valueNames(list []*graphops.ValueInfo) string {
	var out []string
	for _, v := range list {
		out = append(out, v.Name())
	}
	return strings.Join(out, " ")
}

// TestOverruledConstants is about names that several constants have: the last
// Constant counts, and nothing of the others is left.
func TestOverruledConstants(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[1]
		input w f32[1]
		init w f32[1] 1
		a: w = Constant() value={f32[1] 2}
		b: w = Constant() value={f32[1] 3}
		y = Add(x, w)
		output y f32[1]`)
	next, report := toInitializers(t, m, nil)
	if diff := cmp.Diff([]string{"w f32 1 [3]"}, constants(t, next.Graph())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := valueNames(next.Graph().Inputs()); got != "x" || len(next.Graph().Nodes()) != 1 {
		t.Errorf("inputs %s, nodes %q", got, lines(next))
	}
	if len(report.Warnings) != 1 || !strings.HasPrefix(report.Warnings[0], `"w": defined more than once; the last one is kept; `) {
		t.Errorf("warnings %q", report.Warnings)
	}
	twice := graphtest.Model(t, `
		input x f32[1]
		init w f32[1] 1
		init w f32[1] 2
		y = Add(x, w)
		output y f32[1]`)
	nodes, _ := toNodes(t, twice, nil)
	only, _ := toInitializers(t, nodes, nil)
	if diff := cmp.Diff([]string{"w f32 1 [2]"}, constants(t, only.Graph())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConstantsRefuse(t *testing.T) {
	m := graphtest.Model(t, everyConstant)
	odd := graphtest.Model(t, `
		ir 10
		opset 8
		input x f32[2]
		input d f32[2]
		init d f32[2] 1
		init k i64[1] 1
		init v bf16[1] 1
		init dup f32[1] 1
		sparse s f32[2] 3 at 1
		a: none = Constant()
		b: two = Constant() value_int=1 value_float=2.0
		c: other = Constant() value_word='a'
		dup = Relu(x)
		y = Add(x, d)
		output y f32[2]`)
	hidden := graphtest.Model(t, `
		ir 8
		opset 17
		graph body
		init w f32[2] 1 2
		r = Neg(w)
		output r f32[2]
		end
		input c bool[]
		init w f32[2] 3 4
		y = If(c) then_branch=@body else_branch=@body
		z = Neg(w)
		output y f32[2]
		output z f32[2]`)
	old := graphtest.Model(t, `
		ir 3
		opset 9
		graph body
		r = Constant() value_float=1.5
		output r f32[]
		end
		input c bool[]
		y = If(c) then_branch=@body else_branch=@body
		output y f32[]`)
	nodes, initializers := edit.InitializersToConstants, edit.ConstantsToInitializers
	for _, tt := range []struct {
		name  string
		f     func(*graphops.Model, *graphops.Place, []string) (*graphops.Model, *edit.Report, error)
		m     *graphops.Model
		hops  []string
		value string
		want  string
	}{
		{"unknown", initializers, m, nil, "ww", `value "ww": the graph has none of that name; nearest names: "w"`},
		{"no Constant", initializers, m, nil, "y", `value "y": is made by node #7 (If), expected a Constant`},
		{"an input", initializers, m, nil, "x", `value "x": is an input already, and no node makes it`},
		{"captured", initializers, m, []string{"#7:then_branch"}, "w", `value "w": is defined in an enclosing graph`},
		{"in a function", initializers, m, []string{"local:Shift"}, "s", `"local:Shift": a function has no initializers`},
		{"no value", initializers, odd, nil, "none", `a Constant with 0 attributes, expected one value`},
		{"two values", initializers, odd, nil, "two", `a Constant with 2 attributes, expected one value`},
		{"an unknown value", initializers, odd, nil, "other", `a Constant whose attribute "value_word" has no known value`},
		{"old body", initializers, old, []string{"#0:then_branch"}, "r", `cannot have initializers in IR version 3, only from version 4 on`},
		{"not an initializer", nodes, m, nil, "w", `value "w": is made by node "named" (Constant), expected an initializer`},
		{"an input for an initializer", nodes, m, nil, "x", `is an input without a value, expected an initializer`},
		{"captured for an initializer", nodes, m, []string{"#7:then_branch"}, "w", `is defined in an enclosing graph, expected an initializer of this one`},
		{"function", nodes, m, []string{"local:Shift"}, "s", `a function has no initializers`},
		{"default", nodes, odd, nil, "d", `is the default of an optional input`},
		{"type", nodes, odd, nil, "k", `is i64: opset 8 has no such Constant, only opsets from 9 on`},
		{"newer type", nodes, odd, nil, "v", `is bf16: opset 8 has no such Constant, only opsets from 13 on`},
		{"sparse", nodes, odd, nil, "s", `is sparse: opset 8 has no such Constant, only opsets from 11 on`},
		{"defined twice", nodes, odd, nil, "dup", `is defined more than once, which no runtime accepts`},
		{"hides another", nodes, hidden, []string{"#0:then_branch"}, "w", `has the name of a value in an enclosing graph, which an initializer may hide but a node may not`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := tt.f(tt.m, at(t, tt.m, tt.hops...), []string{tt.value})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
	_, report := toNodes(t, odd, nil)
	if len(report.Changes) != 0 || len(report.Warnings) != 5 {
		t.Errorf("changes %v, warnings %q", report.Changes, report.Warnings)
	}
}

// TestFunctionAttribute leaves a Constant alone whose value each call sets.
func TestFunctionAttribute(t *testing.T) {
	p := graphtest.Proto(t, `
		opset 17
		opset local 1
		graph body
		k = Constant() value_float=1.5
		output k f32[]
		end
		function local F(c) -> (y)
		y = If(c) then_branch=@body else_branch=@body
		end
		input c bool[]
		y = local::F(c)
		output y f32[]`)
	k := p.Functions[0].Node[0].Attribute[0].G.Node[0].Attribute[0]
	k.F, k.RefAttrName = nil, proto.String("level")
	m := graphtest.Decode(t, p)
	place := at(t, m, "local:F", "#0:then_branch")
	if _, _, err := edit.ConstantsToInitializers(m, place, []string{"k"}); err == nil || !strings.Contains(err.Error(), `has the value of the function's attribute "level", which each call sets`) {
		t.Error(err)
	}
	if _, report := toInitializers(t, m, nil, "local:F", "#0:else_branch"); len(report.Changes) > 0 || len(report.Warnings) != 1 {
		t.Errorf("changes %v, warnings %q", report.Changes, report.Warnings)
	}
}

// TestConstantTypes goes through the element types, at the opset before the one
// that brought a Constant of each, as the operator's versions 1, 9, 13, 19, 21,
// 23, 24 and 25 say, and at that one.
func TestConstantTypes(t *testing.T) {
	since := map[int64]string{
		9:  "u8 i8 u16 i16 i32 i64 str bool u32 u64 c64 c128",
		13: "bf16", 19: "f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz", 21: "u4 i4", 23: "f4e2m1", 24: "f8e8m0", 25: "u2 i2",
	}
	model := func(typ string, opset int64) *graphops.Model {
		return graphtest.Model(t, fmt.Sprintf("ir 13\nopset %d\ninput x f32[1]\ninit v %s[0]\ny = Relu(x)\noutput y f32[1]", opset, typ))
	}
	for opset, types := range since {
		for _, typ := range strings.Fields(types) {
			m := model(typ, opset-1)
			_, _, err := edit.InitializersToConstants(m, at(t, m), []string{"v"})
			if want := fmt.Sprintf("only opsets from %d on", opset); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v lacks %q", typ, err, want)
			}
			toNodes(t, model(typ, opset), []string{"v"})
		}
	}
	for _, typ := range []string{"f32", "f64", "f16"} {
		toNodes(t, model(typ, 1), []string{"v"})
	}
	for _, typ := range []string{"f6e2m3", "f6e3m2"} {
		m := model(typ, 28)
		if _, _, err := edit.InitializersToConstants(m, at(t, m), []string{"v"}); err == nil || !strings.Contains(err.Error(), "which no Constant can have") {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

// TestConstantsStayInTheFile moves weights about without reading one.
func TestConstantsStayInTheFile(t *testing.T) {
	const path = "../../testdata/digits.onnx"
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	offsets := map[string]int64{}
	for _, w := range m.Graph().Initializers() {
		if _, offset, ok := w.Stored(); ok {
			offsets[w.Name()] = offset
		}
	}
	if len(offsets) < 3 {
		t.Fatalf("only %v stay in the file from the start", offsets)
	}
	nodes, _ := toNodes(t, m, nil)
	back, _ := toInitializers(t, nodes, nil)
	check := func(name string, w *graphops.Tensor) {
		if want, ok := offsets[name]; ok {
			if file, offset, inFile := w.Stored(); !inFile || file != path || offset != want {
				t.Errorf("%q lies at %d of %q, in a file: %v; want %d of %s", name, offset, file, inFile, want, path)
			}
		}
	}
	for _, n := range nodes.Graph().Nodes()[:8] {
		check(n.Outputs()[0], n.Attributes()[0].Tensor())
	}
	for _, w := range back.Graph().Initializers() {
		check(w.Name(), w)
	}
}
