package graphops_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// Models whose bodies make values of names around them: of the results of the If that holds
// them, of a value after a Loop that holds an If, of values beside nested branches, and of
// one beside an operator that finds the outputs of its body by name.
const (
	ownResults = `
		input x f32[2]
		input c bool[]
		output y f32[2]
		graph yes
		logits = Abs(x)
		past = Neg(logits)
		output logits
		output past
		end
		graph no
		past = Identity(x)
		logits = Neg(past)
		output logits
		output past
		end
		logits, past = If(c) then_branch=@yes else_branch=@no
		y = Add(logits, past)`
	deepBody = `
		input x f32[2]
		input c bool[]
		input n i64[]
		output y f32[2]
		graph yes
		h = Abs(s)
		o = Neg(h)
		output o
		end
		graph no
		p = Identity(s)
		output p
		end
		graph body
		input i i64[]
		input go bool[]
		input s f32[2]
		on = Identity(go)
		t = If(go) then_branch=@yes else_branch=@no
		output on
		output t
		end
		a = Abs(x)
		z = Loop(n, c, x) body=@body
		h = Add(a, z)
		y = Add(h, z)`
	besideBody = `
		input x f32[2]
		input c bool[]
		output y f32[2]
		graph inner
		k = Abs(h)
		q = Neg(k)
		output q
		end
		graph yes
		h = Abs(x)
		o = If(c) then_branch=@inner else_branch=@inner
		output o
		end
		z = If(c) then_branch=@yes else_branch=@yes
		a = Abs(x)
		h = Neg(a)
		k = Neg(h)
		y = Sum(z, h, k)`
	boundBody = `
		opset com.microsoft 1
		input x i32[1,2]
		output y i32[1,2]
		output logits f32[2]
		init n i32[1] 4
		graph decoder
		input input_ids i32[b,s]
		logits = Cast(input_ids) to=1
		output logits
		end
		s = com.microsoft::GreedySearch(x, n) decoder=@decoder
		f = Cast(x) to=1
		logits = Identity(f)
		y = Identity(s)`
)

// After a cut no body makes a value of a name that exists before it runs.
func TestPruneLeavesBodiesTheirOwnNames(t *testing.T) {
	for _, tt := range []struct {
		name, model string
		inputs      string
		renamed     string // inside bodies
	}{
		{"a result of the holder", ownResults, "logits", "logits"},
		{"every result", ownResults, "logits past", ""},
		{"no cut", ownResults, "", ""},
		{"a value that depended on a body in a body", deepBody, "h", "h"},
		{"the body in a body falls away", deepBody, "z", ""},
		{"no cut above a body in a body", deepBody, "", ""},
		{"a value that a deeper body captures", besideBody, "h", "h k"},
		{"a value of a deeper body", besideBody, "k", "h k"},
		{"what lies before them", besideBody, "a", "h k"},
		{"the body falls away", besideBody, "z", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.model)
			pruned, r, err := graphops.Prune(m, graphops.PruneOptions{Inputs: strings.Fields(tt.inputs)})
			if err != nil {
				t.Fatal(err)
			}
			again, did := pruned.Unshadowed()
			if again != pruned || len(did.Renamed)+len(did.Bound) > 0 {
				t.Errorf("names are left: %v", did)
			}
			_, did = m.Unshadowed()
			warned := strings.Join(r.Warnings, "\n")
			if got := strings.Contains(warned, "renamed inside bodies"); got != (tt.renamed != "") {
				t.Errorf("warnings %q, want renamed %q", warned, tt.renamed)
			}
			for _, name := range strings.Fields(tt.renamed) {
				if !strings.Contains(warned, `"`+name+`"`) {
					t.Errorf("warnings %q do not name %q", warned, name)
				}
			}
		})
	}
}

// Everything that meant the value of the body means it under its new name.
func TestUnshadowedFollowsReaders(t *testing.T) {
	m, did := graphtest.Model(t, besideBody).Unshadowed()
	if diff := cmp.Diff(graphops.Unshadowing{Renamed: []string{"h", "k"}}, did); diff != "" {
		t.Errorf("did (-want +got):\n%s", diff)
	}
	yes := m.Graph().Nodes()[0].Graphs()[0]
	inner := yes.Nodes()[1].Graphs()[0]
	abs := inner.Nodes()[0]
	if got, want := abs.Inputs()[0], yes.Nodes()[0].Outputs()[0]; got != want || got == "h" {
		t.Errorf("the inner body reads %q, the body around it makes %q", got, want)
	}
	if got, want := inner.Nodes()[1].Inputs()[0], abs.Outputs()[0]; got != want || got == "k" {
		t.Errorf("the inner body reads %q of its own %q", got, want)
	}
	if h := m.Graph().Nodes()[2].Outputs(); !slices.Equal(h, []string{"h"}) {
		t.Errorf("the main graph makes %q, want h", h)
	}
}

// A function is placed where it is called, and its bodies with it.
func TestUnshadowedInFunctions(t *testing.T) {
	m, did := graphtest.Model(t, `
		function local F(x, c) -> (y)
		graph yes
		h = Abs(x)
		o = Neg(h)
		output o
		end
		h = Neg(x)
		z = If(c) then_branch=@yes else_branch=@yes
		y = Add(z, h)
		end
		opset local 1
		input x f32[2]
		input c bool[]
		output y f32[2]
		y = local::F(x, c)`).Unshadowed()
	if !slices.Equal(did.Renamed, []string{"h"}) {
		t.Errorf("did %v", did)
	}
	if again, _ := m.Unshadowed(); again != m {
		t.Error("the body makes h still")
	}
}

// An output of a body that is found by name keeps it, and a cut that cannot be beside it is
// refused.
func TestUnshadowedKeepsBoundNames(t *testing.T) {
	m := graphtest.Model(t, boundBody)
	_, did := m.Unshadowed()
	if diff := cmp.Diff(graphops.Unshadowing{Bound: []string{"logits"}}, did); diff != "" {
		t.Errorf("did (-want +got):\n%s", diff)
	}
	_, _, err := graphops.Prune(m, graphops.PruneOptions{Inputs: []string{"logits"}})
	if err == nil || !strings.Contains(err.Error(), `input "logits": an output of a body has the same name`) {
		t.Errorf("got %v", err)
	}
}
