package tensor

import (
	"errors"
	"io"
)

// ErrInexact is the error for elements for which implementations have different results: NaN,
// integers divided by 0, and numbers outside the range of a type.
var ErrInexact = errors.New("implementations compute different results for these elements")

// atOnce is the number of elements that an operation computes at a time.
const atOnce = 4096

// operand reads the elements of a tensor that is broadcast to a shape, in the order of that shape.
type operand struct {
	d      DType
	r      *StridedReader
	raw    []byte
	floats []float64
	ints   []int64
}

func newOperand(s Stored, shape []int64) (*operand, error) {
	v, ok := Repeated(s.Shape, shape)
	if !ok {
		return nil, errors.New("shape " + FormatShape(s.Shape) + " cannot be broadcast to " + FormatShape(shape))
	}
	r, err := v.Reader(s)
	if err != nil {
		return nil, err
	}
	return &operand{d: s.DType, r: r, raw: make([]byte, atOnce*s.DType.Bits()/8)}, nil
}

// next returns the bytes of the next n elements, valid until the next call.
func (o *operand) next(n int) ([]byte, error) {
	raw := o.raw[:n*o.d.Bits()/8]
	if _, err := io.ReadFull(o.r, raw); err != nil {
		return nil, err
	}
	if o.d == Bool {
		for _, b := range raw {
			if b > 1 {
				return nil, ErrInexact
			}
		}
	}
	return raw, nil
}

func (o *operand) nextFloats(n int) ([]float64, error) {
	raw, err := o.next(n)
	if err != nil {
		return nil, err
	}
	if o.floats == nil {
		o.floats = make([]float64, atOnce)
	}
	return o.floats[:n], decodeFloat64(o.floats[:n], o.d, raw)
}

func (o *operand) nextInts(n int) ([]int64, error) {
	raw, err := o.next(n)
	if err != nil {
		return nil, err
	}
	if o.ints == nil {
		o.ints = make([]int64, atOnce)
	}
	return o.ints[:n], decodeInt64(o.ints[:n], o.d, raw)
}

// operands returns an operand for each tensor, all broadcast to the same shape.
func operands(shape []int64, from []Stored) ([]*operand, error) {
	out := make([]*operand, len(from))
	for i, s := range from {
		var err error
		if out[i], err = newOperand(s, shape); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inParts writes a tensor of type d in chunks. It calls part to compute the next n elements into
// dst.
func inParts(w io.Writer, d DType, shape []int64, part func(dst []byte, n int) error) error {
	left, err := Elements(shape)
	if err != nil {
		return err
	}
	size := d.Bits() / 8
	buf := make([]byte, atOnce*size)
	for left > 0 {
		n := int(min(left, atOnce))
		if err := part(buf[:n*size], n); err != nil {
			return err
		}
		if _, err := w.Write(buf[:n*size]); err != nil {
			return err
		}
		left -= int64(n)
	}
	return nil
}
