package check

import (
	"slices"

	"lathe/graphops"
)

// links finds which nodes read a node's outputs, directly or in a body.
type links struct {
	place *graphops.Place
	graph *graphops.Graph
	index *graphops.Index
}

func linksOf(p *graphops.Place) links { return links{p, p.Graph, p.Graph.Index()} }

// next returns the nodes that read an output of the node.
func (l links) next(node int) []int32 {
	var out []int32
	for _, o := range l.graph.Nodes()[node].Outputs() {
		if v, ok := l.index.Value(o); ok && o != "" && l.index.Producer(v) == node {
			out = append(out, l.index.Readers(v)...)
		}
	}
	return out
}

// inOrder reports whether every node comes after the nodes that it needs.
func (l links) inOrder() bool {
	for v := range l.index.Values() {
		id := graphops.ValueID(v)
		if made := l.index.Producer(id); made >= 0 {
			if readers := l.index.Readers(id); len(readers) > 0 && int(readers[0]) <= made {
				return false
			}
		}
	}
	return true
}

// value returns a value that one node produces and another reads.
func (l links) value(from, to int) string {
	for _, o := range l.graph.Nodes()[from].Outputs() {
		v, ok := l.index.Value(o)
		if ok && o != "" && slices.Contains(l.index.Readers(v), int32(to)) {
			return o
		}
	}
	return ""
}

// knots returns the groups of nodes that are connected by cycles (strongly connected components),
// in the order of their first nodes. It uses Tarjan's algorithm with an explicit stack.
func (l links) knots() [][]int {
	t := tarjan{links: l, low: make([]int, len(l.graph.Nodes())), number: make([]int, len(l.graph.Nodes()))}
	for i := range l.graph.Nodes() {
		if t.number[i] == 0 {
			t.visit(i)
		}
	}
	slices.SortFunc(t.found, func(a, b []int) int { return slices.Min(a) - slices.Min(b) })
	return t.found
}

type tarjan struct {
	links
	low, number []int // by node; a number of 0 means not yet visited, -1 means done
	count       int
	open        []int // nodes of components that are not complete
	stack       []step
	found       [][]int
}

// step is a node on the path with the successors that are still to be visited.
type step struct {
	node int
	next []int32
}

func (t *tarjan) visit(node int) {
	t.enter(node)
	for len(t.stack) > 0 {
		top := &t.stack[len(t.stack)-1]
		if len(top.next) == 0 {
			t.leave(top.node)
			continue
		}
		next := int(top.next[0])
		top.next = top.next[1:]
		switch {
		case t.number[next] == 0:
			t.enter(next)
		case t.number[next] > 0:
			t.low[top.node] = min(t.low[top.node], t.number[next])
		}
	}
}

func (t *tarjan) enter(node int) {
	t.count++
	t.number[node], t.low[node] = t.count, t.count
	t.open = append(t.open, node)
	t.stack = append(t.stack, step{node, t.next(node)})
}

func (t *tarjan) leave(node int) {
	t.stack = t.stack[:len(t.stack)-1]
	if len(t.stack) > 0 {
		before := t.stack[len(t.stack)-1].node
		t.low[before] = min(t.low[before], t.low[node])
	}
	if t.low[node] != t.number[node] {
		return
	}
	i := len(t.open) - 1
	for t.open[i] != node {
		i--
	}
	part := slices.Clone(t.open[i:])
	t.open = t.open[:i]
	for _, n := range part {
		t.number[n] = -1
	}
	if len(part) > 1 || slices.Contains(t.next(node), int32(node)) {
		t.found = append(t.found, part)
	}
}

// shortest returns the shortest cycle through the first node of a group, in the order in which data
// flows.
func (l links) shortest(part []int) []int {
	first := slices.Min(part)
	inside := make(map[int]bool, len(part))
	for _, n := range part {
		inside[n] = true
	}
	before := map[int]int{}
	todo := []int{first}
	for len(todo) > 0 {
		node := todo[0]
		todo = todo[1:]
		for _, next := range l.next(node) {
			to := int(next)
			if to == first {
				return wayTo(before, first, node)
			}
			if _, seen := before[to]; inside[to] && !seen {
				before[to] = node
				todo = append(todo, to)
			}
		}
	}
	return []int{first}
}

// wayTo returns the path from first to node, by following the recorded predecessors back from node.
func wayTo(before map[int]int, first, node int) []int {
	way := []int{node}
	for node != first {
		node = before[node]
		way = append(way, node)
	}
	slices.Reverse(way)
	return way
}
