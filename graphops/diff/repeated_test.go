package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// layers is a model of n equal transformer layers, the weights of which are equal, or
// other ones in every layer.
func layers(t testing.TB, n int, equalWeights bool) *graphops.Model {
	var b strings.Builder
	b.WriteString("input h0 f32[batch,4,8]\n")
	for l := range n {
		x := fmt.Sprintf("l%d_", l)
		for k, w := range []string{"q", "k", "v", "o"} {
			value := 1.0
			if !equalWeights {
				value = float64(l*10 + k)
			}
			fmt.Fprintf(&b, "init %sw%s f32[8,8] %g\n", x, w, value)
		}
		line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
		line("%[1]sq: %[1]sq = MatMul(h%[2]d, %[1]swq)", x, l)
		line("%[1]sk: %[1]sk = MatMul(h%[2]d, %[1]swk)", x, l)
		line("%[1]sv: %[1]sv = MatMul(h%[2]d, %[1]swv)", x, l)
		line("%[1]skt: %[1]skt = Transpose(%[1]sk) perm=[0,2,1]", x)
		line("%[1]sqk: %[1]sqk = MatMul(%[1]sq, %[1]skt)", x)
		line("%[1]ss: %[1]ss = Softmax(%[1]sqk) axis=2", x)
		line("%[1]sa: %[1]sa = MatMul(%[1]ss, %[1]sv)", x)
		line("%[1]so: %[1]so = MatMul(%[1]sa, %[1]swo)", x)
		line("%[1]sr: h%[3]d = Add(%[1]so, h%[2]d)", x, l, l+1)
	}
	fmt.Fprintf(&b, "output h%d f32[batch,4,8]\n", n)
	return graphtest.Model(t, b.String())
}

// TestRepeated plants changes in models that consist of equal parts.
func TestRepeated(t *testing.T) {
	for name, m := range map[string]*graphops.Model{
		"layers of equal weights": layers(t, 12, true),
		"layers":                  layers(t, 12, false),
		"chain":                   chain(t, 150),
		"branches":                branches(t),
	} {
		for seed := range uint64(2) {
			checkPlanted(t, name, m, seed)
		}
	}
}

// branches is a model of equal branches that meet, some of them where the order of
// operands does not matter, and of equal nodes that nothing reads.
func branches(t testing.TB) *graphops.Model {
	var b strings.Builder
	b.WriteString("input x f32[4,4]\ninit w f32[4,4] 1\n")
	var ends []string
	for i := range 16 {
		fmt.Fprintf(&b, "a%[1]d = MatMul(x, w)\nb%[1]d = Relu(a%[1]d)\nc%[1]d = Elu(b%[1]d) alpha=0.5\n", i)
		ends = append(ends, fmt.Sprintf("c%d", i))
	}
	for k := 0; len(ends) > 1; k++ {
		fmt.Fprintf(&b, "s%d = Add(%s, %s)\n", k, ends[0], ends[1])
		ends = append(ends[2:], fmt.Sprintf("s%d", k))
	}
	fmt.Fprintf(&b, "d0 = Sigmoid(x)\nd1 = Sigmoid(x)\nd2 = Exp(d0)\nd3 = Exp(d1)\ny = Identity(%s)\noutput y f32[4,4]\n", ends[0])
	return graphtest.Model(t, b.String())
}

// TestSeveral plants changes in several layers at once: each is told, and no more.
func TestSeveral(t *testing.T) {
	for _, equalWeights := range []bool{true, false} {
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 9))
			m := layers(t, 12, equalWeights)
			nodes := slices.Clone(m.Graph().Nodes())
			changed := edited(m, m.Places()[0], func(e *graphops.GraphEditor) {
				for _, l := range rng.Perm(12)[:3] {
					for i, n := range nodes {
						switch n.Name() {
						case fmt.Sprintf("l%d_s", l):
							e.Nodes[i] = n.WithAttributes([]*graphops.Attribute{graphops.IntAttribute("axis", 1)})
						case fmt.Sprintf("l%d_kt", l):
							e.Nodes[i] = n.WithAttributes([]*graphops.Attribute{graphops.IntsAttribute("perm", []int64{1, 0, 2})})
						}
					}
				}
			})
			d := compare(t, m, disguised(changed, seed))
			if got := tally(d); got != "attribute=6" {
				t.Errorf("weights equal %v, seed %d: told %q:%s", equalWeights, seed, got, summary(d))
			}
		}
	}
}

// TestLayerLessAndMore takes a whole layer out, and compares both ways.
func TestLayerLessAndMore(t *testing.T) {
	for _, equalWeights := range []bool{true, false} {
		// Of equal layers any may be the one that is gone; it is the last then.
		want := "weight=4 follows=4 removed=9"
		if equalWeights {
			want = "weight=4 io follows=1 removed=9"
		}
		m := layers(t, 12, equalWeights)
		less := edited(m, m.Places()[0], func(e *graphops.GraphEditor) {
			*e = *graphops.EditGraph(m.Graph())
			e.Nodes = slices.DeleteFunc(e.Nodes, func(n *graphops.Node) bool { return strings.HasPrefix(n.Name(), "l5_") })
			for i, n := range e.Nodes {
				e.Nodes[i] = n.Renamed(map[string]string{"h6": "h5"})
			}
			e.Initializers = slices.DeleteFunc(e.Initializers, func(w *graphops.Tensor) bool { return strings.HasPrefix(w.Name(), "l5_") })
		})
		got := tally(compare(t, m, disguised(less, 3)))
		if got != want {
			t.Errorf("weights equal %v: one layer less is told as %q", equalWeights, got)
		}
		back := tally(compare(t, disguised(less, 3), m))
		if back != mirrored(got) {
			t.Errorf("weights equal %v: one layer more is told as %q", equalWeights, back)
		}
	}
}

// TestBetween puts a node into every edge, as quantization does: by their names all
// nodes are still who they are, and what is new is all that is new.
func TestBetween(t *testing.T) {
	m := layers(t, 12, false)
	count := 0
	between := edited(m, m.Places()[0], func(e *graphops.GraphEditor) {
		var nodes []*graphops.Node
		for _, n := range e.Nodes {
			inputs := slices.Clone(n.Inputs())
			for k, in := range inputs {
				count++
				inputs[k] = fmt.Sprintf("between%d", count)
				nodes = append(nodes, graphops.NewNode(graphops.NodeSpec{Op: "Sinh", Inputs: []string{in}, Outputs: inputs[k : k+1]}))
			}
			nodes = append(nodes, n.WithInputs(inputs))
		}
		e.Nodes = nodes
	})
	d := compare(t, m, between)
	if want := fmt.Sprintf("added=%d follows=%d", count, count); tally(d) != want {
		t.Errorf("told %q, want %q:%s", tally(d), want, summary(d))
	}
	for _, v := range d.Places[0].Values {
		if a, b := m.Graph().Index().Name(v.A), between.Graph().Index().Name(v.B); a != b {
			t.Errorf("value %q is taken for %q", b, a)
		}
	}
}

// TestWide compares nodes of very many inputs, and values of very many readers.
func TestWide(t *testing.T) {
	var b strings.Builder
	b.WriteString("input x f32[4]\n")
	var names []string
	for i := range 20_000 {
		names = append(names, fmt.Sprintf("a%d", i))
		fmt.Fprintf(&b, "a%d = LeakyRelu(x) alpha=%g\n", i, 0.01*float64(i%50))
	}
	fmt.Fprintf(&b, "y = Concat(%s) axis=0\noutput y f32[n]\n", strings.Join(names, ", "))
	m := graphtest.Model(t, b.String())
	changed := edited(m, m.Places()[0], func(e *graphops.GraphEditor) {
		for _, i := range []int{7, 17_000} {
			e.Nodes[i] = e.Nodes[i].WithAttributes([]*graphops.Attribute{graphops.FloatAttribute("alpha", 0.7)})
		}
	})
	if got := tally(compare(t, m, disguised(changed, 1))); got != "attribute=2" {
		t.Errorf("told %q", got)
	}
}
