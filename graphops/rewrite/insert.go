package rewrite

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Spec describes a node to be created by Insert.
type Spec struct {
	Op, Domain string
	Inputs     []*Value // nil for an omitted one
	Attributes []*graphops.Attribute
	// Types are the types of the node's outputs, one for each.
	Types []shape.Type
	// For lists the nodes that the new node stands for. It gets a name derived from the first of
	// them, and the metadata of that node, such as the module it belongs to.
	For []*Node
}

// Insert creates a node before the node before, or at the end of the graph if that is nil. All of
// its inputs must be defined at that position. The names of its outputs are derived from the
// outputs of the first node in Spec.For.
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

// outputName returns the name of an output of the node. It returns "" if there is no such output.
func (n *Node) outputName(i int) string {
	if v := n.Out(min(i, len(n.out)-1)); v != nil {
		return v.name
	}
	return n.Name()
}

// nameAfter returns an unused name for a node with the operator op that is derived from n. If the
// name of n ends with the name of its operator, as in PyTorch's "/layers.0/norm/Add_1", op takes
// the place of that name.
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
