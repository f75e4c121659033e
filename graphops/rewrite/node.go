package rewrite

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// Node is one operation of a graph.
type Node struct {
	id         int
	graph      *Graph
	spec       *graphops.Node // operator, name, attributes, metadata
	in, out    []*Value       // nil if omitted
	bodies     []*Graph       // in the order of the attributes
	from       *Sites
	prev, next *Node
	gone       bool
	// asked is the spec for which refersToCall is known.
	asked        *graphops.Node
	refersToCall bool
	// taken counts how often each value is an input of the node. It is used for nodes with many
	// inputs, and nil until it is needed.
	taken map[*Value]int
}

// manyInputs is the number of inputs up to which takes searches the list of inputs instead of using
// a map.
const manyInputs = 16

// takes reports whether a value is an input of the node. For a node with thousands of inputs it is
// called for each of them, so it uses a map.
func (n *Node) takes(v *Value) bool {
	if len(n.in) <= manyInputs {
		return slices.Contains(n.in, v)
	}
	if n.taken == nil {
		n.taken = map[*Value]int{}
		for _, in := range n.in {
			n.taken[in]++
		}
	}
	return n.taken[v] > 0
}

// Graph returns the graph of the node.
func (n *Node) Graph() *Graph { return n.graph }

// Name returns the node's name.
func (n *Node) Name() string { return n.spec.Name() }

// Op returns the operator's name.
func (n *Node) Op() string { return n.spec.OpType() }

// Domain returns the operator's domain, "" for the standard.
func (n *Node) Domain() string { return n.spec.Domain() }

// Is reports whether the node has one of these standard operators and the values of all its
// attributes are known. It is false if an attribute has the value of an attribute of a function's
// call, and if a function of the model has the name of the operator.
func (n *Node) Is(ops ...string) bool {
	return n.IsOf(graphops.DefaultDomain, ops...)
}

// IsOf is Is for operators of the given domain.
func (n *Node) IsOf(domain string, ops ...string) bool {
	return n != nil && n.Domain() == domain && slices.Contains(ops, n.Op()) && !n.refers() && !n.IsCall()
}

// In returns the input at position i. It is nil if the input is omitted.
func (n *Node) In(i int) *Value {
	if i >= len(n.in) {
		return nil
	}
	return n.in[i]
}

// InputCount returns the number of inputs, including omitted ones before the last.
func (n *Node) InputCount() int { return len(n.in) }

// OutputCount returns the number of outputs, including omitted ones before the last.
func (n *Node) OutputCount() int { return len(n.out) }

// Inputs returns the inputs of the node. An omitted one is nil.
func (n *Node) Inputs() []*Value { return slices.Clone(n.in) }

// Out returns the output at position i. It is nil if the output is omitted.
func (n *Node) Out(i int) *Value {
	if i >= len(n.out) {
		return nil
	}
	return n.out[i]
}

// Outputs returns the outputs of the node. An omitted one is nil.
func (n *Node) Outputs() []*Value { return slices.Clone(n.out) }

// AppendValues appends the inputs and then the outputs of the node to a list. An omitted one is nil.
func (n *Node) AppendValues(list []*Value) []*Value { return append(append(list, n.in...), n.out...) }

// Bodies returns the graphs in the node's attributes.
func (n *Node) Bodies() []*Graph { return slices.Clone(n.bodies) }

// Gone reports whether the node was removed.
func (n *Node) Gone() bool { return n.gone }

// Prev returns the previous node of the graph, nil at the beginning.
func (n *Node) Prev() *Node { return n.prev }

// IsCall reports whether the node calls a function of the model.
func (n *Node) IsCall() bool {
	return len(n.graph.model.hidden) > 0 && n.graph.model.hides(n.spec.Calls())
}

// Next returns the next node of the graph, nil at the end.
func (n *Node) Next() *Node { return n.next }

// Schema returns the schema of the operator in the imported version. It is nil if neither the
// standard nor ONNX Runtime defines the operator.
func (n *Node) Schema() *opschema.Schema {
	return n.graph.model.schema(schemaKey{n.Domain(), n.Op(), n.graph.Opset(n.Domain())})
}

// SetInput sets the input at position i. A nil value omits the input.
func (n *Node) SetInput(i int, v *Value) {
	if n.In(i) == v {
		return
	}
	for i >= len(n.in) {
		n.in, n.taken = append(n.in, nil), nil
	}
	n.in[i].dropReader()
	if n.taken != nil {
		n.taken[n.in[i]]--
		n.taken[v]++
	}
	n.in[i] = v
	v.addReader(n)
	if v == nil {
		n.in, n.taken = withoutEnd(n.in), nil
	}
	n.graph.model.touch(n)
}

// SetInputs sets all inputs. A nil value omits an input.
func (n *Node) SetInputs(values ...*Value) {
	for _, v := range n.in {
		v.dropReader()
	}
	n.in, n.taken = withoutEnd(values), nil
	for _, v := range n.in {
		v.addReader(n)
	}
	n.graph.model.touch(n)
}

// withoutEnd returns a list of inputs without the omitted ones at its end.
func withoutEnd(values []*Value) []*Value {
	end := len(values)
	for end > 0 && values[end-1] == nil {
		end--
	}
	return slices.Clone(values[:end])
}

// SetOp changes the operator of the node to another standard operator and keeps everything else.
func (n *Node) SetOp(op string) {
	if n.Op() == op {
		return
	}
	n.graph.model.ops[op] = true
	n.spec = n.specLike(graphops.NodeSpec{Op: op, Name: n.Name(), Attributes: n.Attributes()}).WithDoc(n.spec.Doc())
	n.graph.model.touch(n)
}

// Stands records that the node also stands for the nodes of the loaded model for which others
// stand, because they become part of it.
func (n *Node) Stands(others ...*Node) {
	sets := []*Sites{n.from}
	for _, o := range others {
		sets = append(sets, o.from)
	}
	n.from = JoinSites(sets...)
}

// From returns the nodes of the loaded model that this node stands for.
func (n *Node) From() *Sites { return n.from }

// Origin returns the first node of From. It panics if From is empty, as it can be for an inserted node.
func (n *Node) Origin() Site {
	s, ok := n.from.First()
	if !ok {
		panic("rewrite: " + n.Name() + " has no node of the loaded model")
	}
	return s
}

// Remove removes the node from its graph. It panics if an output of the node is used.
func (n *Node) Remove() {
	if i := slices.IndexFunc(n.out, (*Value).IsUsed); i >= 0 {
		panic("rewrite: a node is removed whose output " + n.out[i].name + " is used")
	}
	n.graph.model.touch(n)
	n.unlink()
}

// unlink removes the node and its bodies from its graph, even if outputs of the node are used.
func (n *Node) unlink() {
	n.gone = true
	for _, b := range n.bodies {
		b.drop()
	}
	for _, v := range n.in {
		v.dropReader()
	}
	n.graph.cut(n)
}
