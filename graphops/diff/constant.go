package diff

import (
	"errors"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

const (
	// headBytes is the number of bytes that are always read from each constant. A constant of at
	// most this size is thereby compared completely.
	headBytes = 4096
	// maxSizes is the maximum number of integers in a constant that is regarded as sizes, axes or
	// indices. Like attributes, these determine what the node does.
	maxSizes = 64
)

// constant is a value stored in the model: an initializer, or the content of a Constant node.
type constant struct {
	dense  *graphops.Tensor       // nil for a sparse one
	sparse *graphops.SparseTensor // nil for a dense one
	node   int                    // the Constant node, -1 for an initializer

	dtype tensor.DType
	dims  []int64
	bytes int64
	// head is the hash of the first headBytes bytes, or 0 if they could not be read. whole reports
	// that the constant has no more bytes.
	head  hash
	whole bool
	err   error

	form hash // of type, shape, and elements that could be sizes
	full hash // of form and head
}

// heads reads the first bytes of constants. It uses one buffer for all of them.
type heads struct{ buf [headBytes]byte }

func (r *heads) dense(t *graphops.Tensor, node int) *constant {
	c := &constant{dense: t, node: node, dtype: t.DType(), dims: t.Dims()}
	c.bytes, c.err = t.ByteLen()
	if c.err == nil {
		c.head, c.whole, c.err = r.of(t)
	}
	c.form = mixAll(markConstant, hash(c.dtype), hashDims(c.dims))
	c.full = mix(c.form, c.head)
	if c.isSizes() {
		c.form = c.full
	}
	return c
}

func (r *heads) sparse(s *graphops.SparseTensor, node int) *constant {
	c := &constant{sparse: s, node: node, dims: s.Dims(), whole: true}
	c.form = mixAll(markConstant, markConstant, hashDims(c.dims))
	c.full = c.form
	for _, half := range []*graphops.Tensor{s.Values(), s.Indices()} {
		if half == nil {
			continue
		}
		d := r.dense(half, -1)
		c.bytes += d.bytes
		c.full = mix(c.full, d.full)
		c.whole = c.whole && d.whole
		c.err = errors.Join(c.err, d.err)
		if half == s.Values() {
			c.dtype = d.dtype
		}
	}
	c.head = c.full
	return c
}

// isSizes reports whether the constant is regarded as sizes, axes or indices: at most maxSizes
// integers or booleans in a scalar or vector.
func (c *constant) isSizes() bool {
	n, err := tensor.Elements(c.dims)
	switch {
	case err != nil || n > maxSizes || !c.whole || c.err != nil || len(c.dims) > 1:
		return false
	default:
		return c.dtype == tensor.I64 || c.dtype == tensor.I32 || c.dtype == tensor.Bool
	}
}

// minWeight is the minimum number of elements from which a constant can be recognized as the same.
const minWeight = 8

// isWeight reports whether the constant has enough elements to identify the node that reads it.
func (c *constant) isWeight() bool {
	n, err := tensor.Elements(c.dims)
	return err == nil && c.err == nil && n >= minWeight && !c.isSizes()
}

func hashDims(dims []int64) hash {
	h := hash(len(dims))
	for _, d := range dims {
		h = mix(h, hash(d))
	}
	return h
}

// of returns a hash of the first bytes of a tensor. whole reports that the tensor has no more
// bytes.
func (r *heads) of(t *graphops.Tensor) (h hash, whole bool, err error) {
	if t.DType() == tensor.String {
		return headOfStrings(t)
	}
	p, err := t.Data()
	if err != nil {
		return 0, false, err
	}
	n := min(p.Len(), headBytes)
	if data, ok := p.InMemory(); ok {
		return hashBytes(data[:n]), n == p.Len(), nil
	}
	if in, ok := p.Reader().(io.ReaderAt); ok {
		if _, err := io.ReadFull(io.NewSectionReader(in, 0, n), r.buf[:n]); err != nil {
			return 0, false, fmt.Errorf("tensor %q: %w", t.Name(), err)
		}
		return hashBytes(r.buf[:n]), n == p.Len(), nil
	}
	w := &firstBytes{buf: r.buf[:0:n]}
	if _, err := p.WriteTo(w); err != nil && !errors.Is(err, errEnough) {
		return 0, false, fmt.Errorf("tensor %q: %w", t.Name(), err)
	}
	return hashBytes(w.buf), n == p.Len(), nil
}

// errEnough stops writing a payload when enough bytes have been received.
var errEnough = errors.New("enough was read")

// firstBytes is an io.Writer that keeps as many bytes as buf has capacity for, and then returns
// errEnough.
type firstBytes struct{ buf []byte }

func (w *firstBytes) Write(b []byte) (int, error) {
	n := min(len(b), cap(w.buf)-len(w.buf))
	w.buf = append(w.buf, b[:n]...)
	if n < len(b) {
		return n, errEnough
	}
	return n, nil
}

// headOfStrings is like of for a tensor of strings. Strings cannot be read partially, so a large
// tensor only gives a hash of its size.
func headOfStrings(t *graphops.Tensor) (h hash, whole bool, err error) {
	size, err := t.ByteLen()
	if err != nil {
		return 0, false, err
	}
	if n, err := t.Elements(); err != nil || size > headBytes || n > headBytes {
		return hash(size), false, err
	}
	list, err := t.Strings()
	if err != nil {
		return 0, false, err
	}
	h = hash(len(list))
	for _, s := range list {
		h = mix(h, hashText(s))
	}
	return h, true, nil
}

// constantOf returns the constant that node n at position i stores. It returns nil if n is not a
// Constant, or if its value is an attribute of the enclosing function.
func (r *heads) constantOf(i int, n *graphops.Node) *constant {
	if !n.Is("Constant") || len(n.Outputs()) != 1 || n.Output(0) == "" {
		return nil
	}
	attrs := n.Attributes()
	if len(attrs) != 1 || attrs[0].RefName() != "" {
		return nil
	}
	if s := attrs[0].Sparse(); s != nil {
		return r.sparse(s, i)
	}
	t, err := attrs[0].Dense(n.Output(0))
	if err != nil {
		return nil
	}
	return r.dense(t, i)
}
