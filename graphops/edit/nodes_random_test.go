package edit_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
)

// TestNodesAtRandom deletes, bypasses and inserts in random models, several times
// in a row, and holds the results against what the graphs mean.
func TestNodesAtRandom(t *testing.T) {
	done := map[string]int{}
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := randomModel(r)
		m := graphtest.Model(t, text)
		if problems := graphtest.Problems(m); len(problems) > 0 {
			t.Fatalf("seed %d: the model is not valid: %q\n%s", seed, problems, text)
		}
		for range 6 {
			next, what, want := randomEdit(t, r, m)
			if next == nil {
				done[what+" refused"]++
				continue
			}
			done[what]++
			if problems := graphtest.Problems(next); len(problems) > 0 {
				t.Fatalf("seed %d: %s: the result is not valid: %q\n%s\n\n%s", seed, what, problems, lines(m), lines(next))
			}
			got := meaning(next, nil)
			for name, v := range got {
				if want[name] != v {
					t.Fatalf("seed %d: %s: output %q means something else\n%s\n\n%s", seed, what, name, lines(m), lines(next))
				}
			}
			if what != "delete" && len(got) != len(want) {
				t.Fatalf("seed %d: %s: %d outputs, want %d", seed, what, len(got), len(want))
			}
			m = next
		}
	}
	for _, what := range []string{"delete", "bypass", "insert"} {
		if done[what] < 50 {
			t.Errorf("%s was done %d times, which tests little: %v", what, done[what], done)
		}
	}
}

// randomEdit edits somewhere. The model is nil where the edit is refused; want is
// what the outputs have to mean afterwards.
func randomEdit(t *testing.T, r *rand.Rand, m *graphops.Model) (next *graphops.Model, what string, want map[string]uint64) {
	t.Helper()
	places := slices.DeleteFunc(slices.Clone(m.Places()), func(p *graphops.Place) bool { return len(p.Graph.Nodes()) == 0 })
	if len(places) == 0 {
		return nil, "nothing", nil
	}
	p := places[r.IntN(len(places))]
	i := r.IntN(len(p.Graph.Nodes()))
	n := p.Graph.Nodes()[i]
	node := fmt.Sprintf("#%d", i)
	var err error
	switch r.IntN(3) {
	case 0:
		next, _, err = edit.Delete(m, p, edit.DeleteOptions{Nodes: []string{node}, Downstream: true, Unused: r.IntN(2) == 0})
		what, want = "delete", meaning(m, nil)
	case 1:
		o := edit.BypassOptions{Nodes: []string{node}, Unused: r.IntN(2) == 0}
		through := ""
		if inputs := slices.DeleteFunc(slices.Clone(n.Inputs()), func(s string) bool { return s == "" }); len(inputs) > 0 {
			through = inputs[r.IntN(len(inputs))]
			o.Through = []string{through}
		}
		next, _, err = edit.Bypass(t.Context(), m, p, o)
		what, want = "bypass", meaning(m, map[*graphops.Node]string{n: through})
	default:
		x := p.Graph.Index()
		o := edit.InsertOptions{On: []string{x.Name(graphops.ValueID(r.IntN(x.Values())))}, AtOutput: r.IntN(4) == 0}
		if r.IntN(2) == 0 {
			o.Before = []string{node}
		}
		next, _, err = edit.Insert(t.Context(), m, p, o)
		what, want = "insert", meaning(m, nil)
	}
	if err != nil {
		return nil, what, nil
	}
	return next, what, want
}

// meaning is what every output of the main graph is computed from, as a hash of
// the expression: names do not count, and an Identity is what it reads. A node in
// bypassed makes of each output the input that is named.
func meaning(m *graphops.Model, bypassed map[*graphops.Node]string) map[string]uint64 {
	c := calculus{functions: map[graphops.FunctionKey]*graphops.Graph{}, bypassed: bypassed}
	for _, f := range m.Functions() {
		c.functions[f.Key()] = f.Graph()
	}
	values := map[string]uint64{}
	for _, v := range m.Graph().Inputs() {
		values[v.Name()] = mix("input", v.Name())
	}
	out := map[string]uint64{}
	for i, v := range c.graph(m.Graph(), values) {
		out[m.Graph().Outputs()[i].Name()] = v
	}
	return out
}

type calculus struct {
	functions map[graphops.FunctionKey]*graphops.Graph
	bypassed  map[*graphops.Node]string
}

// graph calculates the outputs of a graph from the values that it can see.
func (c *calculus) graph(g *graphops.Graph, around map[string]uint64) []uint64 {
	values := map[string]uint64{"": 0}
	for name, v := range around {
		values[name] = v
	}
	for _, t := range g.Initializers() {
		values[t.Name()] = mix("initializer", t.Dims())
	}
	for _, n := range g.Nodes() {
		for i, o := range c.node(n, values) {
			values[n.Outputs()[i]] = o
		}
	}
	out := make([]uint64, len(g.Outputs()))
	for i, v := range g.Outputs() {
		out[i] = values[v.Name()]
	}
	return out
}

func (c *calculus) node(n *graphops.Node, values map[string]uint64) []uint64 {
	out := make([]uint64, len(n.Outputs()))
	args := make([]uint64, len(n.Inputs()))
	for i, name := range n.Inputs() {
		args[i] = values[name]
	}
	through, bypassed := c.bypassed[n]
	f := c.functions[n.Calls()]
	switch {
	case bypassed:
		args = []uint64{values[through]}
		fallthrough
	case n.OpType() == "Identity":
		for i := range out {
			out[i] = args[0]
		}
		return out
	case f != nil:
		formal := map[string]uint64{}
		for i, v := range f.Inputs() {
			formal[v.Name()] = args[i]
		}
		return c.graph(f, formal)
	}
	for _, g := range n.Graphs() {
		inner := map[string]uint64{}
		for name, v := range values {
			inner[name] = v
		}
		for i, v := range g.Inputs() {
			inner[v.Name()] = mix("round", i, args)
		}
		args = append(args, c.graph(g, inner)...)
	}
	for i := range out {
		out[i] = mix(n.OpType(), i, args)
	}
	return out
}

func mix(parts ...any) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, parts...)
	return h.Sum64()
}

// randomModel writes a model whose bodies and functions hold nodes of their own,
// read values from around them and pass values on as they are.
func randomModel(r *rand.Rand) string {
	w := &writer{r: r}
	fmt.Fprintf(&w.head, "ir %d\nopset 21\nopset local 1\ninput x f32[2]\ninput c bool[]\n", 3+r.IntN(8))
	for range r.IntN(3) {
		name := w.name()
		inputs := []string{w.name(), w.name()}
		body, visible := w.nodes(inputs, 1+r.IntN(4), 0)
		outputs := w.pick(visible[2:], 1+r.IntN(2))
		fmt.Fprintf(&w.head, "function local %s(%s) -> (%s)\n%send\n", name, strings.Join(inputs, ", "), strings.Join(outputs, ", "), body)
		w.functions = append(w.functions, function{name, len(outputs)})
	}
	var inits strings.Builder
	visible := []string{"x", "c"}
	for range r.IntN(3) {
		name := w.name()
		visible = append(visible, name)
		fmt.Fprintf(&inits, "init %s f32[%d]\n", name, 1+r.IntN(1000))
		if r.IntN(3) == 0 {
			fmt.Fprintf(&inits, "input %s f32[]\n", name)
		}
	}
	nodes, visible := w.nodes(visible, 3+r.IntN(8), 2)
	for _, name := range w.pick(visible, 1+r.IntN(3)) {
		fmt.Fprintf(&inits, "output %s f32[2]\n", name)
	}
	return w.head.String() + inits.String() + nodes
}

type writer struct {
	r         *rand.Rand
	head      strings.Builder // what stands before it is used: functions and bodies
	functions []function
	count     int
}

type function struct {
	name    string
	outputs int
}

func (w *writer) name() string {
	w.count++
	return fmt.Sprintf("v%d", w.count)
}

// pick chooses different names.
func (w *writer) pick(names []string, n int) []string {
	names = slices.Clone(names)
	w.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:min(n, len(names))]
}

// nodes writes nodes that read what is visible, and what is visible then.
func (w *writer) nodes(visible []string, n, depth int) (string, []string) {
	var b strings.Builder
	visible = slices.Clone(visible)
	for range n {
		inputs := []string{visible[w.r.IntN(len(visible))], visible[w.r.IntN(len(visible))]}
		made := []string{w.name()}
		op, attributes := "Add", ""
		switch k := w.r.IntN(10); {
		case k == 0:
			op, inputs = "Neg", inputs[:1]
		case k == 1:
			op, inputs = "Clip", []string{inputs[0], "", inputs[1]}
		case k == 2:
			op, made = "Split", append(made, w.name())
		case k == 3:
			op, inputs = "Identity", inputs[:1]
		case k < 6 && len(w.functions) > 0:
			f := w.functions[w.r.IntN(len(w.functions))]
			op = "local::" + f.name
			for len(made) < f.outputs {
				made = append(made, w.name())
			}
		case k < 9 && depth > 0:
			op, attributes = "Loop", fmt.Sprintf(" body=@%s other=@%s", w.body(visible, depth-1), w.body(visible, depth-1))
		}
		fmt.Fprintf(&b, "%s = %s(%s)%s\n", strings.Join(made, ", "), op, strings.Join(inputs, ", "), attributes)
		visible = append(visible, made...)
	}
	return b.String(), visible
}

// body writes a graph that a node may hold, and returns its name.
func (w *writer) body(around []string, depth int) string {
	input := w.name()
	nodes, visible := w.nodes(append(slices.Clone(around), input), 1+w.r.IntN(3), depth)
	name := w.name()
	fmt.Fprintf(&w.head, "graph %s\ninput %s f32[2]\n", name, input)
	for _, o := range w.pick(visible[len(around):], 1+w.r.IntN(2)) {
		fmt.Fprintf(&w.head, "output %s f32[2]\n", o)
	}
	w.head.WriteString(nodes + "end\n")
	return name
}
