package filter_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/filter"
	"lathe/graphops/graphtest"
)

// naive is an expression in writing, and what it means by the plainest code.
type naive struct {
	text string
	node func(i int) bool
}

// isMade reports whether a node computes a value.
func isMade(nodes []*graphops.Node, value string) bool {
	return slices.ContainsFunc(nodes, func(n *graphops.Node) bool { return slices.Contains(n.Outputs(), value) })
}

// writer makes random expressions over a graph.
type writer struct {
	*rand.Rand
	g *graphops.Graph
}

func pick[T any](w *writer, list ...T) T { return list[w.IntN(len(list))] }

// space is what may stand between two tests.
func (w *writer) space() string { return pick(w, " ", "  ", " AND ", "\t") }

func (w *writer) expr(depth int) naive {
	if depth == 0 {
		return w.leaf()
	}
	a := w.expr(depth - 1)
	switch w.IntN(6) {
	case 0:
		sign := pick(w, "-", "!", "NOT ")
		return naive{sign + "(" + a.text + ")", func(i int) bool { return !a.node(i) }}
	case 1:
		b := w.expr(depth - 1)
		between := pick(w, ")|(", ") OR (", ") | (")
		return naive{"((" + a.text + between + b.text + "))", func(i int) bool { return a.node(i) || b.node(i) }}
	case 2, 3:
		b := w.expr(depth - 1)
		return naive{"(" + a.text + w.space() + b.text + ")", func(i int) bool { return a.node(i) && b.node(i) }}
	default:
		return a
	}
}

// pattern is part of a name, perhaps with wildcards, and a regular expression
// that means the same.
func (w *writer) pattern(from string, part bool) (string, *regexp.Regexp) {
	lo := w.IntN(len(from))
	s := from[lo : lo+1+w.IntN(len(from)-lo)]
	if w.IntN(3) == 0 {
		s = strings.ToLower(s)
	}
	b := []byte(s)
	for range w.IntN(3) {
		b[w.IntN(len(b))] = pick(w, byte('*'), '?')
	}
	re := regexp.QuoteMeta(string(b))
	re = strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(re)
	if !part || strings.ContainsAny(string(b), "*?") {
		re = "^" + re + "$"
	}
	if strings.ToLower(string(b)) == string(b) {
		re = "(?i)" + re
	}
	return string(b), regexp.MustCompile(re)
}

func (w *writer) leaf() naive {
	nodes := w.g.Nodes()
	n := nodes[w.IntN(len(nodes))]
	switch w.IntN(9) {
	case 0:
		s, re := w.pattern(n.Name(), true)
		if strings.ContainsAny(s[:1], "-") {
			s, re = "n", regexp.MustCompile("(?i)n")
		}
		return naive{s, func(i int) bool {
			n := nodes[i]
			return re.MatchString(n.OpType()) || re.MatchString(n.Name()) || slices.ContainsFunc(n.Inputs(), func(s string) bool { return re.MatchString(s) && !isMade(nodes, s) }) || slices.ContainsFunc(n.Outputs(), re.MatchString)
		}}
	case 1:
		s, re := w.pattern(n.OpType(), false)
		return naive{"op:" + s, func(i int) bool { return re.MatchString(nodes[i].OpType()) }}
	case 2:
		s, re := w.pattern(n.Name(), true)
		return naive{"name:" + s + ",zzz", func(i int) bool { return re.MatchString(nodes[i].Name()) }}
	case 3:
		s, re := w.pattern(n.Outputs()[0]+"x", true)
		return naive{"input:" + s + ",0zz", func(i int) bool { return slices.ContainsFunc(nodes[i].Inputs(), re.MatchString) }}
	case 4:
		at := w.IntN(len(nodes))
		op := pick(w, "<", "<=", ">", ">=", "=", "!=")
		return naive{fmt.Sprintf("index%s%d", op, at), func(i int) bool { return compared(i, op, at) }}
	case 5:
		v := w.IntN(3)
		op := pick(w, "<", "<=", ">", ">=", "=", "!=")
		return naive{fmt.Sprintf("attr:axis%s%d", op, v), func(i int) bool {
			a, ok := nodes[i].Attribute("axis")
			return ok && compared(int(a.Int()), op, v)
		}}
	case 6:
		r := 1 + w.IntN(3)
		return naive{fmt.Sprintf("rank:%d..", r), func(i int) bool { return w.anyShape(i, func(s []string) bool { return len(s) >= r }) }}
	case 7:
		last := fmt.Sprint(1 + w.IntN(3))
		return naive{"shape:*x" + last, func(i int) bool {
			return w.anyShape(i, func(s []string) bool { return len(s) > 1 && s[len(s)-1] == last })
		}}
	default:
		at := w.IntN(len(nodes))
		return naive{"after:" + nodes[at].Name(), func(i int) bool { return i != at && w.dependsOn(i, at, map[int]bool{}) }}
	}
}

func compared(a int, op string, b int) bool {
	return map[string]bool{"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "=": a == b, "!=": a != b}[op]
}

// anyShape holds a test against the dimensions of each typed output.
func (w *writer) anyShape(i int, is func([]string) bool) bool {
	for _, o := range w.g.Nodes()[i].Outputs() {
		for _, v := range w.g.ValueInfo() {
			if v.Name() == o && v.Type().Shape != nil && is(strings.Split(v.Type().Shape.String(), "×")) {
				return true
			}
		}
	}
	return false
}

// dependsOn follows inputs back from one node to another.
func (w *writer) dependsOn(i, at int, seen map[int]bool) bool {
	if seen[i] {
		return false
	}
	seen[i] = true
	for j, n := range w.g.Nodes() {
		for _, o := range n.Outputs() {
			if slices.Contains(w.g.Nodes()[i].Inputs(), o) && (j == at || w.dependsOn(j, at, seen)) {
				return true
			}
		}
	}
	return false
}

// randomGraph has names in both cases, attributes and shapes.
func randomGraph(t *testing.T, random *rand.Rand) *graphops.Place {
	var b strings.Builder
	for i := range 3 + random.IntN(20) {
		var in []string
		for range random.IntN(3) {
			in = append(in, fmt.Sprintf("/Out.%d", random.IntN(i+1)))
		}
		if random.IntN(3) > 0 {
			dims := make([]string, 1+random.IntN(3))
			for k := range dims {
				dims[k] = []string{"1", "2", "3", "n"}[random.IntN(4)]
			}
			fmt.Fprintf(&b, "value /Out.%d f32[%s]\n", i, strings.Join(dims, ","))
		}
		op := []string{"Conv", "MatMul", "Add", "LayerNorm"}[random.IntN(4)]
		fmt.Fprintf(&b, "/L%d/%s%d: /Out.%d = %s(%s)", random.IntN(4), strings.ToLower(op), i, i, op, strings.Join(in, ", "))
		if random.IntN(2) == 0 {
			fmt.Fprintf(&b, " axis=%d", random.IntN(3))
		}
		b.WriteByte('\n')
	}
	return graphtest.Model(t, b.String()).Places()[0]
}

// TestNaive compares random filters over random graphs with their meaning.
func TestNaive(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	hits := 0
	for range 150 {
		p := randomGraph(t, random)
		f := filter.NewFacts(p, filter.Options{})
		w := &writer{random, p.Graph}
		for range 40 {
			e := w.expr(w.IntN(5))
			m, err := f.Compile(e.text)
			if err != nil {
				t.Fatalf("%s: %v", e.text, err)
			}
			var want []int32
			for i := range p.Graph.Nodes() {
				if e.node(i) {
					want = append(want, int32(i))
				}
			}
			got, err := m.All(context.Background())
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s: %v, want %v (%v) in\n%s", e.text, got, want, err, strings.Join(graphtest.Nodes(p.Graph), "\n"))
			}
			hits += len(want)
		}
	}
	if hits < 1000 {
		t.Errorf("the filters hold for %d nodes in all; they try nothing", hits)
	}
}
