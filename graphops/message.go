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

// Message is a serialized protobuf message. Callers use it to read fields for which this package
// has no accessor. Iteration stops at malformed data. Messages are shared and must not be changed.
type Message []byte

// Field is one field of a message.
type Field struct {
	Number protowire.Number
	Type   protowire.Type
	// Value is the content of a length-delimited field. For other fields it is the value as it is
	// encoded in the message.
	Value []byte
}

// Fields yields the fields in message order.
func (m Message) Fields() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for f := range fieldsOf(m) {
			if !yield(Field{f.num, f.typ, f.value}) {
				return
			}
		}
	}
}

// Varint returns the value of an integer field. If it occurs several times, the last one counts.
func (m Message) Varint(num protowire.Number) (v int64, ok bool) { return lastVarint(m, num) }

// Text returns the content of a text or bytes field. If it occurs several times, the last one
// counts.
func (m Message) Text(num protowire.Number) (s string, ok bool) {
	b, ok := lastBytes(m, num)
	return text(b), ok
}

// Message returns the content of a field with a single message. If it occurs several times, the
// contents are merged, as protobuf requires.
func (m Message) Message(num protowire.Number) (Message, bool) { return joinedMessage(m, num) }

// Messages yields the content of every occurrence of a field with messages.
func (m Message) Messages(num protowire.Number) iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for f := range fieldsOf(m) {
			if f.num == num && f.typ == protowire.BytesType && !yield(f.value) {
				return
			}
		}
	}
}

// Head returns the serialized ModelProto without its graph, training_info and functions.
func (m *Model) Head() Message { return m.head }

// Head returns the serialized GraphProto without nodes, initializers and values. It is empty for
// the graph of a function.
func (g *Graph) Head() Message { return g.head }

// Head returns the serialized NodeProto. It may lack the attributes, which callers should get from
// Attributes.
func (n *Node) Head() Message { return n.head }

// Head returns the serialized AttributeProto without tensors and graphs.
func (a *Attribute) Head() Message { return a.head }

// Head returns the serialized ValueInfoProto.
func (v *ValueInfo) Head() Message { return v.head }

// Head returns the serialized TensorProto without the fields that contain elements.
func (t *Tensor) Head() Message { return t.head }

// Head returns the serialized SparseTensorProto without its two tensors.
func (s *SparseTensor) Head() Message { return s.head }

// Head returns the serialized FunctionProto without nodes and value_info.
func (f *Function) Head() Message { return f.head }

// EachString calls f with each element of a string tensor, in the order in which they are stored.
// Only one element at a time is in memory. EachString does not check that their number matches the
// shape.
func (t *Tensor) EachString(f func(s string) error) error {
	if t.dtype != tensor.String || t.stored != fieldnum.TensorStringData && t.stored != 0 {
		return fmt.Errorf("tensor %q: its elements are not strings", t.name)
	}
	r := bufio.NewReader(t.data.Reader())
	for left := t.data.Len(); ; {
		_, err := binary.ReadUvarint(r) // the tag, which is the same for all
		if errors.Is(err, io.EOF) {
			return nil
		}
		n, err2 := binary.ReadUvarint(r)
		if err := errors.Join(err, err2); err != nil {
			return fmt.Errorf("tensor %q: %w", t.name, err)
		}
		if n > uint64(left) {
			return fmt.Errorf("tensor %q: a string claims %d bytes, but only %d are left", t.name, n, left)
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
