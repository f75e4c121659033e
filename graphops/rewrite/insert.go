package rewrite

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Spec describes a node to be created.
type Spec struct {
	Op, Domain string
	Inputs     []*Value // nil for an omitted one
	Attributes []*graphops.Attribute
	// Types are the types of the outputs.
	Types []shape.Type
	// For lists the nodes that it stands for, the main one first. The new node's name is derived
	// from that one, and it gets its metadata, such as the module it belongs to.
	For []*Node
}

// Insert creates a node before another one of the graph. All of its inputs must be defined there.
// The names of its outputs are derived from the main node's.
func (g *Graph) Insert(before *Node, s Spec) *Node {
	chief := s.For[0]
	n := &Node{graph: g, in: append([]*Value{}, s.Inputs...)}
	n.spec = graphops.NewNode(graphops.NodeSpec{
		Op: s.Op, Domain: s.Domain, Name: g.model.nameAfter(chief, s.Op), Attributes: s.Attributes,
	})
	if list := chief.spec.Metadata(); len(list) > 0 {
		n.spec = n.spec.WithMetadata(list)
	}
	n.Stands(s.For...)
	for _, v := range n.in {
		v.addReader(n)
	}
	for i, t := range s.Types {
		n.out = append(n.out, &Value{
			name: g.model.names.Value(chief.outputName(i) + "_" + s.Op), graph: g, producer: n, known: shape.Value{Type: t},
		})
	}
	g.insertBefore(before, n)
	g.model.touch(n)
	return n
}

// outputName returns the name of an output, "" if there is none.
func (n *Node) outputName(i int) string {
	if v := n.Out(min(i, len(n.out)-1)); v != nil {
		return v.name
	}
	return n.Name()
}

// nameAfter returns a free name for a node that is made from another one. If the old name ends with
// the name of the operator, as in PyTorch's "/layers.0/norm/Add_1", the new operator's name
// replaces it.
func (m *Model) nameAfter(n *Node, op string) string {
	name := n.Name()
	if name == "" {
		return ""
	}
	at := strings.LastIndexByte(name, '/') + 1
	if last := name[at:]; last == n.Op() || strings.HasPrefix(last, n.Op()+"_") {
		return m.names.Node(name[:at] + op)
	}
	return m.names.Node(name + "_" + op)
}
