package graphops_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// A cut at one output of a node that stays for another leaves every name with
// one definition.
func TestPruneCutBesideNeededOutput(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[n,4]
		output y f32[n,2]
		init s i64[2] 2 2
		a, b = Split(x, s) axis=1
		c = Add(a, b)
		y = Mul(c, b)
	`)
	for _, tt := range []struct {
		inputs []string
		split  []string // its outputs in the result
	}{
		{[]string{"a"}, []string{"a__1", "b"}},
		{[]string{"a", "a"}, []string{"a__1", "b"}},
		{[]string{"c"}, []string{"a", "b"}},
		{[]string{"c", "a"}, []string{"a__1", "b"}}, // a is an input that nothing reads
	} {
		t.Run(strings.Join(tt.inputs, " "), func(t *testing.T) {
			pruned, _, err := graphops.Prune(m, graphops.PruneOptions{Inputs: tt.inputs})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.split, pruned.Graph().Nodes()[0].Outputs()); diff != "" {
				t.Errorf("outputs of Split (-want +got):\n%s", diff)
			}
			defined := map[string]int{}
			for _, v := range pruned.Graph().Inputs() {
				defined[v.Name()]++
			}
			for _, n := range pruned.Graph().Nodes() {
				for _, o := range n.Outputs() {
					defined[o]++
				}
			}
			for name, times := range defined {
				if times != 1 {
					t.Errorf("%q is defined %d times", name, times)
				}
			}
			if got := m.Graph().Nodes()[0].Outputs()[0]; got != "a" {
				t.Errorf("the original changed: output %q", got)
			}
		})
	}
}

// Functions that call each other in a long chain all stay, and the first link
// that nothing calls falls away with what it alone calls.
func TestPruneKeepsCalledFunctions(t *testing.T) {
	const links = 1000
	var text strings.Builder
	for i := range links {
		fmt.Fprintf(&text, "function chain F%d(a) -> (b)\nb = chain::F%d(a)\nend\n", i, i+1)
	}
	fmt.Fprintf(&text, "function chain F%d(a) -> (b)\nb = Relu(a)\nend\n", links)
	text.WriteString("opset chain 1\ninput x f32[1]\noutput y f32[1]\ny = chain::F10(x)\n")
	m := graphtest.Model(t, text.String())
	pruned, _, err := graphops.Prune(m, graphops.PruneOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(pruned.Functions()), links+1-10; got != want {
		t.Errorf("%d functions stay, want %d", got, want)
	}
}

// Old models list their weights among the inputs; a run needs none of them.
func TestPruneReportsFedInputs(t *testing.T) {
	m := graphtest.Model(t, `
		ir 3
		input x f32[2]
		input w f32[2]
		init w f32[2] 1
		output y f32[2]
		h = Add(x, w)
		y = Relu(h)
	`)
	pruned, r, err := graphops.Prune(m, graphops.PruneOptions{Outputs: []string{"h"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Inputs) != 1 || r.Inputs[0].Name() != "x" {
		t.Errorf("%d inputs are reported, want x alone", len(r.Inputs))
	}
	if got := len(pruned.Graph().Inputs()); got != 2 {
		t.Errorf("the result has %d inputs, want x and w", got)
	}
}

func TestPruneTellsUnknownRank(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\noutput y f32[2]\nh = Relu(x)\ny = Relu(h)\n")
	plan, err := graphops.PlanPrune(m, graphops.PruneOptions{Outputs: []string{"h"}})
	if err != nil {
		t.Fatal(err)
	}
	_, r, err := plan.Model(map[string]graphops.Type{"h": {Kind: graphops.TypeTensor, Elem: tensor.F32}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], `the rank of "h"`) {
		t.Errorf("warnings %q, want one about the rank of h", r.Warnings)
	}
}
