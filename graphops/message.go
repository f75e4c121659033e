package graphops

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// Message is a serialized message, for those who need what no accessor tells.
// What is not well formed ends the fields that it yields. It is shared: callers
// read it and do not write.
type Message []byte

// Field is one field of a message.
type Field struct {
	Number protowire.Number
	Type   protowire.Type
	// Value is the content of a length-delimited field, the encoded value of any
	// other.
	Value []byte
}

// Fields yields the fields in the order of the message.
func (m Message) Fields() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for f := range fieldsOf(m) {
			if !yield(Field{f.num, f.typ, f.value}) {
				return
			}
		}
	}
}

// Varint is the last occurrence of an integer field.
func (m Message) Varint(num protowire.Number) (v int64, ok bool) { return lastVarint(m, num) }

// Text is the last occurrence of a length-delimited field.
func (m Message) Text(num protowire.Number) (s string, ok bool) {
	b, ok := lastBytes(m, num)
	return text(b), ok
}

// Message is a singular message field: one that occurs more than once is merged
// as protobuf merges it.
func (m Message) Message(num protowire.Number) (Message, bool) { return joinedMessage(m, num) }

// Messages yields every occurrence of a length-delimited field.
func (m Message) Messages(num protowire.Number) iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for f := range fieldsOf(m) {
			if f.num == num && f.typ == protowire.BytesType && !yield(f.value) {
				return
			}
		}
	}
}

// Head is the ModelProto without its graph, training_info and functions.
func (m *Model) Head() Message { return m.head }

// Head is the GraphProto without nodes, initializers and values; of a function's
// graph there is none.
func (g *Graph) Head() Message { return g.head }

// Head is the NodeProto, which may lack the attributes that Attributes has.
func (n *Node) Head() Message { return n.head }

// Head is the AttributeProto without tensors and graphs.
func (a *Attribute) Head() Message { return a.head }

// Head is the ValueInfoProto.
func (v *ValueInfo) Head() Message { return v.head }

// Head is the TensorProto without the fields that hold elements.
func (t *Tensor) Head() Message { return t.head }

// Head is the SparseTensorProto without its two tensors.
func (s *SparseTensor) Head() Message { return s.head }

// Head is the FunctionProto without nodes and value_info.
func (f *Function) Head() Message { return f.head }

// EachString calls f with the elements of a string tensor as they are stored, one
// after the other, so that a large tensor is never held whole. How many there are
// is not checked.
func (t *Tensor) EachString(f func(s string) error) error {
	if t.dtype != tensor.String || t.stored != fieldnum.TensorStringData && t.stored != 0 {
		return fmt.Errorf("tensor %q: its elements are no strings", t.name)
	}
	r := bufio.NewReader(t.data.Reader())
	for left := t.data.Len(); ; {
		_, err := binary.ReadUvarint(r) // the tag, the same of all
		if errors.Is(err, io.EOF) {
			return nil
		}
		n, err2 := binary.ReadUvarint(r)
		if err := errors.Join(err, err2); err != nil {
			return fmt.Errorf("tensor %q: %w", t.name, err)
		}
		if n > uint64(left) {
			return fmt.Errorf("tensor %q: a string of %d bytes among %d", t.name, n, left)
		}
		left -= int64(n)
		b := make([]byte, n)
		if _, err := io.ReadFull(r, b); err != nil {
			return fmt.Errorf("tensor %q: %w", t.name, err)
		}
		if err := f(text(b)); err != nil {
			return err
		}
	}
}
