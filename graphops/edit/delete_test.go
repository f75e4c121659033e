package edit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
)

// forked has a stem that two branches read, one of which ends in an output of
// its own, constants of every kind, and nodes without names.
const forked = `
	ir 10
	opset 21
	input x f32[2]
	input mask f32[2]
	init w f32[2] 1 2
	init d f32[2] 5
	input d f32[2]
	sparse s f32[2] 3 at 1
	value h f32[2]
	value left f32[2]
	value ks i64[1]
	output y f32[2]
	output side f32[2]
	stem: h = Add(x, w)
	one: k = Constant() value={i64[1] 1}
	scaled: left = Mul(h, s)
	masked: m = Mul(left, mask)
	top: values, ks = TopK(m, k)
	m2 = Add(values, d)
	last: y = Add(h, h)
	right: side = Neg(left)
`

// changes writes what a report lists, one line each.
func changes(r *edit.Report) []string {
	out := make([]string, len(r.Changes))
	for i, c := range r.Changes {
		out[i] = strings.TrimSpace(fmt.Sprintf("%s %s: %s → %s", c.What, c.Name, c.From, c.To))
	}
	return out
}

// without are the nodes of the main graph but for those that begin as listed.
func without(m *graphops.Model, starts ...string) []string {
	return slices.DeleteFunc(graphtest.Nodes(m.Graph()), func(l string) bool {
		return slices.ContainsFunc(starts, func(s string) bool { return strings.HasPrefix(l, s) })
	})
}

// outputs are the names of the outputs of a graph.
func outputs(g *graphops.Graph) []string {
	var out []string
	for _, v := range g.Outputs() {
		out = append(out, v.Name())
	}
	return out
}

func TestDelete(t *testing.T) {
	tests := []struct {
		name     string
		model    string
		o        edit.DeleteOptions
		gone     []string // starts of lines
		outputs  []string
		changes  []string
		warnings []string
	}{
		{
			name:     "a node that feeds nothing",
			o:        edit.DeleteOptions{Nodes: []string{"#5"}},
			gone:     []string{"m2"},
			outputs:  []string{"y", "side"},
			changes:  []string{"node #5: Add →"},
			warnings: []string{"3 nodes feed nothing any more; --unused removes them too", `nothing reads 1 input any more: "d"`},
		},
		{
			name:     "what fed only it, defaults and inputs excepted",
			o:        edit.DeleteOptions{Nodes: []string{"#5"}, Unused: true},
			gone:     []string{"one", "masked", "top", "m2"},
			outputs:  []string{"y", "side"},
			changes:  []string{"node one: Constant →", "node masked: Mul →", "node top: TopK →", "node #5: Add →"},
			warnings: []string{`nothing reads 2 inputs any more: "mask", "d"`},
		},
		{
			name:    "all that depends on it",
			o:       edit.DeleteOptions{Nodes: []string{"scaled"}, Downstream: true},
			gone:    []string{"scaled", "masked", "top", "m2", "right"},
			outputs: []string{"y"},
			changes: []string{"node scaled: Mul →", "node masked: Mul →", "node top: TopK →", "node #5: Add →", "node right: Neg →", "output side: f32 2 →"},
			warnings: []string{
				"1 node and 1 initializer feed nothing any more; --unused removes them too",
				`nothing reads 2 inputs any more: "mask", "d"`,
			},
		},
		{
			name:    "all that depends on it and what fed only that, named twice",
			o:       edit.DeleteOptions{Nodes: []string{"scaled", "#2"}, Downstream: true, Unused: true},
			gone:    []string{"one", "scaled", "masked", "top", "m2", "right"},
			outputs: []string{"y"},
			changes: []string{
				"node one: Constant →", "node scaled: Mul →", "node masked: Mul →", "node top: TopK →", "node #5: Add →", "node right: Neg →",
				"output side: f32 2 →", "initializer s: f32 2 →",
			},
			warnings: []string{`nothing reads 2 inputs any more: "mask", "d"`},
		},
		{
			name:     "a chain in any order",
			o:        edit.DeleteOptions{Nodes: []string{"#5", "masked", "top"}},
			gone:     []string{"masked", "top", "m2"},
			outputs:  []string{"y", "side"},
			changes:  []string{"node masked: Mul →", "node top: TopK →", "node #5: Add →"},
			warnings: []string{"1 node feeds nothing any more; --unused removes them too", `nothing reads 2 inputs any more: "mask", "d"`},
		},
		{
			name:     "an initializer that had to be an input",
			model:    strings.Replace(forked, "ir 10", "ir 3", 1),
			o:        edit.DeleteOptions{Nodes: []string{"#5"}, Unused: true},
			gone:     []string{"one", "masked", "top", "m2"},
			outputs:  []string{"y", "side"},
			changes:  []string{"node one: Constant →", "node masked: Mul →", "node top: TopK →", "node #5: Add →", "initializer d: f32 2 →"},
			warnings: []string{`nothing reads 1 input any more: "mask"`},
		},
		{
			name: "a constant that another overrules",
			model: `
				output y f32[1]
				first: c = Constant() value={f32[1] 1}
				second: c = Constant() value={f32[1] 2}
				y = Neg(c)
			`,
			o:       edit.DeleteOptions{Nodes: []string{"first"}},
			gone:    []string{"first"},
			outputs: []string{"y"},
			changes: []string{"node first: Constant →"},
		},
		{
			name:    "a node with bodies, and what only they read",
			model:   strings.Replace(branching, "tail: t = Neg(y)", "output h f32[2]", 1),
			o:       edit.DeleteOptions{Nodes: []string{"outer"}, Downstream: true, Unused: true},
			gone:    []string{"outer", "  "},
			outputs: []string{"h"},
			changes: []string{"node outer: If →", "output y: f32 2 →", "initializer w: f32 2 →"},
			warnings: []string{
				`nothing reads 1 input any more: "c"`,
			},
		},
		{
			name: "the last call of a function that calls another",
			model: `
				input x f32[2]
				output y f32[2]
				opset local 1
				function local Inner(a) -> (b)
				b = Neg(a)
				end
				function local Outer(a) -> (b)
				c = local::Inner(a)
				b = Abs(c)
				end
				function local Never(a) -> (b)
				b = Neg(a)
				end
				y = Relu(x)
				dead: z = local::Outer(x)
			`,
			o:       edit.DeleteOptions{Nodes: []string{"dead"}},
			gone:    []string{"dead"},
			outputs: []string{"y"},
			changes: []string{"node dead: Outer →", "function local:Inner: 1 node →", "function local:Outer: 2 nodes →"},
		},
		{
			name: "a node with an output that nobody wants",
			model: `
				input x f32[2]
				output y f32[2]
				y = Relu(x)
				two: _, b = Split(x) num_outputs=2
			`,
			o:       edit.DeleteOptions{Nodes: []string{"two"}},
			gone:    []string{"two"},
			outputs: []string{"y"},
			changes: []string{"node two: Split →"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.model == "" {
				tt.model = forked
			}
			m := graphtest.Model(t, tt.model)
			next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) { return edit.Delete(m, at(t, m), tt.o) })
			if diff := cmp.Diff(without(m, tt.gone...), graphtest.Nodes(next.Graph())); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.outputs, outputs(next.Graph())); diff != "" {
				t.Errorf("outputs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.changes, changes(report)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.warnings, report.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			if report.NodesBefore != len(m.Graph().Nodes()) || report.NodesAfter != len(next.Graph().Nodes()) || len(report.Keep) != report.NodesBefore {
				t.Errorf("counts %d, %d, keep %v", report.NodesBefore, report.NodesAfter, report.Keep)
			}
		})
	}
}

// TestDeleteForgets checks that nothing is left of values that are gone.
func TestDeleteForgets(t *testing.T) {
	m := graphtest.Model(t, forked)
	next, _ := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Delete(m, at(t, m), edit.DeleteOptions{Nodes: []string{"scaled"}, Downstream: true, Unused: true})
	})
	g := next.Graph()
	if len(g.ValueInfo()) != 1 || g.ValueInfo()[0].Name() != "h" {
		t.Errorf("value_info of %d values is left, want that of h", len(g.ValueInfo()))
	}
	if len(g.SparseInitializers()) != 0 || !slices.Equal(graphtest.Initializers(g), []string{"w f32[2]", "d f32[2]"}) {
		t.Errorf("initializers %v, %d sparse", graphtest.Initializers(g), len(g.SparseInitializers()))
	}
	if got := len(g.Inputs()); got != 3 {
		t.Errorf("%d inputs, want all 3", got)
	}
}

// TestDeleteInBodies deletes where values come from around.
func TestDeleteInBodies(t *testing.T) {
	m := graphtest.Model(t, strings.Replace(branching, "r = Add(a, b)", "r = Add(a, a)", 1))
	next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Delete(m, at(t, m, "outer:then_branch"), edit.DeleteOptions{Nodes: []string{"inner"}})
	})
	want := without(m, "  inner", "    ")
	if diff := cmp.Diff(want, graphtest.Nodes(next.Graph())); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	if want := []string{`nothing reads "w" any more, which is defined outside "outer:then_branch"`}; !slices.Equal(report.Warnings, want) {
		t.Errorf("warnings %q, want %q", report.Warnings, want)
	}
	if report.Keep != nil {
		t.Error("nodes of the main graph are marked")
	}
}

func TestDeleteRefuses(t *testing.T) {
	const functions = `
		opset local 1
		input x f32[2]
		output y f32[2]
		function local Double(a) -> (b)
		inner: b = Add(a, a)
		end
		y = local::Double(x)
	`
	tests := []struct {
		name  string
		model string
		hops  []string
		o     edit.DeleteOptions
		want  string
	}{
		{"read", forked, nil, edit.DeleteOptions{Nodes: []string{"scaled"}}, `node "scaled" (Mul): its output "left" is read by node "masked" (Mul), node "right" (Neg); delete what depends on it too (--downstream), or bypass the node`},
		{"one of several outputs read", forked, nil, edit.DeleteOptions{Nodes: []string{"top"}}, `its output "values" is read by node #5 (Add)`},
		{"an output", forked, nil, edit.DeleteOptions{Nodes: []string{"right"}}, `its output "side" is an output of the graph`},
		{"read by a body", branching, nil, edit.DeleteOptions{Nodes: []string{"relu"}}, `its output "h" is read by a body of node "outer" (If)`},
		{
			"read and an output", strings.Replace(branching, "output y f32[2]", "output y f32[2]\noutput h f32[2]", 1), nil,
			edit.DeleteOptions{Nodes: []string{"relu"}},
			`is read by a body of node "outer" (If) and an output of the graph`,
		},
		{"the last output", branching, nil, edit.DeleteOptions{Nodes: []string{"relu"}, Downstream: true}, `every output of the graph depends on it ("y"), and a graph needs one`},
		{
			"an output of a body", branching,
			[]string{"outer:then_branch"},
			edit.DeleteOptions{Nodes: []string{"#0"}, Downstream: true},
			`node #0 (Add): it computes outputs of "outer:then_branch" ("r") that node "outer" (If) reads; bypass the node, or delete that one as well`,
		},
		{
			"an output of a function", functions,
			[]string{"local:Double"},
			edit.DeleteOptions{Nodes: []string{"inner"}, Downstream: true},
			`it computes outputs of "local:Double" ("b") that its callers read; bypass the node, or delete the calls as well`,
		},
		{"unknown", forked, nil, edit.DeleteOptions{Nodes: []string{"right", "scale"}}, `node "scale": the graph has none of that name; nearest names: "scaled"`},
		{"many readers", manyReaders(9), nil, edit.DeleteOptions{Nodes: []string{"stem"}}, `node #5 (Neg) and 4 more;`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.model)
			_, _, err := edit.Delete(m, at(t, m, tt.hops...), tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
}

func manyReaders(n int) string {
	var b strings.Builder
	b.WriteString("input x f32[2]\nstem: h = Relu(x)\n")
	for i := range n {
		fmt.Fprintf(&b, "y%d = Neg(h)\noutput y%d f32[2]\n", i, i)
	}
	return b.String()
}
