package ort

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// KindTensor is the kind of a dense tensor. The kind of any other value is its type as text, for
// example "seq(map(i64,f32))".
const KindTensor = "tensor"

// maxDepth limits how deep a value can nest. The deepest type in the runtime is an optional of a
// sequence of maps.
const maxDepth = 8

// arrival is a value whose bytes arrive in several frames.
type arrival struct {
	got   graphops.Got
	into  func(bytes int64) io.Writer
	steps []step // the byte sequences that have not arrived completely, in order
}

// step is a sequence of bytes that a value consists of, and the function to call when all of them
// have arrived.
type step struct {
	sink *wire.Sink
	take func([]byte) error
}

// expect prepares to receive the value that v announces. It returns an error if the announced type,
// shape and size contradict each other, before it allocates memory. into returns the writer for a
// tensor's elements; if it is nil or returns nil, they are kept in memory.
func expect(v *wire.Value, into func(bytes int64) io.Writer) (*arrival, error) {
	a := &arrival{got: graphops.Got{Name: v.Name}, into: into}
	err := a.value(v, &a.got.Value, 0)
	if err == nil && v.PartBytes > 0 {
		err = a.add(v.PartBytes, func(b []byte) (err error) {
			if a.got.Parts, err = wire.DecodeParts(b); err != nil {
				return err
			}
			return a.checkParts()
		})
	}
	if err != nil {
		return nil, fmt.Errorf("value %q: %w", v.Name, err)
	}
	return a, a.advance()
}

// checkParts returns an error if there is not one part for each tensor of the value.
func (a *arrival) checkParts() error {
	tensors := 0
	for range a.got.Value.Tensors() {
		tensors++
	}
	if n := len(a.got.Parts); n != 0 && n != tensors {
		return fmt.Errorf("it has %d tensors, and results for %d arrived", tensors, n)
	}
	return nil
}

func (a *arrival) add(size int64, take func([]byte) error) error {
	sink, err := wire.NewSink(size)
	a.steps = append(a.steps, step{sink, take})
	return err
}

// pass adds a step that writes the next size bytes, a tensor's elements, to a writer.
func (a *arrival) pass(size int64, to io.Writer) error {
	sink, err := wire.SinkTo(to, size)
	a.steps = append(a.steps, step{sink, nil})
	return err
}

func (a *arrival) value(v *wire.Value, into *graphops.Value, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	if v.Kind == KindTensor {
		return a.tensor(v, into)
	}
	typ, err := graphops.ParseType(v.Kind)
	if err != nil {
		return err
	}
	into.Type = typ
	if len(v.Items) > 0 {
		into.Items = make([]graphops.Value, len(v.Items))
	}
	for i := range v.Items {
		if err := a.value(&v.Items[i], &into.Items[i], depth+1); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	return nil
}

func (a *arrival) tensor(v *wire.Value, into *graphops.Value) error {
	*into = graphops.TensorValue(tensor.Tensor{DType: v.DType, Shape: v.Dims})
	count, err := tensor.Elements(v.Dims)
	if err != nil || v.Bare {
		return err
	}
	t := &into.Tensor
	if t.DType == tensor.String {
		return a.add(v.Bytes, func(b []byte) (err error) {
			t.Strings, err = wire.DecodeStrings(b, count)
			return err
		})
	}
	want, err := t.DType.ByteLen(count)
	if err != nil {
		return err
	}
	if v.Bytes != want {
		return fmt.Errorf("%s %s takes %d bytes, %d were announced", t.DType, tensor.FormatShape(t.Shape), want, v.Bytes)
	}
	if a.into != nil && into == &a.got.Value { // whole value, not an item of a sequence
		if to := a.into(want); to != nil {
			return a.pass(want, to)
		}
	}
	return a.add(want, func(b []byte) error { t.Data = b; return nil })
}

// receive reads the payload of one frame.
func (a *arrival) receive(r *wire.Reader) error {
	if a == nil || a.complete() {
		return errors.New("data arrived that belongs to no value")
	}
	if err := a.steps[0].sink.Take(r); err != nil {
		return err
	}
	return a.advance()
}

// advance calls the functions of the steps whose bytes have all arrived, and removes these steps.
func (a *arrival) advance() error {
	for len(a.steps) > 0 && a.steps[0].sink.Full() {
		if take := a.steps[0].take; take != nil {
			if err := take(a.steps[0].sink.Bytes()); err != nil {
				return fmt.Errorf("value %q: %w", a.got.Name, err)
			}
		}
		a.steps = a.steps[1:]
	}
	return nil
}

func (a *arrival) complete() bool { return a == nil || len(a.steps) == 0 }

// message collects the data that follows a request, in the order in which the request announces its
// values.
type message struct{ data []content }

// content is a sequence of bytes. It is either in memory or read from a file while it is sent.
type content struct {
	bytes  []byte
	stored io.ReaderAt // used if bytes is nil
	size   int64
}

func inMemory(b []byte) content { return content{bytes: b, size: int64(len(b))} }

// pieces yields the content in slices of at most wire.MaxPayload bytes. A slice is valid only until
// the next one is yielded.
func (c content) pieces(yield func([]byte, error) bool) {
	var buf []byte
	if c.stored != nil {
		buf = make([]byte, min(c.size, wire.MaxPayload))
	}
	for at := int64(0); at < c.size; {
		n := min(c.size-at, wire.MaxPayload)
		var part []byte
		var err error
		if c.stored == nil {
			part = c.bytes[at : at+n]
		} else {
			part = buf[:n]
			_, err = c.stored.ReadAt(part, at)
		}
		if !yield(part, err) {
			return
		}
		at += n
	}
}

// feeds adds the values to the message and returns their announcements, sorted by name. Equal feeds
// therefore always give the same bytes.
func (m *message) feeds(in graphops.Feeds) ([]wire.Value, error) {
	var out []wire.Value
	for _, name := range slices.Sorted(maps.Keys(in)) {
		v, err := m.value(in[name], 0)
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", name, err)
		}
		v.Name = name
		out = append(out, v)
	}
	return out, nil
}

func (m *message) value(v graphops.Value, depth int) (out wire.Value, err error) {
	if depth > maxDepth {
		return out, fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	if err := v.Check(); err != nil {
		return out, err
	}
	switch {
	case v.Stored != nil:
		return m.storedTensor(v)
	case v.IsTensor():
		return m.tensor(v.Tensor), nil
	}
	out.Kind = v.Type.String()
	for _, item := range v.Items {
		w, err := m.value(item, depth+1)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, w)
	}
	return out, nil
}

func (m *message) tensor(t tensor.Tensor) wire.Value {
	elements := t.Data
	if t.DType == tensor.String {
		elements = wire.EncodeStrings(t.Strings)
	}
	m.data = append(m.data, inMemory(elements))
	return wire.Value{Kind: KindTensor, DType: t.DType, Dims: t.Shape, Bytes: int64(len(elements))}
}

// storedTensor adds a tensor whose elements are not in memory; they are read from their file while
// they are sent. It returns the announcement.
func (m *message) storedTensor(v graphops.Value) (out wire.Value, err error) {
	n, err := tensor.Elements(v.Tensor.Shape)
	if err != nil {
		return out, err
	}
	size, err := v.Tensor.DType.ByteLen(n)
	if err != nil {
		return out, err
	}
	m.data = append(m.data, content{stored: v.Stored, size: size})
	return wire.Value{Kind: KindTensor, DType: v.Tensor.DType, Dims: v.Tensor.Shape, Bytes: size}, nil
}

func (m *message) wants(list []graphops.Want) ([]wire.Want, error) {
	var out []wire.Want
	for _, want := range list {
		w := wire.Want{Name: want.Name, Elements: want.Elements, Profile: want.Profile, First: want.First}
		if g := want.Grid; g != nil {
			w.Grid = &wire.Grid{View: view(g.View), Rows: int64(g.Rows), Columns: int64(g.Columns)}
		}
		if s := want.Window; s != nil {
			w.Window = &wire.Window{
				View: view(s.View), Row: s.Window.Row, Column: s.Window.Column,
				Rows: s.Window.Rows, Columns: s.Window.Columns,
			}
		}
		if a := want.Against; a != nil {
			if err := a.Tensor.Check(); err != nil {
				return nil, fmt.Errorf("the value that %q is compared with: %w", want.Name, err)
			}
			with := m.tensor(a.Tensor)
			w.Against = &wire.Against{Value: &with, RTol: a.Tolerance.RTol, ATol: a.Tolerance.ATol}
		}
		w.Extent, w.Bins = want.Extent, wire.EncodeBins(want.Bins)
		out = append(out, w)
	}
	return out, nil
}

func view(v tensor.View) wire.View {
	return wire.View{Down: int64(v.Down), Across: int64(v.Across), At: v.At}
}
