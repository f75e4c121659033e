package weights

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
)

// Item is a dense tensor of a model and its position. The tensor is an initializer or the value of
// an attribute, such as that of a Constant.
type Item struct {
	*graphops.Tensor
	Place *graphops.Place
	// Node is the index of the node with the tensor, and Attribute the name of the attribute. For
	// an initializer, Node is -1.
	Node      int
	Attribute string
}

// Value returns the name of the value that has the tensor's elements: the name of an initializer,
// or of the output of a Constant. It returns "" for a tensor in any other attribute.
func (i Item) Value() string {
	if i.Node < 0 {
		return i.Name()
	}
	if n := i.Place.Graph.Nodes()[i.Node]; n.Is("Constant") && len(n.Outputs()) == 1 {
		return n.Output(0)
	}
	return ""
}

// String describes the item in one line. The path to its place is followed by the name of the
// value, or by the node and the attribute.
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

// List returns the dense tensors of a model. For each place, initializers come first, then tensors in
// attributes of nodes.
func List(m *graphops.Model) []Item { return slices.Collect(items(m)) }

// items yields the dense tensors of a model. For each place, initializers come first, then tensors
// in attributes of nodes. The values and indices of sparse tensors are not included.
func items(m *graphops.Model) iter.Seq[Item] {
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
