package filter

import (
	"context"

	"lathe/graphops"
)

// Matcher is an expression bound to a graph. It may be used concurrently.
type Matcher struct {
	facts *Facts
	holds holds
}

// Node reports whether the node at position i matches.
func (m *Matcher) Node(i int) bool { return m.holds(item{node: int32(i), value: -1}) }

// Value reports whether a value matches, where tests of nodes apply to the node that it belongs to.
func (m *Matcher) Value(v graphops.ValueID) bool { return m.holds(item{node: -1, value: v}) }

// ValueAlone reports whether a value matches without regard to nodes: by its name, type and
// metadata, and by its position before or after other values. Tests of nodes, such as op:Relu, are
// false.
func (m *Matcher) ValueAlone(v graphops.ValueID) bool {
	return m.holds(item{node: -1, value: v, alone: true})
}

// Constant reports whether a constant of the graph matches. t is the constant's tensor, and name
// its name.
func (m *Matcher) Constant(t *graphops.Tensor, name string) bool {
	v, ok := m.facts.index.Value(name)
	if !ok {
		v = -1
	}
	return m.holds(item{node: -1, value: v, tensor: t})
}

// TensorOf reports whether a tensor in an attribute of the node at position i matches.
func (m *Matcher) TensorOf(i int, t *graphops.Tensor) bool {
	return m.holds(item{node: int32(i), value: -1, tensor: t})
}

// chunk is the number of nodes between two checks of the context.
const chunk = 4096

// nodes filters the nodes in sections, in order. After each section it calls yield with the
// positions of the matching nodes of the section, and with the number of nodes examined so far.
// yield may keep the slice. If the context is cancelled, nodes stops and returns its error.
func (m *Matcher) nodes(ctx context.Context, yield func(found []int32, looked int)) error {
	n := len(m.facts.graph.Nodes())
	for from := 0; from < n; from += chunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		var found []int32
		to := min(n, from+chunk)
		for i := from; i < to; i++ {
			if m.Node(i) {
				found = append(found, int32(i))
			}
		}
		yield(found, to)
	}
	return ctx.Err()
}

// All returns the positions of all matching nodes, in order.
func (m *Matcher) All(ctx context.Context) ([]int32, error) {
	var all []int32
	err := m.nodes(ctx, func(found []int32, _ int) { all = append(all, found...) })
	return all, err
}
