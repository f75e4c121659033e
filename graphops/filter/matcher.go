package filter

import (
	"context"

	"lathe/graphops"
)

// Matcher is a filter bound to a graph. Several goroutines may ask it at once.
type Matcher struct {
	facts *Facts
	holds holds
}

// Node reports whether the filter holds for the node at a position.
func (m *Matcher) Node(i int) bool { return m.holds(item{node: int32(i), value: -1}) }

// Value reports whether the filter holds for a value.
func (m *Matcher) Value(v graphops.ValueID) bool { return m.holds(item{node: -1, value: v}) }

// ValueAlone reports whether the filter holds for a value by what is said of the
// value itself: its name, type, metadata, where it stands along the data. What
// nodes are, as op:Relu, holds for none.
func (m *Matcher) ValueAlone(v graphops.ValueID) bool {
	return m.holds(item{node: -1, value: v, alone: true})
}

// Constant reports whether the filter holds for a tensor that is stored as a
// constant of the graph under a name.
func (m *Matcher) Constant(t *graphops.Tensor, name string) bool {
	v, ok := m.facts.index.Value(name)
	if !ok {
		v = -1
	}
	return m.holds(item{node: -1, value: v, tensor: t})
}

// TensorOf reports whether the filter holds for a tensor that an attribute of the
// node at a position holds.
func (m *Matcher) TensorOf(i int, t *graphops.Tensor) bool {
	return m.holds(item{node: int32(i), value: -1, tensor: t})
}

// chunk is how many nodes are looked at between two looks at the context.
const chunk = 4096

// Nodes calls yield with the nodes that match in each stretch of the graph and
// with how many were looked at so far, until all were. It stops with the
// context's error when that is cancelled. The slice is yield's to keep.
func (m *Matcher) Nodes(ctx context.Context, yield func(found []int32, looked int)) error {
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

// All are the positions of all nodes that match, in order.
func (m *Matcher) All(ctx context.Context) ([]int32, error) {
	var all []int32
	err := m.Nodes(ctx, func(found []int32, _ int) { all = append(all, found...) })
	return all, err
}
