package edit

import (
	"fmt"

	"lathe/graphops"
)

// Ports has new names for the inputs and outputs of the main graph, in order. If a list is shorter
// than that of the graph, the remaining ones keep their names. An input with an initializer always
// keeps its name.
type Ports struct{ Inputs, Outputs []string }

// Renamed is an input or output that did not get the name that was requested.
type Renamed struct {
	Output     bool
	Wanted, Is string
	Why        string
}

func (r Renamed) String() string {
	what := "input"
	if r.Output {
		what = "output"
	}
	return fmt.Sprintf("%s %q is called %q: %s", what, r.Wanted, r.Is, r.Why)
}

// NamePorts gives the inputs and outputs of the main graph the names in want. If another value has
// such a name, that value is renamed. Only initializers keep their names, because files of weights
// identify them by name; an input or output then gets a name with a suffix. If an output is also an
// input, an initializer or another output, an Identity gives it a name of its own, unless the input
// and the output shall have the same name.
func NamePorts(m *graphops.Model, want Ports) (*graphops.Model, []Renamed) {
	n := &portNames{want: want, editor: graphops.EditGraph(m.Graph()), names: graphops.NamesOf(m), taken: map[string]string{}, to: map[string]string{}}
	n.takeBodies(m)
	n.joinEqual()
	n.split()
	n.nameInputs()
	n.nameOutputs()
	n.giveWay()
	return m.WithGraph(m.Places()[0], n.editor.Graph().Renamed(n.to)), n.other
}

// portNames is the state of one call of NamePorts.
type portNames struct {
	want   Ports
	editor *graphops.GraphEditor
	names  *graphops.Names
	taken  map[string]string // unavailable names, with what has them
	to     map[string]string // new names of values, by their old names
	other  []Renamed
}

// takeBodies marks the names of initializers, and of values that bodies define, as taken. If an
// input had the name of a value in a body, the body could not read the input.
func (n *portNames) takeBodies(m *graphops.Model) {
	for _, p := range m.Places() {
		if p.Function != nil {
			continue
		}
		for _, t := range p.Graph.Initializers() {
			n.taken[t.Name()] = "a weight has that name"
		}
		if p.Kind == graphops.MainGraph {
			continue
		}
		for _, v := range p.Graph.Inputs() {
			n.taken[v.Name()] = inBody
		}
		for _, node := range p.Graph.Nodes() {
			for _, name := range node.Outputs() {
				n.taken[name] = inBody
			}
		}
	}
}

const inBody = "a value in the body of a node has that name"

// joinEqual removes an Identity from an input to an output if both shall have the same name. The
// input then is the output.
func (n *portNames) joinEqual() {
	made := map[string]int{}
	for i, node := range n.editor.Nodes {
		if node.Is("Identity") && len(node.Inputs()) == 1 {
			made[node.Output(0)] = i
		}
	}
	gone := map[int]bool{}
	for o, v := range n.editor.Outputs {
		at, ok := made[v.Name()]
		if !ok || o >= len(n.want.Outputs) || n.isRead(v.Name()) {
			continue
		}
		for i, in := range n.editor.Inputs {
			if in.Name() == n.editor.Nodes[at].Input(0) && i < len(n.want.Inputs) && n.want.Inputs[i] == n.want.Outputs[o] {
				n.editor.Outputs[o] = v.WithName(in.Name())
				gone[at] = true
			}
		}
	}
	kept := n.editor.Nodes[:0:0]
	for i, node := range n.editor.Nodes {
		if !gone[i] {
			kept = append(kept, node)
		}
	}
	n.editor.Nodes = kept
}

// isRead reports whether a node reads the value, itself or in a body.
func (n *portNames) isRead(name string) bool {
	for _, node := range n.editor.Nodes {
		for _, in := range node.Inputs() {
			if in == name {
				return true
			}
		}
		for _, in := range node.Captured() {
			if in == name {
				return true
			}
		}
	}
	return false
}

// split inserts an Identity before an output that is also an input, an initializer or another
// output, if they shall have different names.
func (n *portNames) split() {
	had := map[string]string{} // the new name of such a value as an input
	for i, v := range n.editor.Inputs {
		had[v.Name()] = v.Name()
		if i < len(n.want.Inputs) {
			had[v.Name()] = n.want.Inputs[i]
		}
	}
	for _, t := range n.editor.Initializers {
		had[t.Name()] = t.Name()
	}
	for i, v := range n.editor.Outputs {
		name, is := had[v.Name()]
		if is && i < len(n.want.Outputs) && name != n.want.Outputs[i] {
			own := n.names.Value(v.Name())
			n.editor.Nodes = append(n.editor.Nodes, graphops.NewNode(graphops.NodeSpec{Op: "Identity", Name: n.names.Node("output_" + n.want.Outputs[i]), Inputs: []string{v.Name()}, Outputs: []string{own}}))
			n.editor.Outputs[i] = v.WithName(own)
		}
		had[n.editor.Outputs[i].Name()] = ""
	}
}

func (n *portNames) nameInputs() {
	weights := map[string]bool{}
	for _, t := range n.editor.Initializers {
		weights[t.Name()] = true
	}
	for i, v := range n.editor.Inputs {
		if weights[v.Name()] {
			continue // the default of an input, or a constant that IR 3 lists among the inputs
		}
		if i < len(n.want.Inputs) {
			n.name(v.Name(), n.want.Inputs[i], false)
		} else {
			n.taken[v.Name()] = "an input has that name"
		}
	}
}

func (n *portNames) nameOutputs() {
	inputs := map[string]bool{}
	for _, v := range n.editor.Inputs {
		inputs[v.Name()] = true
	}
	for i, v := range n.editor.Outputs {
		if i < len(n.want.Outputs) && !inputs[v.Name()] && n.editor.Outputs[i].Name() != "" {
			if _, weight := n.taken[v.Name()]; weight && v.Name() == n.want.Outputs[i] {
				continue // a weight that is an output under its own name
			}
			n.name(v.Name(), n.want.Outputs[i], true)
		}
	}
}

// name gives a value the wanted name, or that name with a suffix if it is taken.
func (n *portNames) name(value, want string, output bool) {
	is, suffix := want, "_in"
	if output {
		suffix = "_out"
	}
	for i := 1; n.taken[is] != ""; i++ {
		is = want + suffix
		if i > 1 {
			is = fmt.Sprint(want, suffix, i)
		}
	}
	if is != want {
		n.other = append(n.other, Renamed{output, want, is, n.taken[want]})
	}
	n.to[value] = is
	n.taken[is] = "an input has that name"
	if output {
		n.taken[is] = "another output has that name"
	}
}

// giveWay renames other values that have the name of an input or output now.
func (n *portNames) giveWay() {
	given := map[string]bool{}
	for _, is := range n.to {
		given[is] = true
	}
	for _, node := range n.editor.Nodes {
		for _, name := range node.Outputs() {
			if _, port := n.to[name]; !port && given[name] {
				n.to[name] = n.names.Value(name)
			}
		}
	}
}
