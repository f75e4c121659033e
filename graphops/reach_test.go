package graphops_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// reached lists what a part of a graph holds: nodes by name, values after them.
func reached(g *graphops.Graph, r graphops.Reach) string {
	var out []string
	for i, n := range g.Nodes() {
		if r.Nodes[i] {
			out = append(out, n.Name())
		}
	}
	out = append(out, "|")
	for v := range g.Index().Values() {
		if r.Values[v] {
			out = append(out, g.Index().Name(graphops.ValueID(v)))
		}
	}
	return strings.Join(out, " ")
}

// point finds a node by its name, or else a value.
func point(t *testing.T, g *graphops.Graph, name string) graphops.Point {
	t.Helper()
	for i, n := range g.Nodes() {
		if n.Name() == name {
			return graphops.NodePoint(i)
		}
	}
	v, ok := g.Index().Value(name)
	if !ok {
		t.Fatalf("no node or value %q", name)
	}
	return graphops.ValuePoint(v)
}

// twoWays has a body that captures a value, two ways from one end to the other,
// and a node that feeds nothing.
const twoWays = `
	input x f32[1]
	init w f32[1] 1
	graph body
	t = Relu(c)
	output t f32[1]
	end
	output out f32[1]
	A: a, a2 = Split(x)
	B: b = Add(a, w)
	C: c = Relu(a)
	D: d = Mul(b, a2)
	E: e = If(x) then_branch=@body else_branch=@body
	F: out = Concat(d, e)
	G: g = Relu(w)`

func TestReach(t *testing.T) {
	g := graphtest.Model(t, twoWays).Graph()
	x := g.Index()
	for _, c := range []struct{ of, up, down string }{
		{"A", "| x", "B C D E F | a a2 b c d e out"},
		{"C", "A | x a", "E F | c e out"},
		{"E", "A C | x a c", "F | e out"},
		{"F", "A B C D E | x w a a2 b c d e", "| out"},
		{"G", "| w", "| g"},
		{"x", "|", "A B C D E F | a a2 b c d e out"},
		{"w", "|", "B D F G | b d out g"},
		{"d", "A B D | x w a a2 b", "F | out"},
	} {
		p := point(t, g, c.of)
		if diff := cmp.Diff(c.up, reached(g, x.Ancestors(p))); diff != "" {
			t.Errorf("what %s depends on (-want +got):\n%s", c.of, diff)
		}
		if diff := cmp.Diff(c.down, reached(g, x.Descendants(p))); diff != "" {
			t.Errorf("what depends on %s (-want +got):\n%s", c.of, diff)
		}
	}
	if got := reached(g, x.Descendants(point(t, g, "b"), point(t, g, "c"))); got != "D E F | d e out" {
		t.Errorf("of two values: %s", got)
	}
	if got := reached(g, x.Descendants()); got != "|" {
		t.Errorf("of nothing: %s", got)
	}
}

func TestBetween(t *testing.T) {
	g := graphtest.Model(t, twoWays).Graph()
	for _, c := range []struct{ from, to, want string }{
		{"A", "F", "A B C D E F | a a2 b c d e"},
		{"a", "e", "C E | a c e"},
		{"C", "E", "C E | c"},
		{"E", "C", "|"},
		{"B", "E", "|"},
		{"D", "D", "D |"},
		{"w", "g", "G | w g"},
	} {
		got := reached(g, g.Index().Between([]graphops.Point{point(t, g, c.from)}, []graphops.Point{point(t, g, c.to)}))
		if got != c.want {
			t.Errorf("between %s and %s: %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

func TestPath(t *testing.T) {
	g := graphtest.Model(t, twoWays).Graph()
	for _, c := range []struct{ from, to, want string }{
		{"A", "F", "A a2 D d F"}, // shorter than over B
		{"x", "out", "x E e F out"},
		{"A", "E", "A a C c E"}, // into the body
		{"E", "A", "against: A a C c E"},
		{"a", "b", "a B b"},
		{"A", "a2", "A a2"},
		{"w", "x", ""},
		{"B", "B", "B"},
		{"G", "F", ""},
	} {
		p := g.Index().Path(point(t, g, c.from), point(t, g, c.to))
		var got []string
		if p.Against {
			got = append(got, "against:")
		}
		for _, q := range p.Points {
			if i, ok := q.Node(); ok {
				got = append(got, g.Nodes()[i].Name())
			} else if v, ok := q.Value(); ok {
				got = append(got, g.Index().Name(v))
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("from %s to %s: %s, want %s", c.from, c.to, s, c.want)
		}
	}
}

// hops tells for every two nodes how many values lie on a shortest way from
// the first to the second, 0 for none, by trying every node between them.
func hops(g *graphops.Graph) [][]int {
	n := len(g.Nodes())
	d := make([][]int, n)
	for i := range d {
		d[i] = make([]int, n)
		for j, to := range g.Nodes() {
			for _, out := range g.Nodes()[i].Outputs() {
				for _, in := range to.Inputs() {
					if in == out {
						d[i][j] = 1
					}
				}
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				if d[i][k] > 0 && d[k][j] > 0 && (d[i][j] == 0 || d[i][k]+d[k][j] < d[i][j]) {
					d[i][j] = d[i][k] + d[k][j]
				}
			}
		}
	}
	return d
}

// TestReachByTrying compares random graphs, cycles among them, with every way tried.
func TestReachByTrying(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		n := 1 + random.IntN(14)
		var lines []string
		for i := range n {
			var in []string
			for range random.IntN(3) {
				from := random.IntN(i + 2) // one more than there are before makes cycles
				if random.IntN(4) > 0 {
					from = random.IntN(max(i, 1))
				}
				in = append(in, fmt.Sprintf("v%d", min(from, n-1)))
			}
			lines = append(lines, fmt.Sprintf("n%d: v%d, u%d = Foo(%s)", i, i, i, strings.Join(in, ", ")))
		}
		text := strings.Join(lines, "\n")
		g := graphtest.Model(t, text).Graph()
		x, d := g.Index(), hops(g)
		for i := range n {
			up, down := x.Ancestors(graphops.NodePoint(i)), x.Descendants(graphops.NodePoint(i))
			for j := range n {
				if up.Nodes[j] != (d[j][i] > 0) || down.Nodes[j] != (d[i][j] > 0) {
					t.Fatalf("n%d and n%d: up %v, down %v; ways of %d and %d in\n%s", i, j, up.Nodes[j], down.Nodes[j], d[j][i], d[i][j], text)
				}
				if i == j {
					continue
				}
				p := x.Path(graphops.NodePoint(i), graphops.NodePoint(j))
				want, against := d[i][j], false
				if want == 0 {
					want, against = d[j][i], d[j][i] > 0
				}
				points := 2*want + 1
				if want == 0 {
					points = 0
				}
				if len(p.Points) != points || p.Against != against {
					t.Fatalf("from n%d to n%d: %v, against %v; ways of %d and %d in\n%s", i, j, p.Points, p.Against, d[i][j], d[j][i], text)
				}
			}
		}
	}
}

// ladder is n nodes, each reading the one before it and one long before.
func ladder(tb testing.TB, n int) *graphops.Graph {
	var b strings.Builder
	b.WriteString("v0 = Foo(x)\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "v%d = Foo(v%d, v%d)\n", i, i-1, max(0, i-40))
	}
	return graphtest.Model(tb, b.String()).Graph()
}

// TestReachOfALongChain shows that depth costs no stack.
func TestReachOfALongChain(t *testing.T) {
	const n = 20_000
	x := ladder(t, n).Index()
	count := 0
	for _, in := range x.Ancestors(graphops.NodePoint(n - 1)).Nodes {
		if in {
			count++
		}
	}
	if count != n-1 {
		t.Errorf("%d ancestors, want %d", count, n-1)
	}
	// Every node below 41 reads the first one, so the rest of 19999/40 is one hop.
	if p := x.Path(graphops.NodePoint(0), graphops.NodePoint(n-1)); len(p.Points) != 2*500+1 {
		t.Errorf("a way of %d points, want %d", len(p.Points), 2*500+1)
	}
}

func BenchmarkReach(b *testing.B) {
	const n = 200_000
	x := ladder(b, n).Index()
	first, last := graphops.NodePoint(0), graphops.NodePoint(n-1)
	x.Makes(0)
	for name, f := range map[string]func(){
		"ancestors":   func() { x.Ancestors(last) },
		"descendants": func() { x.Descendants(first) },
		"between":     func() { x.Between([]graphops.Point{first}, []graphops.Point{last}) },
		"path":        func() { x.Path(last, first) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
}
