package rewrite

import (
	"slices"
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
	// Outputs are the node's outputs, if Types is nil: values of the graph that NewValue created,
	// and values that the node takes over from the nodes that produced them.
	Outputs []*Value
	// Name is the node's name, which gets a number if it is in use. The default is described at
	// For.
	Name string
	// For lists the nodes that the new node stands for. It gets a name derived from the first of
	// them, and the metadata of that node, such as the module it belongs to. The list may be empty
	// if Name and Outputs are set.
	For []*Node
}

// Insert creates a node before the node before, or at the end of the graph if that is nil. All of
// its inputs must be defined at that position. The names of its outputs are derived from the
// outputs of the first node in Spec.For.
func (g *Graph) Insert(before *Node, s Spec) *Node {
	var chief *Node
	if len(s.For) > 0 {
		chief = s.For[0]
	}
	n := g.newNode(nil)
	n.in = append([]*Value{}, s.Inputs...)
	name := ""
	if s.Name != "" {
		name = g.model.Names().Node(s.Name)
	} else {
		name = g.model.nameAfter(chief, s.Op)
	}
	g.model.ops[s.Op] = true
	n.spec = chief.specLike(graphops.NodeSpec{Op: s.Op, Domain: s.Domain, Name: name, Attributes: s.Attributes})
	n.Stands(s.For...)
	for _, v := range n.in {
		v.addReader(n)
	}
	for i, t := range s.Types {
		s.Outputs = append(s.Outputs, g.NewValue(chief.outputName(i)+"_"+s.Op, t))
	}
	for i, v := range s.Outputs {
		if p := v.Producer(); p != nil {
			p.SetOutput(slices.Index(p.out, v), nil)
		}
		n.SetOutput(i, v)
	}
	g.insertBefore(before, n)
	g.model.touch(n)
	return n
}

// specLike returns a node with the metadata of n, if n is not nil.
func (n *Node) specLike(s graphops.NodeSpec) *graphops.Node {
	spec := graphops.NewNode(s)
	if n != nil && len(n.spec.Metadata()) > 0 {
		spec = spec.WithMetadata(n.spec.Metadata())
	}
	return spec
}

// NewValue creates a value that has no producer until it becomes an output of a node, by SetOutput
// or Insert. Its name is base, or base with a number if that is in use.
func (g *Graph) NewValue(base string, t shape.Type) *Value {
	v := g.newValue(g.model.Names().Value(base))
	v.known.Type = t
	return v
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
		return m.Names().Node(name[:at] + op)
	}
	return m.Names().Node(name + "_" + op)
}
