package graphops_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// places has every kind of place: bodies in bodies, two graphs in one
// attribute, a node without a name, and a function that holds a body.
const places = `
	input c bool[]
	input x f32[2]
	init w f32[2] 1 2
	output y f32[2]
	output z f32[2]
	graph deep
	d = Add(h, w)
	output d f32[2]
	end
	graph branch
	init own f32[2] 3 4
	a = Add(x, own)
	inner: b = If(c) then_branch=@deep else_branch=@deep
	r = Add(a, b)
	output r f32[2]
	end
	graph simple
	output h
	end
	function local Pick(c, v) -> (o)
	only: o = If(c) then_branch=@simple else_branch=@simple
	end
	h = Relu(x)
	outer: y = If(c) then_branch=@branch else_branch=@simple
	z = local::Pick(c, h) bodies=@[simple,deep]
`

func TestPlaces(t *testing.T) {
	m := graphtest.Model(t, places)
	var got []string
	for i, p := range m.Places() {
		if p.ID != i {
			t.Errorf("place %d has ID %d", i, p.ID)
		}
		var captures []string
		for _, c := range p.Captures() {
			from := "nowhere"
			if c.From != nil {
				from = fmt.Sprintf("%d:%s", c.From.ID, c.From.Graph.Index().Name(c.Outer))
			}
			captures = append(captures, p.Graph.Index().Name(c.Value)+"="+from)
		}
		got = append(got, fmt.Sprintf("%d %s %d nodes, captures %q", p.Kind, p, len(p.Graph.Nodes()), captures))
		found, err := m.FindPlace(p.Hops())
		if err != nil || found != p {
			t.Errorf("%q leads to %v, %v", p.Hops(), found, err)
		}
	}
	want := []string{
		`0  3 nodes, captures []`,
		`1 outer:then_branch 3 nodes, captures ["x=0:x" "c=0:c" "h=0:h" "w=0:w"]`,
		`1 outer:then_branch › inner:then_branch 1 nodes, captures ["h=0:h" "w=0:w"]`,
		`1 outer:then_branch › inner:else_branch 1 nodes, captures ["h=0:h" "w=0:w"]`,
		`1 outer:else_branch 0 nodes, captures ["h=0:h"]`,
		`1 #2:bodies[0] 0 nodes, captures ["h=0:h"]`,
		`1 #2:bodies[1] 1 nodes, captures ["h=0:h" "w=0:w"]`,
		`2 local:Pick 1 nodes, captures ["h=nowhere"]`,
		`1 local:Pick › only:then_branch 0 nodes, captures ["h=nowhere"]`,
		`1 local:Pick › only:else_branch 0 nodes, captures ["h=nowhere"]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFindPlaceBySeveralSpellings(t *testing.T) {
	m := graphtest.Model(t, places)
	for _, tt := range []struct {
		hops []string
		want string
	}{
		{nil, ""},
		{[]string{"Pick"}, "local:Pick"},
		{[]string{"#1:then_branch", "#1:else_branch"}, "outer:then_branch › inner:else_branch"},
	} {
		p, err := m.FindPlace(tt.hops)
		if err != nil || p.String() != tt.want {
			t.Errorf("%q: %v, %v, want %q", tt.hops, p, err, tt.want)
		}
	}
	for _, tt := range []struct{ hops, want string }{
		{"outer:then_brnch", `"outer:then_branch"`},
		{"outer:then_branch outer:then_branch", `"inner:then_branch"`},
		{"outer:else_branch x:y", `"outer:else_branch" contains no bodies`},
		{"outer:then_branch local:Pick", "contains no place with this name"},
		{"nothing alike", "such as"},
	} {
		_, err := m.FindPlace(strings.Fields(tt.hops))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v lacks %q", tt.hops, err, tt.want)
		}
	}
}

// TestWithGraph replaces the graph of every place in turn and shares the rest.
func TestWithGraph(t *testing.T) {
	m := graphtest.Model(t, places)
	before := graphtest.Encode(t, m)
	for i, p := range m.Places() {
		e := graphops.EditGraph(p.Graph)
		e.Nodes = append(e.Nodes, graphops.NewNode(graphops.NodeSpec{Op: "Mark", Outputs: []string{"mark"}}))
		changed := m.WithGraph(p, e.Graph())
		for j, q := range changed.Places() {
			old := m.Places()[j]
			inside := false
			for at := p; at != nil; at = at.Parent {
				inside = inside || at.ID == old.ID
			}
			if shared := q.Graph == old.Graph; shared == inside {
				t.Errorf("place %q edited: %q is shared: %v", p, q, shared)
			}
			if n := len(q.Graph.Nodes()) - len(old.Graph.Nodes()); (n == 1) != (j == i) {
				t.Errorf("place %q edited: %q has %d more nodes", p, q, n)
			}
		}
		if !changed.Edited() {
			t.Errorf("place %q edited: the model says it is as the file", p)
		}
	}
	if diff := cmp.Diff(before, graphtest.Encode(t, m)); diff != "" {
		t.Error("the original changed")
	}
}

// TestPlacesOfOddNodes tells places apart where names do not.
func TestPlacesOfOddNodes(t *testing.T) {
	m := graphtest.Model(t, `
		graph a
		output x
		end
		graph b
		output y
		end
		same: p = Foo() body=@a body=@b
		same: q = Foo() body=@a
		only: r = Foo() then_else=@a
	`)
	var got []string
	for _, p := range m.Places()[1:] {
		got = append(got, p.String()+" "+p.Graph.Name())
		e := graphops.EditGraph(p.Graph)
		e.Outputs = nil
		for _, q := range m.WithGraph(p, e.Graph()).Places()[1:] {
			if changed := len(q.Graph.Outputs()) == 0; changed != (q.ID == p.ID) {
				t.Errorf("place %d edited: place %d changed: %v", p.ID, q.ID, changed)
			}
		}
	}
	want := []string{"#0:body a", "#0:body b", "#1:body a", "only:then_else a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
