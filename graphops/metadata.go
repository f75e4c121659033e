package graphops

import (
	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// withText returns the message head with a text field replaced. An empty text removes the field. If
// the field already has this text, head is returned unchanged, even if the field is present and
// empty.
func withText(head []byte, num protowire.Number, s string) []byte {
	if lastString(head, num) == s {
		return head
	}
	b := without(head, num)
	if s != "" {
		b = appendString(b, num, s)
	}
	return b
}

// withEntries returns the message head with the entries of a field replaced. An entry with the same
// key and value as an existing one keeps its encoding, including unknown fields.
func withEntries(head []byte, num protowire.Number, entries []Entry) []byte {
	written := map[Entry][]byte{}
	for f := range fieldsOf(head) {
		if f.num == num && f.typ == protowire.BytesType {
			written[decodeEntry(f.value)] = f.whole
		}
	}
	b := without(head, num)
	for _, e := range entries {
		if whole, ok := written[e]; ok {
			b = append(b, whole...)
			continue
		}
		b = appendEntry(b, num, e)
	}
	return b
}

// WithDoc returns the node with another doc_string. An empty text removes it.
func (n *Node) WithDoc(doc string) *Node {
	c := *n
	c.head, c.bare = withText(n.head, fieldnum.NodeDoc, doc), false
	return &c
}

// WithMetadata returns the node with other metadata_props.
func (n *Node) WithMetadata(entries []Entry) *Node {
	c := *n
	c.head, c.bare = withEntries(n.head, fieldnum.NodeMetadata, entries), false
	return &c
}

// WithDoc returns the value info with another doc_string. An empty text removes it.
func (v *ValueInfo) WithDoc(doc string) *ValueInfo {
	return &ValueInfo{name: v.name, head: withText(v.head, fieldnum.ValueDoc, doc)}
}

// WithMetadata returns the value info with other metadata_props.
func (v *ValueInfo) WithMetadata(entries []Entry) *ValueInfo {
	return &ValueInfo{name: v.name, head: withEntries(v.head, fieldnum.ValueMetadata, entries)}
}

// Doc returns the tensor's doc_string.
func (t *Tensor) Doc() string { return lastString(t.head, fieldnum.TensorDoc) }

// Metadata returns the tensor's metadata_props.
func (t *Tensor) Metadata() []Entry { return entriesOf(t.head, fieldnum.TensorMetadata) }

// WithDoc returns the tensor with another doc_string. An empty text removes it.
func (t *Tensor) WithDoc(doc string) *Tensor {
	c := *t
	c.head = withText(t.head, fieldnum.TensorDoc, doc)
	return &c
}

// WithMetadata returns the tensor with other metadata_props.
func (t *Tensor) WithMetadata(entries []Entry) *Tensor {
	c := *t
	c.head = withEntries(t.head, fieldnum.TensorMetadata, entries)
	return &c
}

// Doc returns the function's doc_string.
func (f *Function) Doc() string { return lastString(f.head, fieldnum.FunctionDoc) }

// Metadata returns the function's metadata_props.
func (f *Function) Metadata() []Entry { return entriesOf(f.head, fieldnum.FunctionMetadata) }

// WithDoc returns the function with another doc_string. An empty text removes it.
func (f *Function) WithDoc(doc string) *Function {
	c := *f
	c.head = withText(f.head, fieldnum.FunctionDoc, doc)
	return &c
}

// WithMetadata returns the function with other metadata_props.
func (f *Function) WithMetadata(entries []Entry) *Function {
	c := *f
	c.head = withEntries(f.head, fieldnum.FunctionMetadata, entries)
	return &c
}

// WithName returns the graph with another name.
func (g *Graph) WithName(name string) *Graph {
	return g.withHead(withText(g.head, fieldnum.GraphName, name))
}

// WithDoc returns the graph with another doc_string. An empty text removes it.
func (g *Graph) WithDoc(doc string) *Graph {
	return g.withHead(withText(g.head, fieldnum.GraphDoc, doc))
}

// WithMetadata returns the graph with other metadata_props.
func (g *Graph) WithMetadata(entries []Entry) *Graph {
	return g.withHead(withEntries(g.head, fieldnum.GraphMetadata, entries))
}

// withHead returns a graph with the same nodes and values. head has its other fields as encoded
// bytes, such as the name and the metadata.
func (g *Graph) withHead(head []byte) *Graph {
	return &Graph{
		nodes: g.nodes, initializers: g.initializers, sparse: g.sparse,
		inputs: g.inputs, outputs: g.outputs, valueInfo: g.valueInfo, head: head,
	}
}
