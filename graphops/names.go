package graphops

import "strconv"

// Names creates unused names. Values and nodes have separate name spaces. A name counts as used if
// it occurs anywhere in the model, including bodies and functions. If a new value had a name from a
// body, the body could read the wrong value.
type Names struct {
	values, nodes map[string]bool
	// The last number that was appended, by base name. Smaller numbers are used, so they are not
	// tried again.
	valueNumbers, nodeNumbers map[string]int
	collided                  bool
}

// NamesOf collects the names of one model, or of several models that will be merged into one.
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

// HasNode reports whether a node has this name.
func (n *Names) HasNode(name string) bool { return n.nodes[name] }

// Value returns an unused name for a value and marks it as used. It is base, or base with a number
// appended.
func (n *Names) Value(base string) string { return n.fresh(n.values, n.valueNumbers, base) }

// Node returns an unused name for a node and marks it as used. It is base, or base with a number
// appended.
func (n *Names) Node(base string) string { return n.fresh(n.nodes, n.nodeNumbers, base) }

// NodeAfter returns an unused name for a node that is derived from another node: that node's name
// with suffix appended. If the other node has no name, the result is empty.
func (n *Names) NodeAfter(name, suffix string) string {
	if name == "" {
		return ""
	}
	return n.Node(name + suffix)
}

// Collided reports whether any requested name was already in use, so that a number was appended.
func (n *Names) Collided() bool { return n.collided }

// fresh returns base if it is unused, otherwise base with a number appended, and marks the result
// as used.
func (n *Names) fresh(taken map[string]bool, numbers map[string]int, base string) string {
	name := base
	for taken[name] {
		numbers[base]++
		name = base + "__" + strconv.Itoa(numbers[base])
	}
	taken[name] = true
	n.collided = n.collided || name != base
	return name
}
