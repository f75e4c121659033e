package graphops_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// TestIndexOfNodes compares the numbers of each node's values with the names in the node.
func TestIndexOfNodes(t *testing.T) {
	g := graphtest.Model(t, `
		graph body
		z = Add(h, far)
		output z
		end
		a: h, _, i = Foo(x, , x)
		b: i = Bar(h)
		c: y, _ = If(h) then_branch=@body else_branch=@body
		d: = Sink(y)`).Graph()
	x := g.Index()
	names := func(list []graphops.ValueID) []string {
		out := make([]string, len(list))
		for i, v := range list {
			if v >= 0 {
				out[i] = x.Name(v)
			}
		}
		return out
	}
	for i, n := range g.Nodes() {
		for _, c := range []struct {
			what string
			want []string
			got  []graphops.ValueID
		}{{"inputs", n.Inputs(), x.Inputs(i)}, {"outputs", n.Outputs(), x.Outputs(i)}, {"captures", n.Captured(), x.Captures(i)}} {
			if want := append([]string{}, c.want...); !cmp.Equal(want, names(c.got)) {
				t.Errorf("%s of %s: %q, want %q", c.what, n.Name(), names(c.got), want)
			}
		}
	}
}

// TestOperators checks the numbers of few and of many different operators, and of overloads.
func TestOperators(t *testing.T) {
	for _, kinds := range []int{1, 3, 8, 9, 30} {
		var lines []string
		for i := range 4 * kinds {
			lines = append(lines, fmt.Sprintf("v%d = com.example%d::Op%d(x)", i, i%2, i*i%kinds))
		}
		g := graphtest.Model(t, strings.Join(lines, "\n")).Graph()
		x, seen := g.Index(), map[graphops.FunctionKey]bool{}
		for i, n := range g.Nodes() {
			if got := x.Operators()[x.Operator(i)]; got != n.Calls() {
				t.Fatalf("%d kinds: node %d calls %v, want %v", kinds, i, got, n.Calls())
			}
			if !seen[n.Calls()] && x.Operator(i) != len(seen) {
				t.Fatalf("%d kinds: the new operator of node %d has number %d, want %d", kinds, i, x.Operator(i), len(seen))
			}
			seen[n.Calls()] = true
		}
		if len(x.Operators()) != len(seen) {
			t.Errorf("%d kinds: %d operators, want %d", kinds, len(x.Operators()), len(seen))
		}
	}
}
