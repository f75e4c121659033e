package sensitivity

import (
	"fmt"

	"lathe/graphops"
)

// Named returns the model with a name of its own for each node.
func Named(m *graphops.Model) *graphops.Model {
	names := newNames(m)
	return m.EditPlaces(func(_ *graphops.Place, e *graphops.GraphEditor) (edited bool) {
		for i, n := range e.Nodes {
			if name := names.of(n); name != n.Name() {
				e.Nodes[i], edited = n.WithName(name), true
			}
		}
		return edited
	})
}

// names finds a unique name for each node.
type names struct {
	count map[string]int
	// next is the number at which the search for a free name begins, by the rest of the name. So nodes
	// with equal names do not try each other's numbers again.
	next map[string]int
}

func newNames(m *graphops.Model) *names {
	x := &names{map[string]int{}, map[string]int{}}
	for n := range m.AllNodes() {
		x.count[n.Name()]++
		if n.Is("Gemm") {
			x.count[n.Name()+"_MatMul"]++ // dynamic quantization also knows it by this name
		}
	}
	return x
}

// of returns the node's name if no other node has it, or else a new one.
func (x *names) of(n *graphops.Node) string {
	if n.Name() != "" && x.count[n.Name()] == 1 {
		return n.Name()
	}
	stem := fmt.Sprintf("%s_%s_", n.Name(), n.OpType())
	for i := max(x.count[n.Name()], x.next[stem]); ; i++ {
		name := fmt.Sprint(stem, i)
		if x.count[name] == 0 {
			x.count[name]++
			x.next[stem] = i + 1
			return name
		}
	}
}
