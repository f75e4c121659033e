package graphops

import (
	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// Node is one operation of a graph.
type Node struct {
	name, opType, domain, overload string
	inputs, outputs                []string
	// head is the serialized NodeProto without the attributes in attrs. attrs
	// holds all of them or none: they are decoded ahead only where one of them
	// holds a graph or a payload that stays in the file.
	head  []byte
	attrs []*Attribute
}

// Name is the node's name, often unique and possibly empty.
func (n *Node) Name() string { return n.name }

// OpType is the operator's name, or that of a model-local function.
func (n *Node) OpType() string { return n.opType }

// Domain is the operator's domain with the two spellings of the default one,
// "" and "ai.onnx", made one: "".
func (n *Node) Domain() string { return NormalDomain(n.domain) }

// Overload tells functions of one name apart.
func (n *Node) Overload() string { return n.overload }

// Inputs are the names of the values that the node reads, by position. An empty
// name is an optional input that is left out.
func (n *Node) Inputs() []string { return n.inputs }

// Outputs are the names of the values that the node makes, by position. An
// empty name is an output that nobody wants.
func (n *Node) Outputs() []string { return n.outputs }

// isConstant reports whether the node is a Constant, which a runtime turns into
// an initializer.
func (n *Node) isConstant() bool {
	return n.opType == "Constant" && len(n.outputs) == 1 && n.Domain() == DefaultDomain
}

// Doc is the node's doc_string.
func (n *Node) Doc() string { return lastString(n.head, fieldnum.NodeDoc) }

// Metadata are the node's metadata_props.
func (n *Node) Metadata() []Entry { return entriesOf(n.head, fieldnum.NodeMetadata) }

// Attributes decodes the node's attributes in the order of the file.
func (n *Node) Attributes() []*Attribute {
	if n.attrs != nil {
		return n.attrs
	}
	var out []*Attribute
	for f := range fieldsOf(n.head) {
		if f.num == fieldnum.NodeAttribute && f.typ == protowire.BytesType {
			out = append(out, mustAttribute(f.value))
		}
	}
	return out
}

// Attribute finds an attribute by name.
func (n *Node) Attribute(name string) (*Attribute, bool) {
	for _, a := range n.attrs {
		if a.name == name {
			return a, true
		}
	}
	for f := range fieldsOf(n.head) {
		if f.num == fieldnum.NodeAttribute && f.typ == protowire.BytesType && lastString(f.value, fieldnum.AttrName) == name {
			return mustAttribute(f.value), true
		}
	}
	return nil, false
}

// Graphs are the bodies that the node's attributes hold, such as the branches
// of an If, in the order of the attributes.
func (n *Node) Graphs() []*Graph {
	var out []*Graph
	for _, a := range n.attrs {
		out = append(out, a.Graphs()...)
	}
	return out
}

// mustAttribute decodes an attribute that decoding the node has checked.
func mustAttribute(b []byte) *Attribute {
	d := &decoder{}
	a := &Attribute{}
	c := memoryCursor(b)
	if err := d.attribute(c, a); err != nil {
		return &Attribute{name: lastString(b, fieldnum.AttrName), head: b}
	}
	return a
}

// NodeSpec lists what a new node consists of.
type NodeSpec struct {
	Op, Domain, Name string
	Inputs, Outputs  []string
	Attributes       []*Attribute
}

// NewNode makes a node.
func NewNode(s NodeSpec) *Node {
	n := &Node{name: s.Name, opType: s.Op, domain: s.Domain, inputs: s.Inputs, outputs: s.Outputs}
	n.head = n.appendFields(nil, nil)
	if len(s.Attributes) > 0 {
		n.attrs = s.Attributes
	}
	return n
}

// appendFields writes the fields that Node holds decoded. An empty text is written if it
// stood in the message before.
func (n *Node) appendFields(b, was []byte) []byte {
	for _, s := range n.inputs {
		b = appendString(b, fieldnum.NodeInput, s)
	}
	for _, s := range n.outputs {
		b = appendString(b, fieldnum.NodeOutput, s)
	}
	b = appendString(b, fieldnum.NodeOpType, n.opType)
	for _, f := range []struct {
		num  protowire.Number
		text string
	}{{fieldnum.NodeName, n.name}, {fieldnum.NodeDomain, n.domain}, {fieldnum.NodeOverload, n.overload}} {
		if f.text != "" || hasField(was, f.num) {
			b = appendString(b, f.num, f.text)
		}
	}
	return b
}

// rewritten is the node with its decoded fields written anew and everything
// else kept.
func (n Node) rewritten() *Node {
	rest := without(n.head, fieldnum.NodeInput, fieldnum.NodeOutput, fieldnum.NodeName, fieldnum.NodeOpType, fieldnum.NodeDomain, fieldnum.NodeOverload)
	n.head = append(n.appendFields(nil, n.head), rest...)
	return &n
}

// WithInputs is the node reading other values.
func (n *Node) WithInputs(names []string) *Node {
	c := *n
	c.inputs = names
	return c.rewritten()
}

// WithOutputs is the node making values of other names.
func (n *Node) WithOutputs(names []string) *Node {
	c := *n
	c.outputs = names
	return c.rewritten()
}

// WithName is the node under another name.
func (n *Node) WithName(name string) *Node {
	c := *n
	c.name = name
	return c.rewritten()
}

// WithAttributes is the node with these attributes in place of its own.
func (n *Node) WithAttributes(attrs []*Attribute) *Node {
	c := *n
	c.head = without(n.head, fieldnum.NodeAttribute)
	c.attrs = attrs
	if len(attrs) == 0 {
		c.attrs = nil
	}
	return &c
}

// Constants of operator domains.
const (
	// DefaultDomain is the domain of the standard operators.
	DefaultDomain = ""
	// StandardDomain is the long spelling of DefaultDomain.
	StandardDomain = "ai.onnx"
	// MicrosoftDomain is the domain of ONNX Runtime's own operators.
	MicrosoftDomain = "com.microsoft"
)

// NormalDomain maps "ai.onnx", the long spelling of the default domain, to "".
func NormalDomain(domain string) string {
	if domain == StandardDomain {
		return DefaultDomain
	}
	return domain
}
