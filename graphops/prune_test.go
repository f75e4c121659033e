package graphops_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

const (
	chain = `
		input x f32[n,4]
		output y f32[n,4]
		value a f32[n,4]
		value b f32[n,4]
		init w f32[4,4] 1
		init v f32[4,4] 2
		one: a = MatMul(x, w)
		two: b = Relu(a)
		three: y = MatMul(b, v)`
	diamond = `
		input x f32[n]
		input z f32[n]
		output y f32[n]
		output unrelated f32[n]
		value a f32[n]
		top: a = Relu(x)
		left: b = Sigmoid(a)
		right: c = Tanh(a)
		join: y = Add(b, c)
		other: unrelated = Neg(z)`
	branching = `
		input x f32[n]
		input c bool[]
		output y f32[n]
		init w f32[1] 1
		init inner f32[1] 2
		init unused f32[1] 3
		graph deep
		d = Mul(h, w)
		output d
		end
		graph yes
		init inner f32[1] 5
		t = Add(inner, x)
		u = If(c) then_branch=@deep else_branch=@deep
		output u
		end
		graph no
		output h
		end
		first: h = Relu(x)
		lost: g = Neg(x)
		branch: y = If(c) then_branch=@yes else_branch=@no`
	looping = `
		input x f32[n]
		input trips i64[]
		output y f32[n]
		init step f32[1] 1
		init go bool[] 1
		graph body
		input i i64[]
		input keep bool[]
		input s f32[n]
		again = Identity(keep)
		t = Add(s, step)
		output again bool[]
		output t f32[n]
		end
		a: h = Relu(x)
		loop: y = Loop(trips, go, h) body=@body`
	functional = `
		opset 17
		opset local 1
		input x f32[n]
		input c bool[]
		output y f32[n]
		output z f32[n]
		function local Inner(a) -> (b)
		b = Neg(a)
		end
		function local Outer(a) -> (b)
		b = local::Inner(a)
		end
		function local Branch(a) -> (b)
		b = Abs(a)
		end
		function local Unused(a) -> (b)
		b = Exp(a)
		end
		graph yes
		t = local::Branch(x)
		output t
		end
		p: y = local::Outer(x)
		q: z = If(c) then_branch=@yes else_branch=@yes`
)

// pruned describes what a prune leaves.
type pruned struct {
	nodes, inputs, outputs, initializers, values, functions, lost, untyped []string
}

func describe(m *graphops.Model, r *graphops.Pruning) pruned {
	valueNames := func(list []*graphops.ValueInfo) []string {
		var out []string
		for _, v := range list {
			out = append(out, v.Name())
		}
		return out
	}
	g := m.Graph()
	p := pruned{
		inputs: valueNames(g.Inputs()), outputs: valueNames(g.Outputs()), values: valueNames(g.ValueInfo()),
		lost: r.LostInputs, untyped: r.Untyped,
	}
	for _, n := range g.Nodes() {
		p.nodes = append(p.nodes, n.Name())
	}
	for _, x := range g.Initializers() {
		p.initializers = append(p.initializers, x.Name())
	}
	for _, x := range g.SparseInitializers() {
		p.initializers = append(p.initializers, "sparse "+x.Name())
	}
	for _, f := range m.Functions() {
		p.functions = append(p.functions, f.Key().Name)
	}
	return p
}

var prunes = []struct {
	name, text string
	o          graphops.PruneOptions
	want       pruned
}{
	{"all there is", chain, graphops.PruneOptions{}, pruned{
		nodes: []string{"one", "two", "three"}, inputs: []string{"x"}, outputs: []string{"y"}, initializers: []string{"w", "v"}, values: []string{"a", "b"},
	}},
	{"a chain cut short", chain, graphops.PruneOptions{Outputs: []string{"b"}}, pruned{
		nodes: []string{"one", "two"}, inputs: []string{"x"}, outputs: []string{"b"}, initializers: []string{"w"}, values: []string{"a"},
	}},
	{"an inner value and the old output", chain, graphops.PruneOptions{Outputs: []string{"a", "y"}}, pruned{
		nodes: []string{"one", "two", "three"}, inputs: []string{"x"}, outputs: []string{"a", "y"}, initializers: []string{"w", "v"}, values: []string{"b"},
	}},
	{"the old output inside", chain + "\nafter: z = Neg(y)", graphops.PruneOptions{Outputs: []string{"z"}}, pruned{
		nodes: []string{"one", "two", "three", "after"}, inputs: []string{"x"}, outputs: []string{"z"}, initializers: []string{"w", "v"},
		values: []string{"a", "b", "y"}, untyped: []string{"z"},
	}},
	{"cut at an input", chain, graphops.PruneOptions{Inputs: []string{"b"}}, pruned{
		nodes: []string{"three"}, inputs: []string{"b"}, outputs: []string{"y"}, initializers: []string{"v"}, lost: []string{"x"},
	}},
	{"between two values", chain, graphops.PruneOptions{Inputs: []string{"a"}, Outputs: []string{"b"}}, pruned{
		nodes: []string{"two"}, inputs: []string{"a"}, outputs: []string{"b"}, lost: []string{"x"},
	}},
	{"an input that is an output", chain, graphops.PruneOptions{Outputs: []string{"x"}}, pruned{
		inputs: []string{"x"}, outputs: []string{"x"},
	}},
	{"an initializer that is an output", chain, graphops.PruneOptions{Outputs: []string{"w"}}, pruned{
		outputs: []string{"w"}, initializers: []string{"w"}, lost: []string{"x"},
	}},
	{"a weight becomes an input", chain, graphops.PruneOptions{Inputs: []string{"v"}}, pruned{
		nodes: []string{"one", "two", "three"}, inputs: []string{"v", "x"}, outputs: []string{"y"}, initializers: []string{"w"}, values: []string{"a", "b"},
	}},
	{"an input that nothing needs", chain, graphops.PruneOptions{Inputs: []string{"b"}, Outputs: []string{"a"}}, pruned{
		nodes: []string{"one"}, inputs: []string{"b", "x"}, outputs: []string{"a"}, initializers: []string{"w"},
	}},
	{"a diamond", diamond, graphops.PruneOptions{Outputs: []string{"y"}}, pruned{
		nodes: []string{"top", "left", "right", "join"}, inputs: []string{"x"}, outputs: []string{"y"}, values: []string{"a"}, lost: []string{"z"},
	}},
	{"one side of a diamond", diamond, graphops.PruneOptions{Outputs: []string{"c"}}, pruned{
		nodes: []string{"top", "right"}, inputs: []string{"x"}, outputs: []string{"c"}, values: []string{"a"}, lost: []string{"z"}, untyped: []string{"c"},
	}},
	{"cut at one side", diamond, graphops.PruneOptions{Outputs: []string{"y"}, Inputs: []string{"b"}}, pruned{
		nodes: []string{"top", "right", "join"}, inputs: []string{"b", "x"}, outputs: []string{"y"}, values: []string{"a"}, lost: []string{"z"}, untyped: []string{"b"},
	}},
	{"outputs in another order", diamond, graphops.PruneOptions{Outputs: []string{"unrelated", "y"}}, pruned{
		nodes: []string{"top", "left", "right", "join", "other"}, inputs: []string{"x", "z"}, outputs: []string{"unrelated", "y"}, values: []string{"a"},
	}},
	{"an output twice", diamond, graphops.PruneOptions{Outputs: []string{"a", "a"}}, pruned{
		nodes: []string{"top"}, inputs: []string{"x"}, outputs: []string{"a"}, lost: []string{"z"},
	}},
	{"what bodies capture", branching, graphops.PruneOptions{}, pruned{
		nodes: []string{"first", "branch"}, inputs: []string{"x", "c"}, outputs: []string{"y"}, initializers: []string{"w"},
	}},
	{"cut at what bodies capture", branching, graphops.PruneOptions{Inputs: []string{"h"}}, pruned{
		nodes: []string{"branch"}, inputs: []string{"h", "x", "c"}, outputs: []string{"y"}, initializers: []string{"w"}, untyped: []string{"h"},
	}},
	{"what a loop captures", looping, graphops.PruneOptions{}, pruned{
		nodes: []string{"a", "loop"}, inputs: []string{"x", "trips"}, outputs: []string{"y"}, initializers: []string{"step", "go"},
	}},
	{"functions that functions call", functional, graphops.PruneOptions{Outputs: []string{"y"}}, pruned{
		nodes: []string{"p"}, inputs: []string{"x"}, outputs: []string{"y"}, functions: []string{"Inner", "Outer"}, lost: []string{"c"},
	}},
	{"a function called in a body alone", functional, graphops.PruneOptions{Outputs: []string{"z"}}, pruned{
		nodes: []string{"q"}, inputs: []string{"x", "c"}, outputs: []string{"z"}, functions: []string{"Branch"},
	}},
	{
		"inputs that have defaults", "ir 3\ninput x f32[2]\ninput w f32[2]\ninput v f32[2]\ninit w f32[2] 1\ninit v f32[2] 2\na: h = Add(x, w)\nb: y = Add(h, v)\noutput y f32[2]",
		graphops.PruneOptions{Outputs: []string{"h"}},
		pruned{
			nodes: []string{"a"}, inputs: []string{"x", "w"}, outputs: []string{"h"}, initializers: []string{"w"}, untyped: []string{"h"},
		},
	},
	{
		"a default given up", "ir 3\ninput x f32[2]\ninput w f32[2]\ninit w f32[2] 1\na: y = Add(x, w)\noutput y f32[2]",
		graphops.PruneOptions{Inputs: []string{"w"}},
		pruned{
			nodes: []string{"a"}, inputs: []string{"w", "x"}, outputs: []string{"y"},
		},
	},
	{
		"sparse initializers", "input x f32[4]\nsparse s f32[4] 3 at 1\nsparse t f32[4] 3 at 1\na: h = Add(x, s)\nb: y = Add(h, t)\noutput y f32[4]",
		graphops.PruneOptions{Outputs: []string{"h"}},
		pruned{
			nodes: []string{"a"}, inputs: []string{"x"}, outputs: []string{"h"}, initializers: []string{"sparse s"}, untyped: []string{"h"},
		},
	},
	{
		"absent inputs and outputs", "input x f32[4]\na: h, _ = Dropout(x, , )\nb: y = Relu(h)\noutput y f32[4]",
		graphops.PruneOptions{Outputs: []string{"h"}},
		pruned{
			nodes: []string{"a"}, inputs: []string{"x"}, outputs: []string{"h"}, untyped: []string{"h"},
		},
	},
	{
		"a second output of a kept node", "input x f32[4]\nvalue b f32[2]\na: h, b = Split(x)\ny = Relu(b)\noutput y f32[4]",
		graphops.PruneOptions{Outputs: []string{"h"}},
		pruned{
			nodes: []string{"a"}, inputs: []string{"x"}, outputs: []string{"h"}, values: []string{"b"}, untyped: []string{"h"},
		},
	},
}

func TestPrune(t *testing.T) {
	for _, tt := range prunes {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.text)
			before := digest(t, m)
			result, report, err := graphops.Prune(m, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, describe(result, report), cmp.AllowUnexported(pruned{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if digest(t, m) != before {
				t.Error("the original changed")
			}
			if report.KeptNodes != len(tt.want.nodes) || report.KeptNodes+report.RemovedNodes != len(m.Graph().Nodes()) || len(report.Keep) != len(m.Graph().Nodes()) {
				t.Errorf("%d nodes kept, %d removed, %d marks", report.KeptNodes, report.RemovedNodes, len(report.Keep))
			}
			size := func(m *graphops.Model) int64 {
				n, err := graphops.SavedSize(m, graphops.SaveOptions{})
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			if got := size(m) - size(result); report.RemovedBytes != got {
				t.Errorf("%d bytes are said to be removed, %d are", report.RemovedBytes, got)
			}
			if len(report.Warnings) > 0 {
				return // an input that nothing needs goes with the next prune
			}
			again, second, err := graphops.Prune(result, graphops.PruneOptions{})
			if err != nil || digest(t, again) != digest(t, result) || second.RemovedNodes != 0 || second.RemovedBytes != 0 {
				t.Errorf("a second prune changes something: %+v, %v", second, err)
			}
		})
	}
}

func digest(t testing.TB, m *graphops.Model) [32]byte {
	t.Helper()
	var buf bytes.Buffer
	if err := graphops.Write(&buf, m); err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(buf.Bytes())
}

// TestPruneOfShuffledNodes prunes the same graph with its nodes in other orders:
// what is kept is the same.
func TestPruneOfShuffledNodes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, tt := range prunes {
		p := graphtest.Proto(t, tt.text)
		for range 5 {
			random.Shuffle(len(p.Graph.Node), func(i, j int) { p.Graph.Node[i], p.Graph.Node[j] = p.Graph.Node[j], p.Graph.Node[i] })
			result, report, err := graphops.Prune(graphtest.Decode(t, p), tt.o)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			got, want := describe(result, report), tt.want
			got.nodes, want.nodes = slices.Sorted(slices.Values(got.nodes)), slices.Sorted(slices.Values(want.nodes))
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(pruned{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
	}
}

// TestPruneKeepsTheRest looks at what a prune does not touch: metadata, opsets,
// unknown fields, the elements of what stays, types as they were written.
func TestPruneKeepsTheRest(t *testing.T) {
	p := graphtest.Proto(t, chain+"\nmetadata key value\nopset 17\nopset com.microsoft 1")
	p.ProducerName, p.DocString = proto.String("maker"), proto.String("about it")
	p.Graph.DocString = proto.String("about the graph")
	p.Graph.Node[1].DocString = proto.String("about the node")
	p.Graph.Input[0].DocString = proto.String("about the input")
	p.Graph.ValueInfo[1].Type.Denotation = proto.String("IMAGE")
	p.ProtoReflect().SetUnknown([]byte("\xfa\x7f\x01u"))
	p.Graph.QuantizationAnnotation = []*onnxpb.TensorAnnotation{{TensorName: proto.String("a")}, {TensorName: proto.String("v")}}
	result, report, err := graphops.Prune(graphtest.Decode(t, p), graphops.PruneOptions{Outputs: []string{"b"}})
	if err != nil {
		t.Fatal(err)
	}
	want := proto.CloneOf(p)
	g := want.Graph
	g.Node, g.Initializer = g.Node[:2], g.Initializer[:1]
	g.Output, g.ValueInfo = g.ValueInfo[1:], g.ValueInfo[:1]
	g.QuantizationAnnotation = g.QuantizationAnnotation[:1]
	var buf bytes.Buffer
	if err := graphops.Write(&buf, result); err != nil {
		t.Fatal(err)
	}
	if got := unmarshal(t, buf.Bytes()); !proto.Equal(want, got) {
		t.Errorf("want %v\ngot %v", want, got)
	}
	if len(report.Warnings) != 0 {
		t.Errorf("warnings %q", report.Warnings)
	}
	if got, want := result.Graph().Nodes()[0], graphtest.Decode(t, p).Graph().Nodes()[0]; graphtest.Node(got) != graphtest.Node(want) {
		t.Errorf("node %s, want %s", graphtest.Node(got), graphtest.Node(want))
	}
}

func TestPruneTypes(t *testing.T) {
	plan, err := graphops.PlanPrune(graphtest.Model(t, diamond), graphops.PruneOptions{Outputs: []string{"b", "c"}, Inputs: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	_, first, err := plan.Model(nil)
	if err != nil || !slices.Equal(first.Untyped, []string{"b", "c"}) {
		t.Errorf("without types, %q are untyped (%v), want b and c", first.Untyped, err)
	}
	result, report, err := plan.Model(map[string]graphops.Type{
		"b": f32(graphops.SymbolDim("m")),
		"a": f32(graphops.FixedDim(7)), // which the model declares otherwise
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, list := range [][]*graphops.ValueInfo{result.Graph().Inputs(), result.Graph().Outputs()} {
		for _, v := range list {
			got[v.Name()] = v.Type().String() + " " + v.Type().Shape.String()
		}
	}
	want := map[string]string{"a": "f32 7", "b": "f32 m", "c": "? ?"}
	if diff := cmp.Diff(want, got); diff != "" || !slices.Equal(report.Untyped, []string{"c"}) {
		t.Errorf("untyped %q (-want +got):\n%s", report.Untyped, diff)
	}
}

func TestPruneWarns(t *testing.T) {
	p := graphtest.Proto(t, chain)
	p.TrainingInfo = []*onnxpb.TrainingInfoProto{{Algorithm: &onnxpb.GraphProto{}}}
	_, report, err := graphops.Prune(graphtest.Decode(t, p), graphops.PruneOptions{Outputs: []string{"a", "a"}, Inputs: []string{"b"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range []string{`output "a" is requested twice`, `input "b" is not needed`, "training_info is dropped"} {
		if len(report.Warnings) != 3 || !strings.Contains(report.Warnings[i], part) {
			t.Errorf("warnings %q lack %q at %d", report.Warnings, part, i)
		}
	}
}

func TestPruneRefuses(t *testing.T) {
	tests := []struct {
		name, text string
		o          graphops.PruneOptions
		want       []string
	}{
		{"unknown output", strings.ReplaceAll(chain, "b", "hidden"), graphops.PruneOptions{Outputs: []string{"hiden"}}, []string{`output "hiden"`, `nearest names: "hidden"`}},
		{"unknown input", chain, graphops.PruneOptions{Inputs: []string{"nothing like it"}}, []string{`input "nothing like it"`}},
		{"the empty name", "a: h, _ = Dropout(x)\ninput x\noutput h", graphops.PruneOptions{Outputs: []string{""}}, []string{`output ""`}},
		{"a value inside a body", branching, graphops.PruneOptions{Outputs: []string{"u"}}, []string{`output "u": is a value inside of "`, "only values of the main graph"}},
		{"no outputs", "input x f32[2]\ny = Relu(x)", graphops.PruneOptions{}, []string{"no outputs"}},
		{"an output that nothing makes", "input x f32[2]\noutput z", graphops.PruneOptions{}, []string{`"z"`}},
		{"a value that nothing makes", "input x f32[2]\nmaker: y = Add(x, gone)\noutput y", graphops.PruneOptions{}, []string{`node 0 "maker"`, `value "gone" is neither produced by a node`}},
		{"a captured value that nothing makes", "graph b\nz = Relu(gone)\noutput z\nend\ninput x bool[]\nbr: y = If(x) then_branch=@b else_branch=@b\noutput y", graphops.PruneOptions{}, []string{`"br"`, `"gone"`}},
		{"a value made twice", "input x f32[2]\ny = Relu(x)\ny = Neg(x)\noutput y", graphops.PruneOptions{}, []string{`value "y"`, "more than once"}},
		{"a value made beside an initializer", "input x f32[1]\ninit k f32[1] 1\nk = Relu(x)\ny = Add(x, k)\noutput y", graphops.PruneOptions{}, []string{`value "k"`, "more than once"}},
		{"a node over a constant", "input x f32[1]\nk = Constant() value={f32[1] 1}\nk = Relu(x)\ny = Add(x, k)\noutput y", graphops.PruneOptions{}, []string{`value "k"`, "more than once"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, _, err := graphops.Prune(graphtest.Model(t, tt.text), tt.o)
			for _, part := range tt.want {
				if err == nil || m != nil || !strings.Contains(err.Error(), part) {
					t.Errorf("error %v lacks %q", err, part)
				}
			}
		})
	}
	var unknown *graphops.UnknownNameError
	_, _, err := graphops.Prune(graphtest.Model(t, chain), graphops.PruneOptions{Outputs: []string{"Y"}})
	if !errors.As(err, &unknown) || unknown.Name != "Y" || !slices.Contains(unknown.Nearest, "y") {
		t.Errorf("%#v", err)
	}
}

// TestPruneOfCycle leaves a cycle that the output does not need, and does
// not hang on one that it does.
func TestPruneOfCycle(t *testing.T) {
	text := "input x f32[2]\ngood: y = Relu(x)\np: a = Add(b, x)\nq: b = Neg(a)\noutput y f32[2]"
	result, report, err := graphops.Prune(graphtest.Model(t, text), graphops.PruneOptions{})
	if err != nil || report.RemovedNodes != 2 || len(result.Graph().Nodes()) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	_, report, err = graphops.Prune(graphtest.Model(t, text), graphops.PruneOptions{Outputs: []string{"a"}})
	if err != nil || report.KeptNodes != 2 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestPruneKeepsTheConstantThatCounts cuts graphs that define a constant several
// times, as ONNX Runtime 1.31.1 runs them: the last one counts, and Constant
// nodes come after initializers and inputs.
func TestPruneKeepsTheConstantThatCounts(t *testing.T) {
	tests := []struct {
		name, definitions, nodes, initializers string
		feeds                                  int
	}{
		{"two nodes", "first: k = Constant() value={f32[1] 1}\nlast: k = Constant() value={f32[1] 2}", "last y", "", 1},
		{"a node over an initializer", "init k f32[2] 1 2\nlast: k = Constant() value={f32[1] 2}", "last y", "", 1},
		{"a node over an input", "input k f32[1]\nlast: k = Constant() value={f32[1] 2}", "last y", "", 1},
		{"two initializers", "init k f32[1] 1\ninit k f32[2] 1 2", "y", "k f32[2]", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, "input x f32[1]\n"+tt.definitions+"\ny: y = Add(x, k)\noutput y f32[1]")
			if n := len(m.Graph().FeedInputs()); n != tt.feeds {
				t.Errorf("%d inputs to feed before, want %d", n, tt.feeds)
			}
			result, report, err := graphops.Prune(m, graphops.PruneOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range []*graphops.Model{result, m.WithoutOverruled()} {
				var nodes []string
				for _, n := range got.Graph().Nodes() {
					nodes = append(nodes, n.Name())
				}
				if s := strings.Join(nodes, " "); s != tt.nodes {
					t.Errorf("nodes %q, want %q", s, tt.nodes)
				}
				if s := strings.Join(graphtest.Initializers(got.Graph()), ", "); s != tt.initializers {
					t.Errorf("initializers %q, want %q", s, tt.initializers)
				}
				if n := len(got.Graph().Index().Overruled); n != 0 {
					t.Errorf("%d constants are still overruled", n)
				}
			}
			if len(report.LostInputs) != 0 || len(report.Inputs) != tt.feeds || len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0], `"k": defined more than once`) {
				t.Errorf("%+v", report)
			}
		})
	}
}

// TestPruneLeavesBrokenPartsOut cuts what is sound out of graphs that no runtime
// takes as a whole.
func TestPruneLeavesBrokenPartsOut(t *testing.T) {
	broken := "input x f32[1]\ny = Relu(x)\ntwice = Neg(y)\ntwice = Abs(y)\nz = Add(twice, gone)\noutput z\noutput y"
	for _, o := range []graphops.PruneOptions{{Outputs: []string{"y"}}, {Outputs: []string{"z"}, Inputs: []string{"twice", "gone"}}} {
		if _, _, err := graphops.Prune(graphtest.Model(t, broken), o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// f32 is a tensor type.
func f32(dims ...graphops.Dim) graphops.Type {
	return graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32, Shape: dims}
}
