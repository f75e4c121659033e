package evaluate

import (
	"context"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

const (
	// maxHeld is the maximum number of bytes of an input that is held in memory as a whole, because
	// its elements are needed in any order.
	maxHeld = 32 << 20
	// inMemory is the maximum number of bytes of a tensor that is read at once. It is also the size
	// of the chunks in which results are written.
	inMemory = 64 << 10
	// maxRank is the maximum number of axes. No runtime accepts more.
	maxRank = 64
)

// call is the computation of one node.
type call struct {
	Node
	ctx     context.Context
	scratch *graphops.Scratch
}

// in returns input i. It returns an error if the node leaves it out.
func (c *call) in(i int) (*graphops.Tensor, error) {
	if i >= len(c.Inputs) || c.Inputs[i] == nil {
		return nil, unable("input %d is missing", i)
	}
	if len(c.Inputs[i].Dims()) > maxRank {
		return nil, unable("input %d has %d axes", i, len(c.Inputs[i].Dims()))
	}
	return c.Inputs[i], nil
}

// has reports whether the node has input i and does not leave it out.
func (c *call) has(i int) bool { return i < len(c.Inputs) && c.Inputs[i] != nil }

// stored returns input i, of which parts can be read without the whole.
func (c *call) stored(i int) (tensor.Stored, error) {
	t, err := c.in(i)
	if err != nil {
		return tensor.Stored{}, err
	}
	return c.open(t)
}

func (c *call) open(t *graphops.Tensor) (tensor.Stored, error) {
	p, err := t.Data()
	if err != nil {
		return tensor.Stored{}, err
	}
	if t.DType().Bits() < 8 {
		return tensor.Stored{}, unable("elements of type %s", t.DType())
	}
	at, err := c.readerAt(p)
	return tensor.Stored{DType: t.DType(), Shape: t.Dims(), Data: at}, err
}

// readerAt returns a reader of any part of a payload. If the payload is computed while it is read,
// it is computed once and kept in the scratch file.
func (c *call) readerAt(p graphops.Payload) (io.ReaderAt, error) {
	if p.Len() <= inMemory {
		b, err := p.Bytes()
		return tensor.Memory(b), err
	}
	if b, ok := p.InMemory(); ok {
		return tensor.Memory(b), nil
	}
	if at, ok := p.Reader().(io.ReaderAt); ok {
		return at, nil
	}
	kept, err := c.scratch.Make(p.Len(), c.stoppable(func(w io.Writer) error {
		_, err := p.WriteTo(w)
		return err
	}))
	if err != nil {
		return nil, err
	}
	return kept.Reader().(io.ReaderAt), nil
}

// all returns the elements of input i. It returns an error if they have more than maxHeld bytes.
func (c *call) all(i int) (tensor.Tensor, error) {
	t, err := c.in(i)
	if err != nil {
		return tensor.Tensor{}, err
	}
	if size, err := t.ByteLen(); err != nil || size > maxHeld {
		return tensor.Tensor{}, unable("input %d has %d bytes", i, size)
	}
	return t.Read()
}

// ints returns the elements of input i, which must be integers other than u64.
func (c *call) ints(i int) ([]int64, error) {
	t, err := c.all(i)
	if err != nil {
		return nil, err
	}
	list, err := t.Int64s()
	if err != nil || t.DType == tensor.U64 {
		return nil, unable("input %d of type %s", i, t.DType)
	}
	return list, nil
}

// intsOr returns the integers of an attribute, or, from version since on, of the input that
// replaced the attribute. stated is false if the node has neither.
func (c *call) intsOr(name string, input int, since int64) (list []int64, stated bool, err error) {
	switch {
	case c.Version < since:
		list, stated = c.attributeInts(name)
		return list, stated, nil
	case !c.has(input):
		return nil, false, nil
	}
	list, err = c.ints(input)
	return list, true, err
}

func (c *call) attributeInts(name string) (list []int64, stated bool) {
	a, ok := c.Attribute(name)
	if !ok || a.Kind() != graphops.AttrInts {
		return nil, false
	}
	if _, deferred := a.Deferred(); deferred {
		return nil, false
	}
	return a.Ints(), true
}

func (c *call) int(name string, otherwise int64) int64 {
	if a, ok := c.Attribute(name); ok {
		return a.Int()
	}
	return otherwise
}

func (c *call) text(name, otherwise string) string {
	if a, ok := c.Attribute(name); ok {
		return a.Text()
	}
	return otherwise
}

// axis returns an axis counted from the front. A negative a counts from the end.
func axis(a int64, rank int) (int, error) {
	if a < 0 {
		a += int64(rank)
	}
	if a < 0 || a >= int64(rank) {
		return 0, unable("axis %d of %d", a, rank)
	}
	return int(a), nil
}

// wanted returns what is known about output i. The bool is false if the output is not needed.
func (c *call) wanted(i int) (Type, bool) {
	if i >= len(c.Outputs) || c.Outputs[i].Unused {
		return Type{}, false
	}
	return c.Outputs[i], true
}

// dims returns the shape of output i. It returns an error if the shape is not known.
func (c *call) dims(i int) ([]int64, error) {
	t, ok := c.wanted(i)
	if !ok || t.Dims == nil || len(t.Dims) > maxRank {
		return nil, unable("the size of its output is not known")
	}
	return t.Dims, nil
}

// fits returns an error if the computed output i would have another type than inference found.
func (c *call) fits(i int, d tensor.DType, dims []int64) error {
	t, _ := c.wanted(i)
	if t.Elem != d || t.Dims != nil && !slices.Equal(t.Dims, dims) {
		return unable("%s %s where %s %s was expected", d, tensor.FormatShape(dims), t.Elem, tensor.FormatShape(t.Dims))
	}
	return nil
}

// one computes the only output of a node.
func (c *call) one(d tensor.DType, dims []int64, write func(w io.Writer) error) ([]*graphops.Tensor, error) {
	t, err := c.make(0, d, dims, write)
	return []*graphops.Tensor{t}, err
}

// make computes output i by calling write. A large result is kept in the scratch file, a small one
// in memory.
func (c *call) make(i int, d tensor.DType, dims []int64, write func(w io.Writer) error) (*graphops.Tensor, error) {
	if err := c.fits(i, d, dims); err != nil {
		return nil, err
	}
	n, err := tensor.Elements(dims)
	if err != nil {
		return nil, unable("%w", err)
	}
	size, err := d.ByteLen(n)
	if err != nil {
		return nil, unable("%w", err)
	}
	if size == 0 {
		return graphops.NewTensor("", d, dims, graphops.BytesPayload(nil)), nil
	}
	p, err := c.scratch.Make(size, c.stoppable(write))
	if err != nil {
		return nil, err
	}
	return graphops.NewTensor("", d, dims, p), nil
}

// stoppable returns a write function that fails as soon as the context is cancelled.
func (c *call) stoppable(write func(w io.Writer) error) func(w io.Writer) error {
	return func(w io.Writer) error { return write(&stopper{c.ctx, w}) }
}

type stopper struct {
	ctx context.Context
	w   io.Writer
}

// Write implements io.Writer.
func (s *stopper) Write(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.w.Write(b)
}
