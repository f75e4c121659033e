package rewrite

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

// TestLoadAsIs stores what Load would change: a Constant node, an unused initializer, the order of
// the nodes, and mistakes.
func TestLoadAsIs(t *testing.T) {
	for _, text := range []string{
		"input x f32[2]\ninit spare f32[1] 1\nk = Constant() value={f32[] 3}\ny = Mul(x, k)\noutput y f32[2]",
		"input x f32[2]\ny = Neg(h)\nh = Relu(x)\noutput y f32[2]",
		"input x f32[2]\ny = Add(x, gone)\noutput y f32[2]\noutput z f32[2]",
		"input x f32[2]\nh = Relu(x)\nh = Neg(x)\ny = Abs(h)\noutput y f32[2]",
		"input x f32[2]\na = Add(x, b)\nb = Relu(a)\ny = Neg(b)\noutput y f32[2]",
		"ir 3\ninput x f32[2]\ninit w f32[1] 1\ny = Add(x, w)\noutput y f32[2]",
		"init w f32[2] 1\ninit w f32[2] 2\ninput x f32[2]\ny = Add(x, w)\noutput y f32[2]",
		branches,
	} {
		source := graphtest.Model(t, text)
		stored := LoadAsIs(source).Store()
		expect(t, graphtest.Nodes(stored.Graph()), graphtest.Nodes(source.Graph())...)
		expect(t, graphtest.Initializers(stored.Graph()), graphtest.Initializers(source.Graph())...)
		if got, want := len(stored.Graph().Inputs()), len(source.Graph().Inputs()); got != want {
			t.Errorf("%d inputs, want %d", got, want)
		}
	}
}

func TestLoadAsIsKnowsConstants(t *testing.T) {
	m := LoadAsIs(graphtest.Model(t, "input x f32[2]\nk = Constant() value={f32[] 3}\ny = Mul(x, k)\noutput y f32[2]"))
	sound(t, m)
	k := m.Graphs()[0].First()
	if f, ok := k.Out(0).Float(); !ok || f != 3 || k.Op() != "Constant" {
		t.Errorf("%s: %g, %t", k.Op(), f, ok)
	}
}

// TestInferLoaded infers types of the loaded model after a change of it.
func TestInferLoaded(t *testing.T) {
	m := load(t, "input x f32[2,3]\na = Transpose(x)\ny = Relu(a)\noutput y f32[3,2]")
	a := named(t, m, "a")
	a.Producer().SetOp("Identity")
	made := m.Graphs()[0].NewValue("a", shape.Type{Kind: graphops.TypeTensor})
	if err := m.InferLoaded(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := a.Dims(); len(d) != 2 || !d[0].Is(3) {
		t.Errorf("a has the sizes %v", d)
	}
	if made.Name() != "a__1" || made.Type().Kind != graphops.TypeTensor {
		t.Errorf("%s has the type %v", made.Name(), made.Type())
	}
}

// TestTakesOver inserts a node behind another one, whose output it produces from then on.
func TestTakesOver(t *testing.T) {
	m := load(t, "input x f32[2]\nn: y = Relu(x)\nz = Abs(y)\noutput y f32[2]\noutput z f32[2]")
	n := m.Graphs()[0].First()
	y, half := n.Out(0), m.Graphs()[0].NewValue("half", shape.Type{})
	n.SetOutput(0, half)
	if y.Producer() != nil {
		t.Error("the producer of y does not have it as an output")
	}
	m.Graphs()[0].Insert(n.Next(), Spec{Op: "Neg", Name: "n", Inputs: []*Value{half}, Outputs: []*Value{y}, For: []*Node{n}})
	expect(t, nodes(t, m), "n: half = Relu(x)", "n__1: y = Neg(half)", "z = Abs(y)")
	m.Graphs()[0].Insert(n, Spec{Op: "Exp", Inputs: []*Value{n.In(0)}, Outputs: []*Value{y}, For: []*Node{n}})
	if old := n.Next(); old.Out(0) != nil {
		t.Error("two nodes produce y")
	}
}

// TestReplaceOutput inserts a node before an output of the graph. Another reader of the value keeps
// reading it.
func TestReplaceOutput(t *testing.T) {
	m := load(t, "input x f32[2]\nn: y = Relu(x)\nz = Abs(y)\noutput y f32[2]\noutput z f32[2]")
	g := m.Graphs()[0]
	y, made := g.First().Out(0), g.NewValue("made", shape.Type{})
	g.ReplaceOutput(0, made)
	g.Insert(nil, Spec{Op: "Neg", Name: "last", Inputs: []*Value{y}, Outputs: []*Value{made}})
	sound(t, m)
	expect(t, nodes(t, m), "n: made = Relu(x)", "z = Abs(made)", "last: y = Neg(made)")
}

func TestOutputs(t *testing.T) {
	m := load(t, "input x f32[2,2]\na, b, c, d = BatchNormalization(x, x, x, x, x)\ny = Neg(b)\noutput a\noutput y")
	n := m.Graphs()[0].First()
	n.LeaveOutFrom(1)
	expect(t, nodes(t, m), "a, b = BatchNormalization(x, x, x, x, x)", "y = Neg(b)")
	n.SetOutput(3, m.Graphs()[0].NewValue("b", shape.Type{}))
	expect(t, nodes(t, m), "a, b, _, b__1 = BatchNormalization(x, x, x, x, x)", "y = Neg(b)")
}

func TestDropAttributes(t *testing.T) {
	m := load(t, "input x f32[2,2]\ny = Gemm(x, x) alpha=2.0 transA=1\noutput y")
	n := m.Graphs()[0].First()
	if n.DropAttributes("beta") || !n.DropAttributes("alpha", "beta") {
		t.Error("only alpha is an attribute of the node")
	}
	n.SetOp("MatMul")
	expect(t, nodes(t, m), "y = MatMul(x, x) transA=1")
}

// TestDropBody drops one of two bodies, and the reads in it.
func TestDropBody(t *testing.T) {
	m := load(t, branches)
	n := m.Graphs()[0].first.next
	n.DropAttributes("then_branch")
	if a := named(t, m, "a"); len(n.Bodies()) != 1 || a.Uses() != 1 {
		t.Errorf("%d bodies, %d uses of a", len(n.Bodies()), a.Uses())
	}
	expect(t, nodes(t, m), "a = Relu(x)", "y = If(c) else_branch=kind(5)", "  e = Neg(a)")
}

// TestEnclose encloses a Scan in another one. Its body reads a value around both.
func TestEnclose(t *testing.T) {
	m := load(t, `
		input s f32[2,4]
		input w f32[4]
		graph b
		input a f32[4]
		c = Mul(a, w)
		output c f32[4]
		end
		n: y = Scan(s) body=@b num_scan_inputs=1
		output y f32[2,4]`)
	n := m.Graphs()[0].First()
	outer := n.Enclose("outer", "body", func(v *Value) shape.Type { return v.Type() }, graphops.IntAttribute("num_scan_inputs", 1))
	expect(t, nodes(t, m),
		"outer: y = Scan(s) body=kind(5) num_scan_inputs=1",
		"  n: y_item = Scan(s_item) body=kind(5) num_scan_inputs=1",
		"    c = Mul(a, w)")
	if g := n.Graph(); g.Holder() != outer || g.Inputs()[0].Name() != "s_item" || g.Outputs()[0].Producer() != n || len(m.Graphs()) != 3 {
		t.Error("the node is not in a body of the new one")
	}
	if problems := graphtest.Problems(m.Store()); len(problems) > 0 {
		t.Error(problems)
	}
}
