package graphops_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// value tells what an index knows of a value.
func value(x *graphops.Index, name string) string {
	id, ok := x.Value(name)
	if !ok {
		return "unknown"
	}
	parts := []string{fmt.Sprintf("made by %d, read by %v", x.Producer(id), x.Readers(id))}
	for _, is := range []struct {
		what string
		is   bool
	}{{"input", x.IsInput(id)}, {"output", x.IsOutput(id)}, {"initializer", x.IsInitializer(id)}, {"undefined", !x.IsDefined(id)}} {
		if is.is {
			parts = append(parts, is.what)
		}
	}
	if t := x.Type(id); t.Kind != graphops.TypeUnknown {
		parts = append(parts, t.String()+" "+t.Shape.String())
	}
	return strings.Join(parts, ", ")
}

func TestIndex(t *testing.T) {
	g := graphtest.Model(t, `
		input x f32[n,4]
		input w f32[?,4]
		output y i64[n]
		output x f32[n,4]
		value h f32[n,?]
		value x f64[9]
		init w f32[2,4] 1
		init alone f16[3] 1
		sparse few f32[8] 3 at 1
		graph body
		input inner f32[2]
		z = Add(inner, h)
		zz = Mul(z, w)
		output zz
		end
		a: h, _ = Foo(x, , x, few)
		b: k = Bar(h, gone)
		c: y = If(k) then_branch=@body else_branch=@body`).Graph()
	x := g.Index()
	want := map[string]string{
		"x":     "made by -1, read by [0 0], input, output, f32 n×4",
		"w":     "made by -1, read by [2], input, initializer, f32 ?×4",
		"few":   "made by -1, read by [0], initializer",
		"alone": "made by -1, read by [], initializer, f16 3",
		"h":     "made by 0, read by [1 2], f32 n×?",
		"k":     "made by 1, read by [2]",
		"y":     "made by 2, read by [], output, i64 n",
		"gone":  "made by -1, read by [1], undefined",
		"inner": "unknown", "z": "unknown", "": "unknown", "nope": "unknown",
	}
	got := map[string]string{}
	for name := range want {
		got[name] = value(x, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if x.Values() != 8 || len(x.Duplicates) != 0 || g.Index() != x {
		t.Errorf("%d values, duplicates %q, the same index again: %v", x.Values(), x.Duplicates, g.Index() == x)
	}
	for i := range x.Values() {
		if id, ok := x.Value(x.Name(graphops.ValueID(i))); !ok || int(id) != i {
			t.Errorf("value %d is named %q, which is %d", i, x.Name(graphops.ValueID(i)), id)
		}
	}
	if id, _ := x.Value("few"); x.Initializer(id) != nil {
		t.Error("a sparse initializer has a dense tensor")
	}
}

// TestIndexOfInvalidGraphs indexes what no runtime would take.
func TestIndexOfInvalidGraphs(t *testing.T) {
	x := graphtest.Model(t, `
		a, a = Foo(x)
		b = Foo(a)
		b = Bar(a)
		init b f32[1] 1
		init b f32[2] 1
		self = Foo(self)`).Graph().Index()
	if diff := cmp.Diff([]string{"a", "b", "b"}, x.Duplicates); diff != "" {
		t.Errorf("duplicates (-want +got):\n%s", diff)
	}
	want := map[string]string{
		"a":    "made by 0, read by [1 2]",
		"b":    "made by 1, read by [], initializer, f32 2",
		"self": "made by 3, read by [3]",
		"x":    "made by -1, read by [0], undefined",
	}
	for name, w := range want {
		if got := value(x, name); got != w {
			t.Errorf("%q: %s, want %s", name, got, w)
		}
	}
}

// TestIndexByCounting compares the readers of random graphs with a plain count.
func TestIndexByCounting(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		var lines []string
		readers := map[string][]int32{}
		producer := map[string]int{}
		nodes := 1 + random.IntN(30)
		for i := range nodes {
			var in []string
			for range random.IntN(4) {
				name := fmt.Sprintf("v%d", random.IntN(nodes+3))
				in = append(in, name)
				readers[name] = append(readers[name], int32(i))
			}
			out := fmt.Sprintf("v%d", i)
			producer[out] = i
			lines = append(lines, fmt.Sprintf("%s = Foo(%s)", out, strings.Join(in, ", ")))
		}
		x := graphtest.Model(t, strings.Join(lines, "\n")).Graph().Index()
		for id := range x.Values() {
			v := graphops.ValueID(id)
			name := x.Name(v)
			made, ok := producer[name]
			if !ok {
				made = -1
			}
			if !slices.Equal(x.Readers(v), readers[name]) || x.Producer(v) != made {
				t.Fatalf("%s in\n%s\nmade by %d, read by %v; want %d, %v", name, strings.Join(lines, "\n"), x.Producer(v), x.Readers(v), made, readers[name])
			}
		}
	}
}

func TestCaptured(t *testing.T) {
	g := graphtest.Model(t, `
		graph deep
		init mine f32[1] 1
		p = Add(outer, shadowed)
		q = Add(p, mine)
		output farther
		end
		graph middle
		input shadowed f32[1]
		farther = Relu(far)
		r = If(c) then_branch=@deep else_branch=@deep
		output r
		end
		node: y = If(c) then_branch=@middle else_branch=@deep
		plain: z = Relu(outer)`).Graph()
	want := []string{"far", "c", "outer", "shadowed", "farther"} // the else branch sees no outer farther
	if diff := cmp.Diff(want, g.Nodes()[0].Captured()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := g.Nodes()[1].Captured(); got != nil {
		t.Errorf("a node without bodies captures %q", got)
	}
	if diff := cmp.Diff([]string{"far", "c", "outer"}, g.Nodes()[0].Graphs()[0].Captured()); diff != "" {
		t.Errorf("the middle body (-want +got):\n%s", diff)
	}
}

func TestWalks(t *testing.T) {
	m := graphtest.Model(t, `
		init w f32[1] 1
		sparse s f32[8] 3 at 1
		graph inner
		init v f32[1] 1
		k = Constant() value={f32[1] 1}
		output k
		end
		graph outer
		a = If(c) then_branch=@inner else_branch=@inner
		output a
		end
		function local F(x) -> (y)
		y = If(x) then_branch=@inner else_branch=@inner
		end
		top = If(c) then_branch=@outer else_branch=@inner
		lit = Constant() value={f32[2] 1 2}`)
	var graphs, nodes, tensors []string
	for g := range m.Graphs() {
		graphs = append(graphs, g.Name())
	}
	for n := range m.AllNodes() {
		nodes = append(nodes, n.Outputs()[0])
	}
	for x := range m.Tensors() {
		tensors = append(tensors, fmt.Sprintf("%s%v", x.Name(), x.Dims()))
	}
	if diff := cmp.Diff([]string{"g", "outer", "inner", "inner", "inner", "", "inner", "inner"}, graphs); diff != "" {
		t.Errorf("graphs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"top", "lit", "a", "k", "k", "k", "y", "k", "k"}, nodes); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	want := []string{
		"w[1]", "s[1]", "[1]", "v[1]", "v[1]", "v[1]", "v[1]", "v[1]", // initializers: main graph, three bodies, two in the function
		"[2]", "[1]", "[1]", "[1]", "[1]", "[1]", // values of Constant nodes
	}
	if diff := cmp.Diff(want, tensors); diff != "" {
		t.Errorf("tensors (-want +got):\n%s", diff)
	}
	for range m.Graphs() { // every walk can be left
		break
	}
	for range m.AllNodes() {
		break
	}
	for range m.Tensors() {
		break
	}
}
