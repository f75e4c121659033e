package diff_test

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// nested is a model of a body, with a function that is called twice.
const nested = `input x f32[2]
input c bool[]
graph then
a = Exp(x)
b = Relu(a)
output b f32[2]
end
graph else
d = Neg(h)
output d f32[2]
end
function local Double(a) -> (b)
t = Abs(a)
b = Add(t, t)
end
opset local 1
h = local::Double(x)
i = If(c) then_branch=@then else_branch=@else
y = local::Double(i)
output y f32[2]
`

// TestPlaces changes what stands in bodies and functions, names and order kept or not.
func TestPlaces(t *testing.T) {
	m := graphtest.Model(t, nested)
	for _, c := range []struct{ name, old, new, want string }{
		{"nothing", "", "", ""},
		{"an operator in a body", "b = Relu(a)", "b = Elu(a)", "op=1"},
		{"an edge of a body", "b = Relu(a)", "b = Relu(x)", "input=1"},
		{"what a body takes from outside", "d = Neg(h)", "d = Neg(x)", "input=1"},
		{"an operator in a function", "t = Abs(a)", "t = Neg(a)", "op=1"},
		{"an edge of a function", "b = Add(t, t)", "b = Add(t, a)", "input=1"},
		{"names in a function", "t = Abs(a)\nb = Add(t, t)", "u = Abs(a)\nb = Add(u, u)", ""},
		{"the name of a function", "Double", "Twice", ""},
		{"the condition", "If(c)", "If(k)", "input=1 weight=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := nested
			if c.old != "" {
				text = strings.ReplaceAll(nested, c.old, c.new)
			}
			if c.name == "the condition" {
				text = strings.Replace(text, "opset local 1\n", "opset local 1\ninit k bool[] 1\n", 1)
			}
			other := graphtest.Model(t, text)
			for _, b := range []*graphops.Model{other, disguised(other, 5)} {
				d := compare(t, m, b)
				if got := tally(d); sortedWords(strings.Fields(got)) != sortedWords(strings.Fields(c.want)) {
					t.Errorf("told %q, want %q:%s", got, c.want, summary(d))
				}
				if c.name == "the name of a function" && d.Renamed.Functions != 1 {
					t.Errorf("%d functions renamed", d.Renamed.Functions)
				}
			}
		})
	}
}

// TestRows aligns two models: A in its order, what is new where it belongs, behind
// what is gone.
func TestRows(t *testing.T) {
	a := inOut(t, "init w f32[2] 1 2\na: p = Exp(x)\nb: q = Relu(p)\nc: r = Mul(q, w)\nd: s = Log(r)\ne: y = Neg(s)")
	b := inOut(t, "k: w = Constant() value={f32[2] 1 2}\na: p = Exp(x)\nn: u = Floor(p)\nm: v = Ceil(u)\nc: r = Mul(v, w)\ne: s = Neg(r)\nf: y = Sin(s)")
	d := compare(t, a, b)
	var got []string
	for _, r := range d.Places[0].Rows {
		line := "-"
		if r.A >= 0 {
			line = a.Graph().Nodes()[r.A].Name()
		}
		line += " "
		if r.B >= 0 {
			line += b.Graph().Nodes()[r.B].Name()
		} else {
			line += "-"
		}
		if r.Change >= 0 {
			line += " changed"
			if d.Places[0].Changed[r.Change].A != r.A {
				t.Errorf("row %v points to another change", r)
			}
		}
		got = append(got, line)
	}
	want := []string{"a a", "b -", "- n", "- m", "- k", "c c changed", "d -", "e e changed", "- f"}
	if !slices.Equal(got, want) {
		t.Errorf("rows are\n%s\nwant\n%s:%s", strings.Join(got, "\n"), strings.Join(want, "\n"), summary(d))
	}
}

// TestRowsHoldAll aligns models of the corpus with what became of them: every node of
// both stands in one row.
func TestRowsHoldAll(t *testing.T) {
	for name, m := range corpus(t) {
		if len(m.Graph().Nodes()) > sampled {
			continue
		}
		for k, kind := range planted {
			other, ok := kind.plant(m.WithoutOverruled(), newRand(uint64(k)))
			if !ok {
				continue
			}
			d := compare(t, m, disguised(other, 2))
			for _, p := range d.Places {
				if p.A == nil || p.B == nil {
					continue
				}
				as, bs := make([]int, len(p.A.Graph.Nodes())), make([]int, len(p.B.Graph.Nodes()))
				last := -1
				for _, r := range p.Rows {
					if r.A >= 0 {
						as[r.A]++
						if r.A < last {
							t.Fatalf("%s, %s: rows leave the order of A", name, kind.name)
						}
						last = r.A
					}
					if r.B >= 0 {
						bs[r.B]++
					}
				}
				if slices.ContainsFunc(append(as, bs...), func(n int) bool { return n != 1 }) {
					t.Errorf("%s, %s: a node stands in no row, or in two", name, kind.name)
				}
			}
		}
	}
}
