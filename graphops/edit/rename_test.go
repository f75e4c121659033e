package edit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
)

// branching captures values of every kind in bodies, two levels deep.
const branching = `
	ir 10
	opset 21
	input c bool[]
	input x f32[2]
	init w f32[2] 1 2
	value h f32[2]
	output y f32[2]
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
	s = Identity(h)
	output s f32[2]
	end
	relu: h = Relu(x)
	outer: y = If(c) then_branch=@branch else_branch=@simple
	tail: t = Neg(y)
`

// apply runs an edit and checks what every edit promises: the original stays as
// it is, and a valid model stays valid.
func apply(t *testing.T, m *graphops.Model, f func() (*graphops.Model, *edit.Report, error)) (*graphops.Model, *edit.Report) {
	t.Helper()
	before := graphtest.Encode(t, m)
	next, report, err := f()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(before, graphtest.Encode(t, m)) {
		t.Error("the original changed")
	}
	if problems := graphtest.Problems(next); len(problems) > 0 && len(graphtest.Problems(m)) == 0 {
		t.Errorf("the result is not valid: %q", problems)
	}
	return next, report
}

// at finds a place of a model.
func at(t *testing.T, m *graphops.Model, hops ...string) *graphops.Place {
	t.Helper()
	p, err := m.FindPlace(hops)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lines writes the nodes of the main graph, bodies indented.
func lines(m *graphops.Model) string { return strings.Join(graphtest.Nodes(m.Graph()), "\n") }

func TestRename(t *testing.T) {
	m := graphtest.Model(t, branching)
	next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Names(m, at(t, m), edit.RenameOptions{
			Values: []edit.Rename{{"h", "hidden"}, {"w", "weight"}, {"x", "y"}, {"y", "x"}},
			Nodes:  []edit.Rename{{"relu", "first"}, {"#2", ""}},
		})
	})
	want := strings.TrimSpace(`
first: hidden = Relu(y)
outer: x = If(c) then_branch=kind(5) else_branch=kind(5)
  a = Add(y, own)
  inner: b = If(c) then_branch=kind(5) else_branch=kind(5)
    d = Add(hidden, weight)
    d = Add(hidden, weight)
  r = Add(a, b)
  s = Identity(hidden)
t = Neg(x)`)
	if diff := cmp.Diff(want, lines(next)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := fmt.Sprint(report.Changes); got != "[{node relu relu first} {node tail tail } {value h h hidden} {initializer w w weight} {input x x y} {output y y x}]" {
		t.Errorf("changes %s", got)
	}
	back, _ := apply(t, next, func() (*graphops.Model, *edit.Report, error) {
		return edit.Names(next, at(t, next), edit.RenameOptions{
			Values: []edit.Rename{{"hidden", "h"}, {"weight", "w"}, {"x", "y"}, {"y", "x"}},
			Nodes:  []edit.Rename{{"first", "relu"}, {"#2", "tail"}},
		})
	})
	if diff := cmp.Diff(graphtest.Message(t, m), graphtest.Message(t, back), protocmp.Transform()); diff != "" {
		t.Errorf("there and back (-want +got):\n%s", diff)
	}
}

// TestRenameInBodies renames what a body defines: only there, and in bodies that
// capture it.
func TestRenameInBodies(t *testing.T) {
	m := graphtest.Model(t, branching)
	next, _ := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Names(m, at(t, m, "outer:then_branch"), edit.RenameOptions{Values: []edit.Rename{{"own", "mine"}, {"a", "sum"}}})
	})
	for _, line := range []string{"sum = Add(x, mine)", "r = Add(sum, b)"} {
		if !strings.Contains(lines(next), line) {
			t.Errorf("%q is missing in\n%s", line, lines(next))
		}
	}
}

func TestRenameRefuses(t *testing.T) {
	m := graphtest.Model(t, branching)
	tests := []struct {
		name string
		hops []string
		o    edit.RenameOptions
		want string
	}{
		{"unknown value", nil, edit.RenameOptions{Values: []edit.Rename{{"hh", "k"}}}, `value "hh": the graph has none of that name; nearest names: "h"`},
		{"unknown node", nil, edit.RenameOptions{Nodes: []edit.Rename{{"rellu", "k"}}}, `node "rellu": the graph has none of that name; nearest names: "relu"`},
		{"a value for a node", nil, edit.RenameOptions{Nodes: []edit.Rename{{"h", "k"}}}, `the value of that name is made by node "relu" (Relu)`},
		{"position past the end", nil, edit.RenameOptions{Nodes: []edit.Rename{{"#9", "k"}}}, `the last is #2`},
		{"taken", nil, edit.RenameOptions{Values: []edit.Rename{{"h", "w"}}}, `value "h": cannot be named "w", another value has that name`},
		{"taken in a body", nil, edit.RenameOptions{Values: []edit.Rename{{"h", "d"}}}, `a value in "outer:then_branch › inner:then_branch" has that name`},
		{"taken around", []string{"outer:then_branch"}, edit.RenameOptions{Values: []edit.Rename{{"a", "h"}}}, `a value in an enclosing graph has that name`},
		{"captured", []string{"outer:then_branch"}, edit.RenameOptions{Values: []edit.Rename{{"h", "k"}}}, `is defined outside "outer:then_branch"`},
		{"two names", nil, edit.RenameOptions{Values: []edit.Rename{{"h", "k"}, {"h", "l"}}}, "is given two names"},
		{"one name for two", nil, edit.RenameOptions{Values: []edit.Rename{{"h", "k"}, {"w", "k"}}}, `what was "h" has that name`},
		{"the empty name", nil, edit.RenameOptions{Values: []edit.Rename{{"h", ""}}}, "the empty name means"},
		{"node name taken", nil, edit.RenameOptions{Nodes: []edit.Rename{{"relu", "outer"}}}, "another node has that name"},
		{"a value's name is no text", nil, edit.RenameOptions{Values: []edit.Rename{{"h", "k\xff"}}}, `name "k\xff" is not UTF-8`},
		{"a node's name is no text", nil, edit.RenameOptions{Nodes: []edit.Rename{{"relu", "k\xff"}}}, `name "k\xff" is not UTF-8`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := edit.Names(m, at(t, m, tt.hops...), tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
}

// searching holds a body whose operator finds inputs and outputs by name. Its inputs
// have names of values around it, as exporters write them.
const searching = `
	opset com.microsoft 1
	input input_ids i32[1,n]
	init most i32[1] 9
	output tokens i32[1,?]
	graph decode
	input input_ids i32[1,n]
	input mask i32[1,n]
	hidden = Cast(input_ids) to=1
	logits = Cast(hidden) to=1
	output logits f32[1,n]
	end
	find: tokens = com.microsoft::GreedySearch(input_ids, most) decoder=@decode eos_token_id=1 pad_token_id=0
`

func TestRenamePorts(t *testing.T) {
	m := graphtest.Model(t, searching)
	body := m.Places()[1]
	for name, want := range map[string]string{
		"mask":   `node "find" (GreedySearch) may identify input "mask" of its body by that name, and refuse another one`,
		"logits": `node "find" (GreedySearch) may identify output "logits" of its body by that name, and refuse another one`,
		"hidden": "",
	} {
		_, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
			return edit.Names(m, body, edit.RenameOptions{Values: []edit.Rename{{From: name, To: "other"}}})
		})
		if got := strings.Join(report.Warnings, "; "); got != want {
			t.Errorf("%s: warnings %q, expected %q", name, got, want)
		}
	}
	m = graphtest.Model(t, branching)
	_, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Names(m, m.Places()[1], edit.RenameOptions{Values: []edit.Rename{{From: "r", To: "other"}}})
	})
	if len(report.Warnings) > 0 {
		t.Errorf("an operator of the standard finds values by position: %q", report.Warnings)
	}
}
