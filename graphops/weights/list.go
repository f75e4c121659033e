package weights

import (
	"iter"
	"strconv"
	"strings"

	"lathe/graphops"
)

// Item is a dense tensor of a model and where it is: an initializer, or the value of a node's
// attribute, such as that of a Constant.
type Item struct {
	*graphops.Tensor
	Place *graphops.Place
	// Node is the position of the node with the tensor, -1 for an initializer, and Attribute the
	// name of the attribute.
	Node      int
	Attribute string
}

// Value returns the name of the tensor's value in its place: that of an initializer, or the output
// of a Constant; "" for other attributes.
func (i Item) Value() string {
	if i.Node < 0 {
		return i.Name()
	}
	if n := i.Place.Graph.Nodes()[i.Node]; n.OpType() == "Constant" && len(n.Outputs()) == 1 {
		return n.Outputs()[0]
	}
	return ""
}

// String describes the item in one line: the value, or the node and its attribute, after the path
// to its place.
func (i Item) String() string {
	name := i.Value()
	if name == "" && i.Node >= 0 {
		if name = i.Place.Graph.Nodes()[i.Node].Name(); name == "" {
			name = "#" + strconv.Itoa(i.Node)
		}
		name += ":" + i.Attribute
	}
	return strings.Join(append(i.Place.Hops(), name), " › ")
}

// Items yields the dense tensors of a model, place by place: first initializers, then those in
// attributes of nodes. The parts of sparse tensors are not included.
func Items(m *graphops.Model) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for _, p := range m.Places() {
			for _, t := range p.Graph.Initializers() {
				if !yield(Item{t, p, -1, ""}) {
					return
				}
			}
			for i, n := range p.Graph.Nodes() {
				if !attributeItems(p, i, n, yield) {
					return
				}
			}
		}
	}
}

func attributeItems(p *graphops.Place, i int, n *graphops.Node, yield func(Item) bool) bool {
	for _, a := range n.Attributes() {
		for _, t := range a.Tensors() {
			if !yield(Item{t, p, i, a.Name()}) {
				return false
			}
		}
	}
	return true
}
