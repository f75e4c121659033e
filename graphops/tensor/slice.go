package tensor

import (
	"encoding/binary"
	"fmt"
)

// Element is a Go type from which a tensor can be created.
type Element interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | bool | complex64 | complex128
}

// FromSlice creates a tensor of the given shape (none for a scalar) from its elements in row-major
// order. It does not check whether they match the shape; see Check.
func FromSlice[T Element](values []T, shape ...int64) Tensor {
	data, err := binary.Append(nil, le, values)
	if err != nil {
		panic(err) // not reachable: each Element has a fixed size
	}
	return Tensor{DType: dtypeOf[T](), Shape: shape, Data: data}
}

// FromStrings creates a string tensor of the given shape.
func FromStrings(values []string, shape ...int64) Tensor {
	return Tensor{DType: String, Shape: shape, Strings: values}
}

func dtypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case float32:
		return F32
	case float64:
		return F64
	case int8:
		return I8
	case int16:
		return I16
	case int32:
		return I32
	case int64:
		return I64
	case uint8:
		return U8
	case uint16:
		return U16
	case uint32:
		return U32
	case uint64:
		return U64
	case bool:
		return Bool
	case complex64:
		return C64
	}
	return C128
}

// FromFloat64s creates a tensor of any numeric type, rounded like EncodeFloat64.
func FromFloat64s(d DType, values []float64, shape ...int64) (Tensor, error) {
	size, err := d.ByteLen(int64(len(values) / d.Components()))
	if err != nil {
		return Tensor{}, err
	}
	t := Tensor{DType: d, Shape: shape, Data: make([]byte, size)}
	if err := EncodeFloat64(t.Data, d, values); err != nil {
		return Tensor{}, err
	}
	return t, t.Check()
}

// FromInt64s creates a tensor of any integer type or of bools; a number outside the type's range is
// an error.
func FromInt64s(d DType, values []int64, shape ...int64) (Tensor, error) {
	size, err := d.ByteLen(int64(len(values)))
	if err != nil {
		return Tensor{}, err
	}
	t := Tensor{DType: d, Shape: shape, Data: make([]byte, size)}
	if err := encodeInt64(t.Data, d, values); err != nil {
		return Tensor{}, err
	}
	return t, t.Check()
}

// Len returns the number of elements. It is meaningful only for a tensor that passes Check.
func (t Tensor) Len() int64 {
	n, err := Elements(t.Shape)
	if err != nil {
		return 0
	}
	return n
}

// Float64s decodes the whole tensor like decodeFloat64.
func (t Tensor) Float64s() ([]float64, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	out := make([]float64, int(t.Len())*t.DType.Components())
	return out, decodeFloat64(out, t.DType, t.Data)
}

// Int64s decodes the whole tensor like decodeInt64.
func (t Tensor) Int64s() ([]int64, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	out := make([]int64, t.Len())
	return out, decodeInt64(out, t.DType, t.Data)
}

// Rows returns the part of the tensor from lo up to hi along its first axis. It shares the elements
// of t.
func (t Tensor) Rows(lo, hi int64) (Tensor, error) {
	if err := t.Check(); err != nil {
		return Tensor{}, err
	}
	if len(t.Shape) == 0 || lo < 0 || hi < lo || hi > t.Shape[0] {
		return Tensor{}, fmt.Errorf("rows %d to %d do not exist in shape %s", lo, hi, FormatShape(t.Shape))
	}
	part := Tensor{DType: t.DType, Shape: append([]int64{hi - lo}, t.Shape[1:]...)}
	row, err := Elements(t.Shape[1:])
	if err != nil || t.Shape[0] == 0 {
		return part, nil // no rows, or too many to count: nothing to share
	}
	if t.DType == String {
		part.Strings = t.Strings[lo*row : hi*row]
		return part, nil
	}
	first := lo * row * int64(t.DType.Bits())
	if first%8 != 0 {
		return Tensor{}, fmt.Errorf("row %d of %s %s does not start at a whole byte", lo, t.DType, FormatShape(t.Shape))
	}
	size, err := part.DType.ByteLen((hi - lo) * row)
	if err != nil {
		return Tensor{}, err
	}
	part.Data = t.Data[first/8 : first/8+size]
	return part, nil
}
