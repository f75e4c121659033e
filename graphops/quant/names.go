package quant

import (
	"fmt"

	"lathe/graphops"
)

// names gives names to new values and nodes, which have a name space each.
type names struct {
	values, nodes map[string]bool
	collided      bool // a name was taken
}

// namesIn collects the names of all values and nodes of a model, those in
// bodies too: a body would take a new value for the one that it captures.
func namesIn(m *graphops.Model) *names {
	n := &names{values: map[string]bool{}, nodes: map[string]bool{}}
	for g := range m.Graphs() {
		for _, list := range [][]*graphops.ValueInfo{g.Inputs(), g.Outputs()} {
			for _, v := range list {
				n.values[v.Name()] = true
			}
		}
		for _, t := range g.Initializers() {
			n.values[t.Name()] = true
		}
		for _, s := range g.SparseInitializers() {
			n.values[s.Name()] = true
		}
	}
	for node := range m.AllNodes() {
		n.nodes[node.Name()] = true
		for _, list := range [][]string{node.Inputs(), node.Outputs()} {
			for _, name := range list {
				n.values[name] = true
			}
		}
	}
	return n
}

// value is a free name for a value: base, or base with a number.
func (n *names) value(base string) string { return n.fresh(n.values, base) }

// node is a free name for a node.
func (n *names) node(base string) string { return n.fresh(n.nodes, base) }

// nodeAfter is a free name for a node that comes from one of the given name;
// what comes from an unnamed one has none.
func (n *names) nodeAfter(name, suffix string) string {
	if name == "" {
		return ""
	}
	return n.node(name + suffix)
}

func (n *names) fresh(taken map[string]bool, base string) string {
	name := base
	for i := 1; taken[name]; i++ {
		name = fmt.Sprintf("%s__%d", base, i)
		n.collided = true
	}
	taken[name] = true
	return name
}
