package fault_test

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/ort/fault"
)

// randomGraph has n nodes in a shuffled order. Some have two outputs, some results
// nobody reads, some a body that captures.
func randomGraph(t *testing.T, n int, r *rand.Rand) *graphops.Model {
	t.Helper()
	values := []string{"x", "w"}
	pick := func() string { return values[r.IntN(len(values))] }
	var head, nodes []string
	for i := range n {
		v := fmt.Sprintf("v%d", i)
		switch r.IntN(4) {
		case 0:
			nodes = append(nodes, fmt.Sprintf("n%d: %s, %sb = Split(%s)", i, v, v, pick()))
			values = append(values, v+"b")
			head = append(head, "value "+v+"b f32[4]")
		case 1:
			head = append(head, fmt.Sprintf("graph g%d\nt = Neg(%s)\noutput t f32[4]\nend", i, pick()))
			nodes = append(nodes, fmt.Sprintf("n%d: %s = If(c) then_branch=@g%d else_branch=@g%d", i, v, i, i))
		default:
			nodes = append(nodes, fmt.Sprintf("n%d: %s = Add(%s, %s)", i, v, pick(), pick()))
		}
		values = append(values, v)
		head = append(head, "value "+v+" f32[4]")
	}
	r.Shuffle(n, func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	return graphtest.Model(t, "input x f32[4]\ninput c bool[]\ninit w f32[4] 1\n"+strings.Join(head, "\n")+"\n"+
		strings.Join(nodes, "\n")+fmt.Sprintf("\noutput v%d f32[4]", n-1))
}

// crashOn is a runtime that crashes as soon as it meets a node. It refuses, by
// failing the test, a model that no runtime would take.
func crashOn(t *testing.T, name string) fault.Try {
	return func(_ context.Context, m *graphops.Model) (bool, error) {
		g := m.Graph()
		if captured := g.Index().Captured(); len(captured) > 0 {
			t.Errorf("a cut reads %q, which nothing makes", g.Index().Name(captured[0]))
		}
		return slices.ContainsFunc(g.Nodes(), func(n *graphops.Node) bool { return n.Name() == name }), nil
	}
}

func TestBisect(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		n := 1 + r.IntN(70)
		m := randomGraph(t, n, r)
		guilty := fmt.Sprintf("n%d", r.IntN(n))
		told := 0
		s, err := fault.Bisect(t.Context(), m, crashOn(t, guilty), func(done, most int) {
			if told++; done != told || done > most {
				t.Errorf("told of try %d as number %d of at most %d", told, done, most)
			}
		})
		if err != nil {
			t.Fatalf("%d nodes: %v", n, err)
		}
		if got := s.Site.Node().Name(); got != guilty || !s.Alone {
			t.Errorf("%d nodes: got %q, alone %v, want %q", n, got, s.Alone, guilty)
		}
		if most := 3 + bits.Len(uint(n)); s.Tries > most {
			t.Errorf("%d nodes took %d tries, want %d at most", n, s.Tries, most)
		}
	}
}

// Every beginning keeps all of its nodes, and what the model says of the types of
// its outputs.
func TestBisectCuts(t *testing.T) {
	m := randomGraph(t, 50, rand.New(rand.NewPCG(3, 4)))
	var sizes []int
	_, err := fault.Bisect(t.Context(), m, func(_ context.Context, cut *graphops.Model) (bool, error) {
		sizes = append(sizes, len(cut.Graph().Nodes()))
		for _, v := range cut.Graph().Outputs() {
			if v.Type().Kind == graphops.TypeUnknown {
				t.Errorf("output %q of a cut lost its type", v.Name())
			}
		}
		return len(sizes) <= 2, nil // the whole twice, then never again
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{50, 50, 25, 37, 43, 46, 48, 49}; !slices.Equal(sizes[:8], want) {
		t.Errorf("tried beginnings of %v nodes, want %v", sizes, want)
	}
}

func TestBisectErrors(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\na: h = Relu(x)\nb: y = Neg(h)\noutput y f32[2]")
	broken := errors.New("no process")
	times := func(crashes ...bool) fault.Try {
		return func(context.Context, *graphops.Model) (bool, error) {
			c := crashes[0]
			crashes = crashes[1:]
			return c, nil
		}
	}
	stopped, stop := context.WithCancelCause(t.Context())
	stop(broken)
	tests := []struct {
		name  string
		ctx   context.Context
		model *graphops.Model
		try   fault.Try
		is    error
		text  string
	}{
		{"no crash", t.Context(), m, times(false), fault.ErrNoCrash, "did not crash again"},
		{"the whole only", t.Context(), m, times(true, false), nil, "only the unchanged model crashes"},
		{"a try that is none", t.Context(), m, func(context.Context, *graphops.Model) (bool, error) { return false, broken }, broken, "no process"},
		{"stopped", stopped, m, crashOn(t, "a"), broken, "no process"},
		{"a cycle", t.Context(), graphtest.Model(t, "a: h = Relu(y)\nb: y = Neg(h)\noutput y f32[2]"), crashOn(t, "a"), nil, "cycle"},
		{"no cut", t.Context(), graphtest.Model(t, "a: h = Relu(nope)\nb: y = Neg(h)\noutput y f32[2]"), times(true), nil, `cutting the model after node 1 "b" (Neg): `},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := fault.Bisect(tt.ctx, tt.model, tt.try, nil)
			if err == nil || !strings.Contains(err.Error(), tt.text) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("got %v, want %q", err, tt.text)
			}
		})
	}
}

// A node that nothing can be fed to is not tried alone.
func TestBisectUntyped(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\na: h = Relu(x)\nb: k = Neg(h)\nc: y = Abs(k)\noutput y f32[2]")
	s, err := fault.Bisect(t.Context(), m, crashOn(t, "b"), nil)
	if err != nil || s.Site.Node().Name() != "b" || s.Alone {
		t.Errorf("got %v, alone %v, %v", s.Site, s.Alone, err)
	}
}
