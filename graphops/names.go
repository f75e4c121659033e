package graphops

import "fmt"

// Names creates new names. Values and nodes have separate name spaces. Both cover the whole
// model, including bodies and functions, because otherwise a body could use a new value instead of
// the one that it captures.
type Names struct {
	values, nodes map[string]bool
	// The numbers that are known to be taken, by base name. Taken names stay taken, so further
	// names with the same base need not try these numbers again.
	valueNumbers, nodeNumbers map[string]int
	collided                  bool
}

// NamesOf collects the names of models that are, or will become, one model.
func NamesOf(models ...*Model) *Names {
	n := &Names{
		values: map[string]bool{"": true}, nodes: map[string]bool{"": true},
		valueNumbers: map[string]int{}, nodeNumbers: map[string]int{},
	}
	for _, m := range models {
		n.model(m)
	}
	return n
}

func (n *Names) model(m *Model) {
	for g := range m.Graphs() {
		for _, list := range [][]*ValueInfo{g.inputs, g.outputs, g.valueInfo} {
			for _, v := range list {
				n.values[v.name] = true
			}
		}
		for _, t := range g.initializers {
			n.values[t.name] = true
		}
		for _, s := range g.sparse {
			n.values[s.Name()] = true
		}
		for _, node := range g.nodes {
			n.node(node)
		}
	}
}

func (n *Names) node(node *Node) {
	n.nodes[node.name] = true
	for _, list := range [][]string{node.inputs, node.outputs} {
		for _, s := range list {
			n.values[s] = true
		}
	}
}

// HasNode reports whether there is a node with this name.
func (n *Names) HasNode(name string) bool { return n.nodes[name] }

// Value returns an unused name for a value, base or base with a number, and takes it.
func (n *Names) Value(base string) string { return n.fresh(n.values, n.valueNumbers, base) }

// Node returns an unused name for a node, base or base with a number, and takes it.
func (n *Names) Node(base string) string { return n.fresh(n.nodes, n.nodeNumbers, base) }

// NodeAfter returns an unused name for a node derived from the node with the given name. A node
// derived from an unnamed node has no name.
func (n *Names) NodeAfter(name, suffix string) string {
	if name == "" {
		return ""
	}
	return n.Node(name + suffix)
}

// Collided reports whether any requested name was already taken.
func (n *Names) Collided() bool { return n.collided }

// fresh returns base, or base with a number, that is not taken, and takes it.
func (n *Names) fresh(taken map[string]bool, numbers map[string]int, base string) string {
	name := base
	for taken[name] {
		numbers[base]++
		name = fmt.Sprintf("%s__%d", base, numbers[base])
	}
	taken[name] = true
	n.collided = n.collided || name != base
	return name
}
