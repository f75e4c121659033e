package rewrite

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

func load(t *testing.T, text string) *Model {
	t.Helper()
	m, err := Load(graphtest.Model(t, text))
	if err != nil {
		t.Fatal(err)
	}
	sound(t, m)
	return m
}

func sound(t *testing.T, m *Model) {
	t.Helper()
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
}

// nodes are those of the main graph as Store has them.
func nodes(t *testing.T, m *Model) []string {
	t.Helper()
	sound(t, m)
	return graphtest.Nodes(m.Store().Graph())
}

// named finds a value of the main graph.
func named(t *testing.T, m *Model, name string) *Value {
	t.Helper()
	for _, v := range m.Graphs()[0].Values() {
		if v.Name() == name {
			return v
		}
	}
	t.Fatalf("no value %q", name)
	return nil
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const branches = `
	input x f32[batch,2]
	input c bool[]
	init w f32[2] 1 2
	init spare f32[1] 1
	a = Relu(x)
	graph then
	k = Constant() value={f32[] 3}
	p = Mul(a, k)
	t = Add(p, w)
	output t f32
	end
	graph else
	e = Neg(a)
	output e f32
	end
	y = If(c) then_branch=@then else_branch=@else
	output y f32[batch,2]`

func TestConstantsAndCaptures(t *testing.T) {
	m := load(t, branches)
	main := m.Graphs()[0]
	if got := len(m.Graphs()); got != 3 {
		t.Fatalf("%d graphs, want 3", got)
	}
	a, w := named(t, m, "a"), named(t, m, "w")
	if a.Uses() != 2 || len(a.Readers()) != 2 || a.Reader() != nil {
		t.Errorf("a is used %d times, by %d nodes", a.Uses(), len(a.Readers()))
	}
	if r := w.Reader(); r == nil || r.Op() != "Add" || r.Graph().Holder().Op() != "If" {
		t.Error("w is read by the Add of a branch alone")
	}
	if list := main.Constants(); len(list) != 1 || list[0] != w {
		t.Errorf("constants that are used: %d, want w alone", len(list))
	}
	if got := m.Count(); got != 5 {
		t.Errorf("%d nodes, want 5: a Constant is none", got)
	}
	stored := m.Store()
	if got := graphtest.Initializers(stored.Graph()); len(got) != 1 {
		t.Errorf("stored initializers %q", got)
	}
	body := stored.Graph().Nodes()[1].Graphs()[0]
	if got := graphtest.Initializers(body); len(got) != 1 || !strings.Contains(got[0], "k") {
		t.Errorf("initializers of the branch: %q", got)
	}
}

func TestReplaceWith(t *testing.T) {
	t.Run("in bodies", func(t *testing.T) {
		m := load(t, branches)
		a, x := named(t, m, "a"), named(t, m, "x")
		if !a.ReplaceWith(x) {
			t.Fatal("not replaced")
		}
		if got := m.Sweep(); got != 1 {
			t.Errorf("%d nodes went, want 1", got)
		}
		if got := strings.Join(nodes(t, m), "\n"); !strings.Contains(got, "p = Mul(x, k)") || !strings.Contains(got, "e = Neg(x)") {
			t.Error(got)
		}
	})
	t.Run("by a value of a body", func(t *testing.T) {
		m := load(t, branches)
		inner := m.Graphs()[1].first.Out(0)
		if named(t, m, "a").ReplaceWith(inner) {
			t.Error("a value of a branch cannot be read around it")
		}
	})
	t.Run("an output keeps its name", func(t *testing.T) {
		m := load(t, "input x f32[2]\na = Relu(x)\ny = Neg(a)\nz = Abs(a)\noutput y f32[2]\noutput z f32[2]")
		y, a, z := named(t, m, "y"), named(t, m, "a"), named(t, m, "z")
		if y.ReplaceWith(named(t, m, "x")) || y.ReplaceWith(z) {
			t.Error("an input or another output took the place of an output")
		}
		if !y.ReplaceWith(a) {
			t.Fatal("not replaced")
		}
		m.Sweep()
		expect(t, nodes(t, m), "y = Relu(x)", "z = Abs(y)")
	})
}

// TestShadowed has a branch that calls a value of its own like one around it, which no
// standard allows and some runtimes take.
func TestShadowed(t *testing.T) {
	m := load(t, strings.ReplaceAll(branches, "e = Neg(a)", "w = Neg(a)\ne = Add(w, a)"))
	if got := strings.Join(nodes(t, m), "\n"); !strings.Contains(got, "w = Neg(a)") {
		t.Errorf("another name without need: %s", got)
	}
	if !named(t, m, "a").ReplaceWith(named(t, m, "w")) {
		t.Fatal("not replaced")
	}
	if got := strings.Join(nodes(t, m), "\n"); !strings.Contains(got, "w__1 = Neg(w)") || !strings.Contains(got, "e = Add(w__1, w)") {
		t.Error(got)
	}
}

// TestOutputsOfBodies has a body whose output takes over another value.
func TestOutputsOfBodies(t *testing.T) {
	m := load(t, strings.ReplaceAll(branches, "e = Neg(a)", "d = Neg(a)\ne = Identity(d)"))
	e := m.Graphs()[2].Outputs()[0]
	if !e.ReplaceWith(e.Producer().In(0)) || m.Sweep() != 1 {
		t.Fatal("the Identity stays")
	}
	if got := strings.Join(nodes(t, m), "\n"); !strings.Contains(got, "e = Neg(a)") {
		t.Errorf("the output has lost its name: %s", got)
	}
}

func TestInsert(t *testing.T) {
	m := load(t, "input x f32[2]\n/l/Relu_1: a = Relu(x)\nfc: y = Neg(a)\noutput y f32[2]")
	g := m.Graphs()[0]
	relu := g.first
	n := g.Insert(relu, Spec{Op: "Abs", Inputs: []*Value{relu.In(0)}, Types: []shape.Type{relu.In(0).Type()}, For: []*Node{relu}})
	if !relu.Out(0).ReplaceWith(n.Out(0)) {
		t.Fatal("not replaced")
	}
	relu.Remove()
	expect(t, nodes(t, m), "/l/Abs: a_Abs = Abs(x)", "fc: y = Neg(a_Abs)")
	if got := m.Touched().List(); len(got) != 2 || got[0].Node != 0 || got[1].Node != 1 {
		t.Errorf("touched %v, want both nodes", got)
	}
	if got := m.Touched().List(); len(got) != 0 {
		t.Errorf("touched %v since", got)
	}
}

func TestBecome(t *testing.T) {
	m := load(t, "input x f32[2]\na = Shape(x)\ny = Cast(a) to=1\nz = Add(x, y)\noutput z f32[2]\noutput a i64[1]")
	two := graphtest.Model(t, "init two i64[1] 2\ninput x f32[1]\ny = Relu(x)\noutput y f32[1]").Graph().Initializers()[0]
	if !named(t, m, "a").Become(two) {
		t.Fatal("did not become a constant")
	}
	if got := m.Sweep(); got != 1 {
		t.Errorf("%d nodes went, want 1", got)
	}
	expect(t, nodes(t, m), "y = Cast(a) to=1", "z = Add(x, y)")
	expect(t, graphtest.Initializers(m.Store().Graph()), "a i64[1]")
}

func TestInfer(t *testing.T) {
	m := load(t, "input x f32[batch,4]\ns = Shape(x)\ni = Constant() value_int=1\ng = Gather(s, i)\ny = ConstantOfShape(s)\noutput y f32\noutput g i64[]")
	if err := m.Infer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := named(t, m, "y").Type().String(); got != "f32 batch×4" {
		t.Errorf("y is %s", got)
	}
	if got, ok := named(t, m, "g").Ints(); !ok || !slices.Equal(got, []int64{4}) {
		t.Errorf("g is %v", got)
	}
	if got, ok := named(t, m, "s").Ints(); ok {
		t.Errorf("s is %v, which depends on the batch", got)
	}
}

// TestInitializersAsInputs has inputs with a constant: from IR version 4 on the caller
// can replace it, before every initializer had to be one.
func TestInitializersAsInputs(t *testing.T) {
	const text = "input x f32[2]\ninput w f32[2]\ninit w f32[2] 1 2\nk = Constant() value={f32[] 3}\na = Mul(x, w)\ny = Mul(a, k)\noutput y f32[2]"
	for ir, constant := range map[string]bool{"ir 3\n": true, "ir 8\n": false} {
		m := load(t, ir+text)
		w := named(t, m, "w")
		if got := w.Constant() != nil; got != constant {
			t.Errorf("%s: w is a constant: %v", ir, got)
		}
		named(t, m, "a").ReplaceWith(named(t, m, "x"))
		m.Sweep()
		sound(t, m)
		var inputs []string
		for _, v := range m.Store().Graph().Inputs() {
			inputs = append(inputs, v.Name())
		}
		want := []string{"x", "w"}
		if constant {
			want = []string{"x", "k"}
		}
		expect(t, inputs, want...)
	}
}

func TestFunctions(t *testing.T) {
	m := load(t, `
		opset local 1
		input x f32[2]
		function local Scale(a) -> (b)
		k = Constant() value={f32[] 3}
		u = Identity(a)
		b = Mul(u, k)
		end
		y = local::Scale(x)
		output y f32[2]`)
	f := m.Graphs()[1]
	u := f.first.Out(0)
	if !u.ReplaceWith(f.Inputs()[0]) || m.Sweep() != 1 {
		t.Fatal("the Identity of the function stays")
	}
	sound(t, m)
	expect(t, graphtest.Nodes(m.Store().Functions()[0].Graph()), "k = Constant() value=kind(4)", "b = Mul(a, k)")
	if m.Graphs()[0].first.Is("Scale") {
		t.Error("a call is taken for an operator")
	}
}

func TestRefused(t *testing.T) {
	for want, text := range map[string]string{
		`value "y" is defined twice`: "input x f32[1]\ny = Relu(x)\ny = Neg(x)\noutput y f32[1]",
		`value "gone" is read but`:   "input x f32[1]\ny = Add(x, gone)\noutput y f32[1]",
		`value "z" is read but`:      "input x f32[1]\ny = Relu(x)\noutput z f32[1]",
		`node`:                       "input x f32[1]\na = Add(x, b)\nb = Relu(a)\noutput b f32[1]",
	} {
		if _, err := Load(graphtest.Model(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// TestUnsorted has nodes that stand before what they read.
func TestUnsorted(t *testing.T) {
	m := load(t, "input x f32[1]\ny = Neg(a)\na = Relu(x)\noutput y f32[1]")
	expect(t, nodes(t, m), "a = Relu(x)", "y = Neg(a)")
}
