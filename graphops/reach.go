package graphops

// Point is a node or a value of a graph.
type Point struct {
	node  int32 // index of the node; -1 for a value
	value ValueID
}

// NodePoint returns the Point for the node with index i.
func NodePoint(i int) Point { return Point{int32(i), -1} }

// ValuePoint returns the Point for a value.
func ValuePoint(v ValueID) Point { return Point{-1, v} }

// Node returns the index of the node. ok is false for a value.
func (p Point) Node() (int, bool) { return int(p.node), p.node >= 0 }

// Value returns the value. ok is false for a node.
func (p Point) Value() (ValueID, bool) { return p.value, p.node < 0 }

// Reach is a set of nodes and values of a graph.
type Reach struct {
	Nodes  []bool // by index
	Values []bool // by ValueID
}

func (x *Index) emptyReach() Reach {
	return Reach{make([]bool, len(x.graph.nodes)), make([]bool, len(x.ids.names))}
}

// Holds reports whether the set contains the point.
func (r Reach) Holds(p Point) bool {
	if p.node >= 0 {
		return r.Nodes[p.node]
	}
	return r.Values[p.value]
}

func (r Reach) add(p Point) {
	if p.node >= 0 {
		r.Nodes[p.node] = true
	} else {
		r.Values[p.value] = true
	}
}

// Both returns the intersection of two sets.
func (r Reach) Both(other Reach) Reach {
	out := Reach{make([]bool, len(r.Nodes)), make([]bool, len(r.Values))}
	for i := range out.Nodes {
		out.Nodes[i] = r.Nodes[i] && other.Nodes[i]
	}
	for v := range out.Values {
		out.Values[v] = r.Values[v] && other.Values[v]
	}
	return out
}

// direction is the direction in which a search follows the data.
type direction bool

const (
	downstream direction = true
	upstream   direction = false
)

// Ancestors returns the nodes and values that the given ones depend on. A node also depends on the
// values that its bodies capture. A given node or value is part of the result only if another given
// one depends on it. (In an invalid graph with a cycle it may also depend on itself.)
func (x *Index) Ancestors(of ...Point) Reach { return x.reach(upstream, of) }

// Descendants returns the nodes and values that depend on the given ones. A given node or value is
// part of the result only if it depends on another given one, or on itself in a cycle.
func (x *Index) Descendants(of ...Point) Reach { return x.reach(downstream, of) }

// reach returns everything that a search reaches from the given nodes and values. It visits each
// node and value once.
func (x *Index) reach(way direction, from []Point) Reach {
	r := x.emptyReach()
	var stack []int32
	leave := func(v ValueID) {
		for _, n := range x.beyond(way, v) {
			if !r.Nodes[n] {
				r.Nodes[n] = true
				stack = append(stack, n)
			}
		}
	}
	arrive := func(n int32) {
		for _, v := range x.across(way, n) {
			if !r.Values[v] {
				r.Values[v] = true
				leave(v)
			}
		}
	}
	for _, p := range from {
		if p.node >= 0 {
			arrive(p.node)
		} else {
			leave(p.value)
		}
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		arrive(n)
	}
	return r
}

// beyond returns the nodes at the other end of a value: its readers downstream, or its producer
// upstream.
func (x *Index) beyond(way direction, v ValueID) []int32 {
	switch {
	case way == downstream:
		return x.Readers(v)
	case x.producer[v] < 0:
		return nil
	default:
		return x.producer[v : v+1]
	}
}

// across returns the values at the other side of a node: what it produces downstream, or what it
// reads upstream.
func (x *Index) across(way direction, n int32) []ValueID {
	if way == downstream {
		return x.flow().makes.of(n)
	}
	return x.flow().reads.of(n)
}

// Between returns all nodes and values on paths along the data from one of the points from to one
// of the points to, including these ends. It is empty if there is no such path.
func (x *Index) Between(from, to []Point) Reach {
	down, up := x.Descendants(from...), x.Ancestors(to...)
	for _, p := range from {
		down.add(p)
	}
	for _, p := range to {
		up.add(p)
	}
	return down.Both(up)
}
