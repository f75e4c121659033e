package graphops

import "fmt"

// Names is the authority for new names. Values and nodes have a name space
// each; both reach over the whole model, bodies and functions included, because
// a body would take a new value for the one that it captures.
type Names struct {
	values, nodes map[string]bool
	// These are, by base, how many numbers are taken for certain, since a name that
	// is taken stays so: many names of one base are found without trying all again.
	valueNumbers, nodeNumbers map[string]int
	collided                  bool
}

// NamesOf collects the names of models that are or become one.
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

// HasNode reports whether a node of the name occurs.
func (n *Names) HasNode(name string) bool { return n.nodes[name] }

// Value is a free name for a value, base or base with a number, and takes it.
func (n *Names) Value(base string) string { return n.fresh(n.values, n.valueNumbers, base) }

// Node is a free name for a node, base or base with a number, and takes it.
func (n *Names) Node(base string) string { return n.fresh(n.nodes, n.nodeNumbers, base) }

// NodeAfter is a free name for a node that comes from one of the given name;
// what comes from an unnamed one has none.
func (n *Names) NodeAfter(name, suffix string) string {
	if name == "" {
		return ""
	}
	return n.Node(name + suffix)
}

// Collided reports whether any name that was asked for was taken.
func (n *Names) Collided() bool { return n.collided }

// fresh is base, or base with a number, that is not taken; it is then.
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
