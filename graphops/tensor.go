package graphops

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// locationExternal is TensorProto.DataLocation.EXTERNAL.
const locationExternal = 1

// Tensor is a named dense tensor whose elements are a payload.
type Tensor struct {
	name  string
	dtype tensor.DType
	dims  []int64
	// head is the serialized TensorProto without the fields that contain elements.
	head []byte
	// stored is the number of the field with the elements, or 0 for a tensor without such a field.
	// data is the content of that field. Numbers that the file has as one field each are converted
	// to packed form. Strings are stored as complete string_data fields with tags and lengths;
	// textBytes is their size without these.
	stored    protowire.Number
	data      Payload
	textBytes int64
	// unread are further fields with elements. Programs that read ONNX ignore them, because the
	// elements are in another field.
	unread []elementField
	// files finds external data. It is nil for a tensor without external data.
	files *externalFiles
}

// Name returns the tensor's name. It is usually empty if the tensor is the value of an attribute.
func (t *Tensor) Name() string { return t.name }

// DType returns the element type.
func (t *Tensor) DType() tensor.DType { return t.dtype }

// Dims returns the shape, empty for a scalar.
func (t *Tensor) Dims() []int64 { return t.dims }

// Elements returns the number of elements. An invalid shape is an error.
func (t *Tensor) Elements() (int64, error) {
	n, err := tensor.Elements(t.dims)
	if err != nil {
		return 0, fmt.Errorf("tensor %q: %w", t.name, err)
	}
	return n, nil
}

// IsExternal reports whether the tensor has external data, which means that its elements are in
// another file.
func (t *Tensor) IsExternal() bool { return t.files != nil }

// ByteLen returns the size of the elements in bytes in the form that Data returns. It depends only
// on type and shape. For strings it is the sum of their lengths.
func (t *Tensor) ByteLen() (int64, error) {
	if t.dtype == tensor.String {
		return t.textBytes, nil
	}
	n, err := t.Elements()
	if err != nil {
		return 0, err
	}
	size, err := t.dtype.ByteLen(n)
	if err != nil {
		return 0, fmt.Errorf("tensor %q: %w", t.name, err)
	}
	return size, nil
}

// Strings reads the elements of a string tensor. It is an error if their number differs from the
// shape.
func (t *Tensor) Strings() ([]string, error) {
	want, err := t.stringsWanted()
	if err != nil {
		return nil, err
	}
	b, err := t.data.Bytes()
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", t.name, err)
	}
	var out []string
	for f := range fieldsOf(b) {
		out = append(out, text(f.value))
	}
	if err := t.matchStrings(want, int64(len(out))); err != nil {
		return nil, err
	}
	return out, nil
}

// stringsWanted returns the number of strings that a tensor of this shape must have. It returns an
// error if the tensor's elements are not strings.
func (t *Tensor) stringsWanted() (int64, error) {
	want, err := t.Elements()
	if err == nil && t.stored != fieldnum.TensorStringData && t.stored != 0 {
		err = fmt.Errorf("tensor %q: its elements are not strings", t.name)
	}
	return want, err
}

func (t *Tensor) matchStrings(want, got int64) error {
	if got != want {
		return fmt.Errorf("tensor %q: str %s needs %d strings, the file has %d", t.name, tensor.FormatShape(t.dims), want, got)
	}
	return nil
}

// Data returns the elements as bytes, in row-major order and little endian. Elements smaller than a
// byte are packed. It is an error if their number does not match type and shape, or if the elements
// are strings.
func (t *Tensor) Data() (Payload, error) {
	want, err := t.ByteLen()
	if err != nil {
		return Payload{}, err
	}
	if t.dtype == tensor.String {
		return Payload{}, fmt.Errorf("tensor %q: its elements are strings, expected numbers", t.name)
	}
	p, err := t.littleEndian(want)
	if err != nil {
		return Payload{}, fmt.Errorf("tensor %q: %w", t.name, err)
	}
	if p.Len() != want {
		return Payload{}, fmt.Errorf("tensor %q: %s %s needs %d bytes, the file has %d",
			t.name, t.dtype, tensor.FormatShape(t.dims), want, p.Len())
	}
	return p, nil
}

func (t *Tensor) littleEndian(want int64) (Payload, error) {
	if t.files != nil {
		return t.files.payload(t, want)
	}
	switch {
	case t.stored == 0 || t.stored == fieldnum.TensorRawData:
		return t.data, nil
	case !belongs(t.dtype, t.stored):
		return Payload{}, fmt.Errorf("elements of type %s must not be in field %d of TensorProto", t.dtype, t.stored)
	case t.stored == fieldnum.TensorFloatData || t.stored == fieldnum.TensorDoubleData:
		return t.data, nil
	default:
		return unpackVarints(t.data, want, varintWidth(t.stored, t.dtype)), nil
	}
}

// varintWidth returns how many bytes of elements are encoded in one varint of a field such as
// int64_data. It is 0 if elements of type d do not belong in the field. In int32_data, a varint is
// one element, or one byte with several packed elements.
func varintWidth(field protowire.Number, d tensor.DType) int {
	switch {
	case field == fieldnum.TensorInt64Data && d == tensor.I64, field == fieldnum.TensorUint64Data && d == tensor.U64:
		return 8
	case field == fieldnum.TensorUint64Data && d == tensor.U32:
		return 4
	case field != fieldnum.TensorInt32Data || d == tensor.F32 || d == tensor.U32 || d.Bits() > 32:
		return 0
	default:
		return max(d.Bits(), 8) / 8
	}
}

// unpackVarints returns a payload in which each varint of p takes width bytes, little endian. want
// is its size in bytes.
func unpackVarints(p Payload, want int64, width int) Payload {
	return TransformPayload(want, func(w io.Writer) error {
		in := bufio.NewReaderSize(p.Reader(), int(readAhead(p)))
		out := bufio.NewWriter(w)
		var b [8]byte
		for {
			v, err := binary.ReadUvarint(in)
			if errors.Is(err, io.EOF) {
				return out.Flush()
			}
			if err != nil {
				return err
			}
			binary.LittleEndian.PutUint64(b[:], v)
			if _, err := out.Write(b[:width]); err != nil {
				return err
			}
		}
	})
}

// Stored returns the file and the offset where the elements are stored. inFile is false if they are
// in memory. For external data, path is the location in the model. The file is not opened.
func (t *Tensor) Stored() (path string, offset int64, inFile bool) {
	if t.files != nil {
		x, err := t.ExternalRange()
		if err != nil {
			return "", 0, false
		}
		return x.Location, x.Offset, true
	}
	return t.data.Location()
}

// NewTensor creates a tensor with the given elements, little endian. It panics if the payload's
// length does not match type and shape, because this is always a programming error, never one in an
// input file.
func NewTensor(name string, d tensor.DType, dims []int64, data Payload) *Tensor {
	t := &Tensor{name: name, dtype: d, dims: dims, stored: fieldnum.TensorRawData, data: data}
	if want, err := t.ByteLen(); err != nil || want != data.Len() {
		panic(fmt.Sprintf("graphops: tensor %q: %d bytes for %s %s", name, data.Len(), d, tensor.FormatShape(dims)))
	}
	t.head = t.appendFields(nil)
	return t
}

// NewTensorOf creates a tensor with elements in memory, including strings.
func NewTensorOf(name string, v tensor.Tensor) *Tensor {
	if v.DType != tensor.String {
		return NewTensor(name, v.DType, v.Shape, BytesPayload(v.Data))
	}
	t := &Tensor{name: name, dtype: v.DType, dims: v.Shape}
	t.head = t.appendFields(nil)
	var fields []byte
	for _, s := range v.Strings {
		fields = appendString(fields, fieldnum.TensorStringData, s)
		t.textBytes += int64(len(s))
	}
	if len(v.Strings) > 0 {
		t.stored, t.data = fieldnum.TensorStringData, BytesPayload(fields)
	}
	return t
}

func (t *Tensor) appendFields(b []byte) []byte {
	for _, d := range t.dims {
		b = appendVarint(b, fieldnum.TensorDims, d)
	}
	b = appendVarint(b, fieldnum.TensorDataType, int64(t.dtype))
	if t.name != "" {
		b = appendString(b, fieldnum.TensorName, t.name)
	}
	return b
}

// WithName returns the tensor with another name.
func (t *Tensor) WithName(name string) *Tensor {
	c := *t
	c.name = name
	c.head = append(without(t.head, fieldnum.TensorName), appendString(nil, fieldnum.TensorName, name)...)
	return &c
}

// inline returns the tensor with its elements as raw_data in the model file.
func (t *Tensor) inline(data Payload) *Tensor {
	c := *t
	c.head = without(t.head, fieldnum.TensorExternal, fieldnum.TensorLocation)
	c.stored, c.data, c.unread, c.files = fieldnum.TensorRawData, data, nil, nil
	return &c
}

// outside returns the tensor with a reference to external data in place of its elements.
func (t *Tensor) outside(location string, offset, length int64) *Tensor {
	c := *t
	c.head = without(t.head, fieldnum.TensorExternal, fieldnum.TensorLocation)
	for _, e := range []Entry{
		{"location", location},
		{"offset", fmt.Sprint(offset)},
		{"length", fmt.Sprint(length)},
	} {
		c.head = appendEntry(c.head, fieldnum.TensorExternal, e)
	}
	c.head = appendVarint(c.head, fieldnum.TensorLocation, locationExternal)
	c.stored, c.data, c.unread = 0, Payload{}, nil
	return &c
}

// SparseTensor is a tensor stored by its non-zero elements.
type SparseTensor struct {
	values, indices *Tensor
	head            []byte // the dims and other fields
}

// Name returns the name of the tensor, which ONNX stores as the name of its values.
func (s *SparseTensor) Name() string {
	if s.values == nil {
		return ""
	}
	return s.values.name
}

// DType returns the element type of the values. It is Undefined if there are no values.
func (s *SparseTensor) DType() tensor.DType {
	if s.values == nil {
		return tensor.Undefined
	}
	return s.values.dtype
}

// Dims returns the shape of the dense tensor.
func (s *SparseTensor) Dims() []int64 { return repeatedVarints(s.head, fieldnum.SparseDims) }

// Values returns the non-zero elements.
func (s *SparseTensor) Values() *Tensor { return s.values }

// Indices returns the positions of the values in the dense tensor.
func (s *SparseTensor) Indices() *Tensor { return s.indices }
