package graphops

import (
	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// withText is the message with a field of text replaced, "" for none. A text that is there
// already stays as it is, an empty one too.
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

// withEntries is the message with a field of entries replaced. Those that are there already
// stay as they are written.
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

// WithDoc is the node with another doc_string, "" for none.
func (n *Node) WithDoc(doc string) *Node {
	c := *n
	c.head = withText(n.head, fieldnum.NodeDoc, doc)
	return &c
}

// WithMetadata is the node with these metadata_props in place of its own.
func (n *Node) WithMetadata(entries []Entry) *Node {
	c := *n
	c.head = withEntries(n.head, fieldnum.NodeMetadata, entries)
	return &c
}

// WithDoc is the value info with another doc_string, "" for none.
func (v *ValueInfo) WithDoc(doc string) *ValueInfo {
	return &ValueInfo{name: v.name, head: withText(v.head, fieldnum.ValueDoc, doc)}
}

// WithMetadata is the value info with these metadata_props in place of its own.
func (v *ValueInfo) WithMetadata(entries []Entry) *ValueInfo {
	return &ValueInfo{name: v.name, head: withEntries(v.head, fieldnum.ValueMetadata, entries)}
}

// Doc is the tensor's doc_string.
func (t *Tensor) Doc() string { return lastString(t.head, fieldnum.TensorDoc) }

// Metadata are the tensor's metadata_props.
func (t *Tensor) Metadata() []Entry { return entriesOf(t.head, fieldnum.TensorMetadata) }

// WithDoc is the tensor with another doc_string, "" for none.
func (t *Tensor) WithDoc(doc string) *Tensor {
	c := *t
	c.head = withText(t.head, fieldnum.TensorDoc, doc)
	return &c
}

// WithMetadata is the tensor with these metadata_props in place of its own.
func (t *Tensor) WithMetadata(entries []Entry) *Tensor {
	c := *t
	c.head = withEntries(t.head, fieldnum.TensorMetadata, entries)
	return &c
}

// Doc is the function's doc_string.
func (f *Function) Doc() string { return lastString(f.head, fieldnum.FunctionDoc) }

// Metadata are the function's metadata_props.
func (f *Function) Metadata() []Entry { return entriesOf(f.head, fieldnum.FunctionMetadata) }

// WithDoc is the function with another doc_string, "" for none.
func (f *Function) WithDoc(doc string) *Function {
	c := *f
	c.head = withText(f.head, fieldnum.FunctionDoc, doc)
	return &c
}

// WithMetadata is the function with these metadata_props in place of its own.
func (f *Function) WithMetadata(entries []Entry) *Function {
	c := *f
	c.head = withEntries(f.head, fieldnum.FunctionMetadata, entries)
	return &c
}

// WithName is the graph under another name.
func (g *Graph) WithName(name string) *Graph {
	return g.withHead(withText(g.head, fieldnum.GraphName, name))
}

// WithDoc is the graph with another doc_string, "" for none.
func (g *Graph) WithDoc(doc string) *Graph {
	return g.withHead(withText(g.head, fieldnum.GraphDoc, doc))
}

// WithMetadata is the graph with these metadata_props in place of its own.
func (g *Graph) WithMetadata(entries []Entry) *Graph {
	return g.withHead(withEntries(g.head, fieldnum.GraphMetadata, entries))
}

// withHead is the graph of the same contents with another head.
func (g *Graph) withHead(head []byte) *Graph {
	return &Graph{
		nodes: g.nodes, initializers: g.initializers, sparse: g.sparse,
		inputs: g.inputs, outputs: g.outputs, valueInfo: g.valueInfo, head: head,
	}
}
