package graphops_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// nestedPlaces has bodies within bodies, two in one node, and bodies in a function.
const nestedPlaces = `
	ir 10
	opset 21
	input c bool[]
	input x f32[2]
	output y f32[2]
	graph deep
	d = Relu(x)
	output d f32[2]
	end
	graph other
	o = Neg(x)
	output o f32[2]
	end
	graph outer
	e = If(c) then_branch=@deep else_branch=@other
	output e f32[2]
	end
	graph called
	k = Abs(a)
	output k f32[2]
	end
	function local F(a, b) -> (r)
	r = If(b) then_branch=@called else_branch=@called
	end
	s = If(c) then_branch=@outer else_branch=@other
	y = local::F(s, c)
`

func TestEditPlaces(t *testing.T) {
	m := graphtest.Model(t, nestedPlaces)
	if m.EditPlaces(func(*graphops.Place, *graphops.GraphEditor) bool { return false }) != m {
		t.Error("a model that nobody edits is another")
	}
	before := graphtest.Message(t, m)
	for _, p := range m.Places() {
		t.Run(p.String(), func(t *testing.T) {
			var seen []string
			edited := m.EditPlaces(func(at *graphops.Place, e *graphops.GraphEditor) bool {
				seen = append(seen, at.String())
				if at != p {
					return false
				}
				e.Nodes[0] = e.Nodes[0].WithName("found")
				return true
			})
			want := m.WithGraph(p, func() *graphops.Graph {
				e := graphops.EditGraph(p.Graph)
				e.Nodes[0] = e.Nodes[0].WithName("found")
				return e.Graph()
			}())
			if diff := cmp.Diff(graphtest.Message(t, want), graphtest.Message(t, edited), protocmp.Transform()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, at := range m.Places() {
				if i := slices.Index(seen, at.String()); i < 0 || at.Parent != nil && slices.Index(seen, at.Parent.String()) < i {
					t.Errorf("%q is seen at the wrong time in %q", at, seen)
				}
			}
			for i, at := range m.Places() {
				shared := !strings.HasPrefix(p.String(), at.String())
				if got := edited.Places()[i].Graph == at.Graph; shared && !got {
					t.Errorf("%q is not shared", at)
				}
			}
		})
	}
	if diff := cmp.Diff(before, graphtest.Message(t, m), protocmp.Transform()); diff != "" {
		t.Errorf("the original changed:\n%s", diff)
	}
}

// Every place edited at once.
func TestEditPlacesAll(t *testing.T) {
	m := graphtest.Model(t, nestedPlaces)
	edited := m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		e.Nodes[0] = e.Nodes[0].WithName(fmt.Sprint("n", p.ID))
		return true
	})
	for i, p := range edited.Places() {
		if got, want := p.Graph.Nodes()[0].Name(), fmt.Sprint("n", i); got != want {
			t.Errorf("%q: node %q, want %q", p, got, want)
		}
	}
}
