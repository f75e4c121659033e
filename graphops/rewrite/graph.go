package rewrite

import (
	"iter"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Graph is the main graph, a body or the content of a function.
type Graph struct {
	model       *Model
	place       *graphops.Place // of the loaded model
	origin      *graphops.Graph
	holder      *Node // for a body
	first, last *Node
	count       int
	inputs      []*Value
	outputs     []*Value
	constants   []*Value // in file order, including removed ones
	values      []*Value // those that the loaded graph defines, by their number in its index; nil for others
	room        room
}

// Place returns the graph's place in the loaded model.
func (g *Graph) Place() *graphops.Place { return g.place }

// Model returns the model to which the graph belongs.
func (g *Graph) Model() *Model { return g.model }

// IsMain reports whether the graph is the model's main graph.
func (g *Graph) IsMain() bool { return g.place.Kind == graphops.MainGraph }

// IsFunction reports whether the graph is the content of a function.
func (g *Graph) IsFunction() bool { return g.place.Kind == graphops.FunctionBody }

// Holder returns the node that has this body. It is nil for other graphs.
func (g *Graph) Holder() *Node { return g.holder }

// Inputs returns the graph's inputs.
func (g *Graph) Inputs() []*Value { return g.inputs }

// Outputs returns the graph's outputs.
func (g *Graph) Outputs() []*Value { return g.outputs }

// First returns the first node of the graph, nil if it has none.
func (g *Graph) First() *Node { return g.first }

// Len returns the number of nodes in the graph, without those in bodies.
func (g *Graph) Len() int { return g.count }

// Nodes iterates over the nodes in order. During the iteration, the caller may remove any node
// except the next one, and may insert nodes before the next one.
func (g *Graph) Nodes() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for n := g.first; n != nil; {
			next := n.next
			if !n.gone && !yield(n) {
				return
			}
			for next != nil && next.gone {
				next = next.next
			}
			n = next
		}
	}
}

// within reports whether the graph is outer or a body inside it, at any depth.
func (g *Graph) within(outer *Graph) bool {
	for ; g != nil; g = g.around() {
		if g == outer {
			return true
		}
	}
	return false
}

// around returns the graph that contains the node with this body. It is nil for other graphs.
func (g *Graph) around() *Graph {
	if g.holder == nil {
		return nil
	}
	return g.holder.graph
}

// Opset returns the version of a domain that applies to the nodes of the graph. It is 0 if the
// domain is not imported.
func (g *Graph) Opset(domain string) int64 {
	if f := g.place.Function; f != nil {
		v, _ := f.Opset(domain)
		return v
	}
	return g.model.opset(domain)
}

// insertBefore inserts the node n before the node at, or at the end if at is nil.
func (g *Graph) insertBefore(at, n *Node) {
	n.graph, n.next = g, at
	if at == nil {
		n.prev, g.last = g.last, n
	} else {
		n.prev, at.prev = at.prev, n
	}
	if n.prev == nil {
		g.first = n
	} else {
		n.prev.next = n
	}
	g.count++
}

// cut unlinks a node. The node keeps its own next pointer, so that an iteration that has reached
// the node can continue.
func (g *Graph) cut(n *Node) {
	if n.prev == nil {
		g.first = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		g.last = n.prev
	} else {
		n.next.prev = n.prev
	}
	g.count--
}

// drop marks the nodes of a body as gone. It removes their uses of values, and those of the body's
// outputs.
func (g *Graph) drop() {
	for _, v := range g.outputs {
		v.outputs--
	}
	for n := g.first; n != nil; n = n.next {
		n.gone = true
		for _, b := range n.bodies {
			b.drop()
		}
		for _, v := range n.in {
			v.dropReader()
		}
	}
}

// typeOf returns the type of a stored tensor.
func typeOf(t *graphops.Tensor) shape.Type {
	return shape.FromFile(graphops.Type{Kind: graphops.TypeTensor, Elem: t.DType(), Shape: graphops.FixedShape(t.Dims())})
}
