package edit_test

import (
	"slices"
	"testing"

	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
)

func TestNamePorts(t *testing.T) {
	for name, c := range map[string]struct {
		text            string
		inputs, outputs []string
		want            []string // nodes
		in, out         []string
		other           []string
	}{
		"as wanted": {
			`g (float[2] a) => (float[2] y) { y = Relu(a) }`,
			[]string{"x"},
			[]string{"output"},
			[]string{"output = Relu(x)"},
			[]string{"x"},
			[]string{"output"},
			nil,
		},
		"an inner value gives way": {
			`g (float[2] a) => (float[2] y) { linear = Relu(a) y = Neg(linear) }`,
			[]string{"x"},
			[]string{"linear"},
			[]string{"linear__1 = Relu(x)", "linear = Neg(linear__1)"},
			[]string{"x"},
			[]string{"linear"},
			nil,
		},
		"an input keeps its name": {
			`g (float[2] a) => (float[2] y) { y = Relu(a) }`,
			[]string{"state"},
			[]string{"state"},
			[]string{"state_out = Relu(state)"},
			[]string{"state"},
			[]string{"state_out"},
			[]string{`output "state" is called "state_out": an input has that name`},
		},
		"a weight keeps its name": {
			`g (float[2] a) => (float[2] y) <float[2] w = {1, 2}> { y = Add(a, w) }`,
			[]string{"w"},
			[]string{"w"},
			[]string{"w_out = Add(w_in, w)"},
			[]string{"w_in"},
			[]string{"w_out"},
			[]string{`input "w" is called "w_in": a weight has that name`, `output "w" is called "w_out": a weight has that name`},
		},
		"two outputs of one name": {
			`g (float[2] a) => (float[2] y, float[2] z) { y = Relu(a) z = Neg(a) }`,
			[]string{"x"},
			[]string{"o", "o"},
			[]string{"o = Relu(x)", "o_out = Neg(x)"},
			[]string{"x"},
			[]string{"o", "o_out"},
			[]string{`output "o" is called "o_out": another output has that name`},
		},
		"swapped": {
			`g (float[2] a, float[2] b) => (float[2] y, float[2] z) { y = Relu(a) z = Neg(b) }`,
			[]string{"b", "a"},
			[]string{"z", "y"},
			[]string{"z = Relu(b)", "y = Neg(a)"},
			[]string{"b", "a"},
			[]string{"z", "y"},
			nil,
		},
		"an output that is an input under its name": {
			`g (float[2] x_orig) => (float[2] x) { x = Identity(x_orig) }`,
			[]string{"x"},
			[]string{"x"},
			nil,
			[]string{"x"},
			[]string{"x"},
			nil,
		},
		"an output that is an input under another name": {
			`g (float[2] a) => (float[2] a, float[2] y) { y = Relu(a) }`,
			[]string{"x"},
			[]string{"same", "y"},
			[]string{"y = Relu(x)", "output_same: same = Identity(x)"},
			[]string{"x"},
			[]string{"same", "y"},
			nil,
		},
		"an output that is a weight": {
			`g (float[2] a) => (float[2] w, float[2] y) <float[2] w = {1, 2}> { y = Add(a, w) }`,
			[]string{"x"},
			[]string{"output_0", "output_1"},
			[]string{"output_1 = Add(x, w)", "output_output_0: output_0 = Identity(w)"},
			[]string{"x"},
			[]string{"output_0", "output_1"},
			nil,
		},
		"a body reads what is renamed": {
			`g (bool c, float[2] a) => (float[2] y) { y = If(c) <then_branch = t () => (float[2] state) { state = Relu(a) }, else_branch = e () => (float[2] n) { n = Neg(a) }> }`,
			[]string{"c", "state"},
			[]string{"n"},
			[]string{"n_out = If(c) then_branch=kind(5) else_branch=kind(5)", "  state = Relu(state_in)", "  n = Neg(state_in)"},
			[]string{"c", "state_in"},
			[]string{"n_out"},
			[]string{`input "state" is called "state_in": a value in the body of a node has that name`, `output "n" is called "n_out": a value in the body of a node has that name`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := graphtest.Text(t, "<ir_version: 9, opset_import: [\"\" : 17]>\n"+c.text)
			got, other := edit.NamePorts(m, edit.Ports{Inputs: c.inputs, Outputs: c.outputs})
			if nodes := graphtest.Nodes(got.Graph()); !slices.Equal(nodes, c.want) {
				t.Errorf("nodes are %q, want %q", nodes, c.want)
			}
			var in, out, said []string
			for _, v := range got.Graph().Inputs() {
				in = append(in, v.Name())
			}
			for _, v := range got.Graph().Outputs() {
				out = append(out, v.Name())
			}
			for _, o := range other {
				said = append(said, o.String())
			}
			if !slices.Equal(in, c.in) || !slices.Equal(out, c.out) || !slices.Equal(said, c.other) {
				t.Errorf("inputs %q, outputs %q, said %q", in, out, said)
			}
			again, _ := edit.NamePorts(got, edit.Ports{Inputs: in, Outputs: out})
			if nodes := graphtest.Nodes(again.Graph()); !slices.Equal(nodes, c.want) {
				t.Errorf("a second time nodes are %q", nodes)
			}
		})
	}
}

// IR 3 lists initializers among the inputs, where they keep their names.
func TestNamePortsOfOldModels(t *testing.T) {
	m := graphtest.Model(t, `
		ir 3
		opset 7
		input w f32[2]
		input a f32[2]
		init w f32[2] 1 2
		output y f32[2]
		y = Add(a, w)
	`)
	got, other := edit.NamePorts(m, edit.Ports{Inputs: []string{"w", "x"}, Outputs: []string{"output"}})
	if nodes := graphtest.Nodes(got.Graph()); !slices.Equal(nodes, []string{"output = Add(x, w)"}) || len(other) > 0 {
		t.Errorf("nodes are %q, said %v", nodes, other)
	}
}
