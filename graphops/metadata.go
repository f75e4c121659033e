package graphops

import "google.golang.org/protobuf/encoding/protowire"

// tensorMetadata is TensorProto.metadata_props.
const tensorMetadata protowire.Number = 16

// withText is the message with a field of text replaced, "" for none.
func withText(head []byte, num protowire.Number, s string) []byte {
	b := without(head, num)
	if s != "" {
		b = appendString(b, num, s)
	}
	return b
}

// withEntries is the message with a field of entries replaced.
func withEntries(head []byte, num protowire.Number, entries []Entry) []byte {
	b := without(head, num)
	for _, e := range entries {
		b = appendEntry(b, num, e)
	}
	return b
}

// WithDoc is the node with another doc_string, "" for none.
func (n *Node) WithDoc(doc string) *Node {
	c := *n
	c.head = withText(n.head, nodeDoc, doc)
	return &c
}

// WithMetadata is the node with these metadata_props in place of its own.
func (n *Node) WithMetadata(entries []Entry) *Node {
	c := *n
	c.head = withEntries(n.head, nodeMetadata, entries)
	return &c
}

// WithDoc is the value info with another doc_string, "" for none.
func (v *ValueInfo) WithDoc(doc string) *ValueInfo {
	return &ValueInfo{name: v.name, head: withText(v.head, valueDoc, doc)}
}

// WithMetadata is the value info with these metadata_props in place of its own.
func (v *ValueInfo) WithMetadata(entries []Entry) *ValueInfo {
	return &ValueInfo{name: v.name, head: withEntries(v.head, valueMetadata, entries)}
}

// Doc is the tensor's doc_string.
func (t *Tensor) Doc() string { return lastString(t.head, tensorDoc) }

// Metadata are the tensor's metadata_props.
func (t *Tensor) Metadata() []Entry { return entriesOf(t.head, tensorMetadata) }

// WithDoc is the tensor with another doc_string, "" for none.
func (t *Tensor) WithDoc(doc string) *Tensor {
	c := *t
	c.head = withText(t.head, tensorDoc, doc)
	return &c
}

// WithMetadata is the tensor with these metadata_props in place of its own.
func (t *Tensor) WithMetadata(entries []Entry) *Tensor {
	c := *t
	c.head = withEntries(t.head, tensorMetadata, entries)
	return &c
}

// Doc is the function's doc_string.
func (f *Function) Doc() string { return lastString(f.head, functionDoc) }

// Metadata are the function's metadata_props.
func (f *Function) Metadata() []Entry { return entriesOf(f.head, functionMetadata) }

// WithDoc is the function with another doc_string, "" for none.
func (f *Function) WithDoc(doc string) *Function {
	c := *f
	c.head = withText(f.head, functionDoc, doc)
	return &c
}

// WithMetadata is the function with these metadata_props in place of its own.
func (f *Function) WithMetadata(entries []Entry) *Function {
	c := *f
	c.head = withEntries(f.head, functionMetadata, entries)
	return &c
}

// WithName is the graph under another name.
func (g *Graph) WithName(name string) *Graph { return g.withHead(withText(g.head, graphName, name)) }

// WithDoc is the graph with another doc_string, "" for none.
func (g *Graph) WithDoc(doc string) *Graph { return g.withHead(withText(g.head, graphDoc, doc)) }

// WithMetadata is the graph with these metadata_props in place of its own.
func (g *Graph) WithMetadata(entries []Entry) *Graph {
	return g.withHead(withEntries(g.head, graphMetadata, entries))
}

// withHead is the graph of the same contents with another head.
func (g *Graph) withHead(head []byte) *Graph {
	return &Graph{
		nodes: g.nodes, initializers: g.initializers, sparse: g.sparse,
		inputs: g.inputs, outputs: g.outputs, valueInfo: g.valueInfo, head: head,
	}
}
