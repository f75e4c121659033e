package rewrite

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Spec is a node to be made.
type Spec struct {
	Op, Domain string
	Inputs     []*Value // nil for one that is left out
	Attributes []*graphops.Attribute
	// Types are those of the outputs, one for each.
	Types []shape.Type
	// For are the nodes that it stands for, the chief one first: after that one it is
	// called, and from there it has its metadata, such as the module it belongs to.
	For []*Node
}

// Insert makes a node in front of another one of the graph. All of its inputs are
// defined there. Its outputs are called after the chief node's.
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

// outputName is what an output is called, "" where there is none.
func (n *Node) outputName(i int) string {
	if v := n.Out(min(i, len(n.out)-1)); v != nil {
		return v.name
	}
	return n.Name()
}

// nameAfter is a free name for a node that comes from another one: with the name of
// the operator in place of the old one where the name ends like that, as PyTorch's
// "/layers.0/norm/Add_1" does.
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
