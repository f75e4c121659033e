package graphops_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/graphtest"
)

func TestOrder(t *testing.T) {
	tests := []struct {
		name, text string
		want       []int
	}{
		{"in order", "a = A(x)\nb = B(a)\nc = C(x)\nd = D(b, c)", []int{0, 1, 2, 3}},
		{"reversed", "d = D(b, c)\nc = C(x)\nb = B(a)\na = A(x)", []int{3, 2, 1, 0}},
		{"only what must moves", "a = A(x)\nc = C(b)\nb = B(a)\nd = D(x)", []int{0, 2, 1, 3}},
		{"the same value twice", "b = B(a, a)\na = A(x)", []int{1, 0}},
		{"absent inputs and outputs", "b = B(, a)\n_, a = A(x, )", []int{1, 0}},
		{"a captured value", "graph body\nz = Z(a)\noutput z\nend\nb = If(x) then_branch=@body\na = A(x)", []int{1, 0}},
		{"values from nowhere", "a = A(gone)", []int{0}},
		{"no nodes", "input x", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := graphtest.Model(t, tt.text).Graph().Order()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOrdered(t *testing.T) {
	sorted := graphtest.Model(t, "input x f32[2]\na = Abs(x)\ny = Neg(a)\noutput y f32[2]")
	if m, err := sorted.Ordered(); err != nil || m != sorted {
		t.Errorf("a model in order becomes another one, error %v", err)
	}
	m, err := graphtest.Model(t, `
		input c bool[]
		input x f32[2]
		graph body
		z = Neg(w)
		w = Abs(a)
		output z f32[2]
		end
		y = If(c) then_branch=@body else_branch=@body
		a = Exp(x)
		output y f32[2]
	`).Ordered()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Places() {
		if order, err := p.Graph.Order(); err != nil || !slices.IsSorted(order) {
			t.Errorf("the nodes of %q have the order %v, error %v", p, order, err)
		}
	}
	if ops := m.Graph().Nodes()[0].OpType() + m.Graph().Nodes()[1].Graphs()[1].Nodes()[0].OpType(); ops != "ExpAbs" {
		t.Errorf("the first nodes are %s", ops)
	}
}

func TestOrderRefusesCycles(t *testing.T) {
	for _, text := range []string{
		"self: a = A(a)",
		"one: a = A(b)\ntwo: b = B(a)",
		"x1 = A(x)\ny1 = B(x1)\np: a = A(y1, c)\nq: b = B(a)\nr: c = C(b)",
		"graph body\nz = Z(b)\noutput z\nend\nheld: b = If(x) then_branch=@body",
	} {
		if order, err := graphtest.Model(t, text).Graph().Order(); err == nil || !strings.Contains(err.Error(), "cycle") {
			t.Errorf("%q: order %v, error %v", text, order, err)
		}
	}
}

// TestOrderOfLongChain puts a shuffled chain in order, deeper than a stack of
// calls would go.
func TestOrderOfLongChain(t *testing.T) {
	const n = 50_000
	lines := make([]string, n)
	for i := range lines {
		lines[i] = "v" + strconv.Itoa(i+1) + " = A(v" + strconv.Itoa(i) + ")"
	}
	shuffled := rand.New(rand.NewPCG(1, 1)).Perm(n)
	text := make([]string, n)
	for i, j := range shuffled {
		text[i] = lines[j]
	}
	order, err := graphtest.Model(t, strings.Join(text, "\n")).Graph().Order()
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range order {
		if shuffled[at] != i {
			t.Fatalf("place %d holds link %d", i, shuffled[at])
		}
	}
}
