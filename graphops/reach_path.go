package graphops

import "slices"

// Path is a shortest path along the data between two points.
type Path struct {
	// Points are the nodes and values on the path in turn, in the direction of the data, including
	// both ends. It is empty if there is no path in either direction.
	Points []Point
	// Against is set if the path goes from the second of the given points to the first.
	Against bool
}

// Path finds a shortest path along the data from a to b. If there is none, it tries from b to a. If
// there are several shortest paths, it always returns the same one.
func (x *Index) Path(a, b Point) Path {
	if p := x.downPath(a, b); p != nil {
		return Path{Points: p}
	}
	if p := x.downPath(b, a); p != nil {
		return Path{Points: p, Against: true}
	}
	return Path{}
}

// pathSearch is a breadth-first search in the direction of the data. via has the value through
// which each node was reached. No such list is needed for values, because a value has only one
// producer.
type pathSearch struct {
	x     *Index
	via   []ValueID // by node, the value through which it was reached
	met   []bool    // by node
	queue []int32
}

func (x *Index) downPath(from, to Point) []Point {
	if from == to {
		return []Point{from}
	}
	s := &pathSearch{x: x, via: make([]ValueID, len(x.graph.nodes)), met: make([]bool, len(x.graph.nodes))}
	if from.node < 0 {
		if s.leave(from.value, to) {
			return s.back(from, to)
		}
	} else if s.arrive(from.node, to) {
		return s.back(from, to)
	}
	for at := 0; at < len(s.queue); at++ {
		if s.arrive(s.queue[at], to) {
			return s.back(from, to)
		}
	}
	return nil
}

// arrive visits the outputs of a node. It reports whether it found the end of the path.
func (s *pathSearch) arrive(n int32, to Point) bool {
	for _, v := range s.x.flow().makes.of(n) {
		if to.node < 0 && v == to.value || s.leave(v, to) {
			return true
		}
	}
	return false
}

func (s *pathSearch) leave(v ValueID, to Point) bool {
	for _, n := range s.x.Readers(v) {
		if s.met[n] {
			continue
		}
		s.met[n], s.via[n] = true, v
		if n == to.node {
			return true
		}
		s.queue = append(s.queue, n)
	}
	return false
}

// back returns the path that was found. It follows the search back from the end to the start.
func (s *pathSearch) back(from, to Point) []Point {
	out := []Point{to}
	for at := to; at != from; out = append(out, at) {
		if at.node >= 0 {
			at = ValuePoint(s.via[at.node])
		} else {
			at = NodePoint(int(s.x.producer[at.value]))
		}
	}
	slices.Reverse(out)
	return out
}
