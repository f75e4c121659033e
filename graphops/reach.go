package graphops

// Point is a node or a value of a graph.
type Point struct {
	node  int32 // -1 for a value
	value ValueID
}

// NodePoint is the node at a position.
func NodePoint(i int) Point { return Point{int32(i), -1} }

// ValuePoint is a value.
func ValuePoint(v ValueID) Point { return Point{-1, v} }

// Node is the position of the node that the point is, false for a value.
func (p Point) Node() (int, bool) { return int(p.node), p.node >= 0 }

// Value is the value that the point is, false for a node.
func (p Point) Value() (ValueID, bool) { return p.value, p.node < 0 }

// Reach is a part of a graph: some of its nodes and of its values.
type Reach struct {
	Nodes  []bool // by position
	Values []bool // by ValueID
}

func (x *Index) emptyReach() Reach {
	return Reach{make([]bool, len(x.graph.nodes)), make([]bool, len(x.names))}
}

// Holds reports whether the point belongs to the part.
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

// Both is what two parts of one graph have in common.
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

// direction is the way in which a walk follows the data.
type direction bool

const (
	downstream direction = true
	upstream   direction = false
)

// Ancestors are the nodes and values that the points depend on. A body depends on
// what it captures. A point is among them only if another one depends on it, or
// it on itself, which no valid graph has.
func (x *Index) Ancestors(of ...Point) Reach { return x.reach(upstream, of) }

// Descendants are the nodes and values that depend on the points, with the same
// exception.
func (x *Index) Descendants(of ...Point) Reach { return x.reach(downstream, of) }

// reach walks from the points over nodes; a node and its values are met once.
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

// beyond are the nodes on the far side of a value.
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

// across are the values on the far side of a node.
func (x *Index) across(way direction, n int32) []ValueID {
	if way == downstream {
		return x.flow().makes.of(n)
	}
	return x.flow().reads.of(n)
}

// Between is everything on a way along the data from one of the first points to
// one of the second, ends included: what depends on the first and what the second
// depend on. It is empty where there is no such way.
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
