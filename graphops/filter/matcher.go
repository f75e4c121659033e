package filter

import (
	"context"

	"lathe/graphops"
)

// Matcher is a filter bound to a graph. It may be used concurrently.
type Matcher struct {
	facts *Facts
	holds holds
}

// Node reports whether the node at a position matches.
func (m *Matcher) Node(i int) bool { return m.holds(item{node: int32(i), value: -1}) }

// Value reports whether a value matches.
func (m *Matcher) Value(v graphops.ValueID) bool { return m.holds(item{node: -1, value: v}) }

// ValueAlone reports whether a value matches by its own properties: its name, type, metadata, and
// position along the data. Tests of nodes, such as op:Relu, never match.
func (m *Matcher) ValueAlone(v graphops.ValueID) bool {
	return m.holds(item{node: -1, value: v, alone: true})
}

// Constant reports whether a tensor matches that is stored as a constant of the graph under a name.
func (m *Matcher) Constant(t *graphops.Tensor, name string) bool {
	v, ok := m.facts.index.Value(name)
	if !ok {
		v = -1
	}
	return m.holds(item{node: -1, value: v, tensor: t})
}

// TensorOf reports whether a tensor in an attribute of the node at a position matches.
func (m *Matcher) TensorOf(i int, t *graphops.Tensor) bool {
	return m.holds(item{node: int32(i), value: -1, tensor: t})
}

// chunk is the number of nodes between two checks of the context.
const chunk = 4096

// Nodes calls yield with the matching nodes in each section of the graph and with the number of
// nodes examined so far. It stops with the context's error if that is cancelled. yield may keep the
// slice.
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

// All returns the positions of all matching nodes, in order.
func (m *Matcher) All(ctx context.Context) ([]int32, error) {
	var all []int32
	err := m.Nodes(ctx, func(found []int32, _ int) { all = append(all, found...) })
	return all, err
}
