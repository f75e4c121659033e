package graphops

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// Node is one operation of a graph: a call of an operator or of a model-local function.
type Node struct {
	name, opType, domain, overload string
	inputs, outputs                []string
	// attrs has either all attributes or none. They are decoded when the model is opened only if
	// one of them has a graph or a payload that stays in the file. Otherwise they stay in head,
	// which is the serialized NodeProto without the decoded attributes.
	head  []byte
	attrs []*Attribute
	// bare is set if head has nothing besides the fields that are decoded above, as is so for most
	// nodes. Head then need not be searched for anything else.
	bare bool
}

// Name returns the node's name, which may be empty and need not be unique.
func (n *Node) Name() string { return n.name }

// OpType returns the name of the operator or of the model-local function.
func (n *Node) OpType() string { return n.opType }

// Domain returns the operator's domain. The default domain, spelled "" or "ai.onnx", is always
// "".
func (n *Node) Domain() string { return NormalDomain(n.domain) }

// Op returns the node's operator.
func (n *Node) Op() Op { return Op{n.Domain(), n.opType} }

// StandardOp returns the type of an operator of the ONNX standard. It returns "" for a node of any
// other domain, so that an operator of another domain with the name of a standard one is not taken
// for it.
func (n *Node) StandardOp() string {
	if n.Domain() != DefaultDomain {
		return ""
	}
	return n.opType
}

// IsConstantValue reports whether an attribute of Constant holds the value. A Constant has exactly
// one such attribute.
func IsConstantValue(name string) bool {
	return name == "value" || name == "sparse_value" || strings.HasPrefix(name, "value_")
}

// Is reports whether the node is this operator of the ONNX standard.
func (n *Node) Is(op string) bool { return n.opType == op && n.Domain() == DefaultDomain }

// Overload returns the overload of the called function. It distinguishes functions with the same
// domain and name.
func (n *Node) Overload() string { return n.overload }

// Inputs returns the names of the values that the node reads, by position. An empty name is an
// optional input that is not given.
func (n *Node) Inputs() []string { return n.inputs }

// Outputs returns the names of the values that the node produces, by position. An empty name is
// an output that is not used.
func (n *Node) Outputs() []string { return n.outputs }

// Input returns the name of input i. It is empty if the node leaves the input out or has fewer inputs.
func (n *Node) Input(i int) string { return nameAt(n.inputs, i) }

// Output returns the name of output i. It is empty if the node leaves the output out or has fewer
// outputs.
func (n *Node) Output(i int) string { return nameAt(n.outputs, i) }

func nameAt(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return ""
	}
	return names[i]
}

// IsConstant reports whether the node is a Constant with its one output, which a runtime turns into
// an initializer.
func (n *Node) IsConstant() bool {
	return n.Is("Constant") && len(n.outputs) == 1 && n.outputs[0] != ""
}

// Doc returns the node's doc_string.
func (n *Node) Doc() string { return lastString(n.rest(), fieldnum.NodeDoc) }

// Metadata returns the node's metadata_props.
func (n *Node) Metadata() []Entry { return entriesOf(n.rest(), fieldnum.NodeMetadata) }

// rest returns the head, to search it for fields that are not decoded. It is empty if the head has no
// such fields.
func (n *Node) rest() []byte {
	if n.bare {
		return nil
	}
	return n.head
}

// Attributes decodes the node's attributes in file order.
func (n *Node) Attributes() []*Attribute {
	if n.attrs != nil {
		return n.attrs
	}
	var out []*Attribute
	for f := range fieldsOf(n.rest()) {
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
	for f := range fieldsOf(n.rest()) {
		if f.num == fieldnum.NodeAttribute && f.typ == protowire.BytesType && lastString(f.value, fieldnum.AttrName) == name {
			return mustAttribute(f.value), true
		}
	}
	return nil, false
}

// Graphs returns the bodies in the node's attributes, such as the branches of an If, in the
// order of the attributes.
func (n *Node) Graphs() []*Graph {
	var out []*Graph
	for _, a := range n.attrs {
		out = append(out, a.Graphs()...)
	}
	return out
}

// mustAttribute decodes an attribute. It cannot fail, because the attribute was checked when the
// model was opened.
func mustAttribute(b []byte) *Attribute {
	d := &decoder{}
	a := &Attribute{}
	c := memoryCursor(b)
	if err := d.attribute(c, a); err != nil {
		return &Attribute{name: lastString(b, fieldnum.AttrName), head: b}
	}
	return a
}

// NodeSpec has the parts of a new node. Everything except Op may be empty.
type NodeSpec struct {
	Op, Domain, Name string
	Inputs, Outputs  []string
	Attributes       []*Attribute
}

// NewNode creates a node.
func NewNode(s NodeSpec) *Node {
	n := &Node{name: s.Name, opType: s.Op, domain: s.Domain, inputs: s.Inputs, outputs: s.Outputs}
	n.head, n.bare = n.appendFields(nil, nil), true
	if len(s.Attributes) > 0 {
		n.attrs = s.Attributes
	}
	return n
}

// appendFields appends the fields of NodeProto that Node stores decoded, such as the inputs and the
// name. An empty text is left out unless the message was has that field.
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

// rewritten returns the node with a head that matches its decoded fields. All other fields in the
// head are kept.
func (n Node) rewritten() *Node {
	rest := without(n.rest(), fieldnum.NodeInput, fieldnum.NodeOutput, fieldnum.NodeName, fieldnum.NodeOpType, fieldnum.NodeDomain, fieldnum.NodeOverload)
	n.head = append(n.appendFields(nil, n.head), rest...)
	return &n
}

// WithInputs returns the node with other inputs.
func (n *Node) WithInputs(names []string) *Node {
	c := *n
	c.inputs = names
	return c.rewritten()
}

// WithOutputs returns the node with other outputs.
func (n *Node) WithOutputs(names []string) *Node {
	c := *n
	c.outputs = names
	return c.rewritten()
}

// WithName returns the node with another name.
func (n *Node) WithName(name string) *Node {
	c := *n
	c.name = name
	return c.rewritten()
}

// WithAttributes returns the node with other attributes.
func (n *Node) WithAttributes(attrs []*Attribute) *Node {
	c := *n
	if !n.bare {
		c.head = without(n.head, fieldnum.NodeAttribute)
	}
	c.attrs = attrs
	if len(attrs) == 0 {
		c.attrs = nil
	}
	return &c
}

// Domains of operators.
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
