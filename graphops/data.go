package graphops

import (
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// dataKinds has, for each kind of value, its number in the DataType enumerations of SequenceProto
// and OptionalProto, and the field in which these messages store values of that kind.
var dataKinds = map[TypeKind]struct {
	number int64
	field  protowire.Number
}{
	TypeTensor: {1, fieldnum.SequenceTensors}, TypeSequence: {3, fieldnum.SequenceSequences},
	TypeMap: {4, fieldnum.SequenceMaps}, TypeOptional: {5, fieldnum.SequenceOptionals},
}

// maxDataFile is the maximum size of a data file, which is protobuf's own limit.
const maxDataFile = 1<<31 - 1

// ReadData reads a file with one value, as in ONNX's backend tests: a TensorProto, SequenceProto,
// MapProto or OptionalProto. The file does not say which of these it is, so want must have the
// right kinds of value at every level. The element types are taken from the file, not from want.
// ReadData also returns the value's name, which may be empty.
func ReadData(path string, want Type) (Value, string, error) {
	f, err := openSource(path)
	if err != nil {
		return Value{}, "", fmt.Errorf("%s: %w", path, err)
	}
	defer f.file.Close()
	if f.size > maxDataFile {
		return Value{}, "", fmt.Errorf("%s: the file has %d bytes, a protobuf message has at most %d", path, f.size, maxDataFile)
	}
	b, err := io.ReadAll(io.NewSectionReader(f, 0, f.size))
	if err != nil {
		return Value{}, "", err
	}
	v, name, err := DecodeData(b, want)
	if err != nil {
		return Value{}, "", fmt.Errorf("%s: %w", path, err)
	}
	return v, name, nil
}

// DecodeData reads from bytes what ReadData reads from a file. The bytes must not change
// afterwards.
func DecodeData(b []byte, want Type) (Value, string, error) {
	switch want.Kind {
	case TypeTensor:
		return decodeTensorData(b)
	case TypeSequence, TypeOptional, TypeMap:
	default:
		return Value{}, "", fmt.Errorf("a value of type %s cannot be stored in a data file", want)
	}
	if err := checkFields(b); err != nil {
		return Value{}, "", err
	}
	var v Value
	var err error
	if want.Of == nil {
		want.Of = &Type{Kind: TypeTensor}
	}
	switch want.Kind {
	case TypeSequence:
		v, err = decodeSequence(b, *want.Of)
	case TypeOptional:
		v, err = decodeOptional(b, *want.Of)
	default:
		v, err = decodeMap(b, *want.Of)
	}
	return v, lastString(b, fieldnum.DataItemName), err
}

// decodeTensorData checks the claimed sizes before it unpacks elements, because a few bytes can
// claim any size.
func decodeTensorData(b []byte) (Value, string, error) {
	t := &Tensor{}
	if err := (&decoder{}).tensor(memoryCursor(b), t); err != nil {
		return Value{}, "", fmt.Errorf("no TensorProto: %w", err)
	}
	if !t.dtype.Valid() {
		return Value{}, "", errors.New("not a TensorProto: it has no element type")
	}
	if loc, _ := lastVarint(t.head, fieldnum.TensorLocation); loc == locationExternal {
		return Value{}, "", fmt.Errorf("tensor %q: its elements are in another file, expected them in the data file itself", t.name)
	}
	v, err := t.dense()
	return TensorValue(v), t.name, err
}

// dense returns the elements of a tensor whose payload is in memory. It returns an error if the
// payload is too short for the shape.
func (t *Tensor) dense() (tensor.Tensor, error) {
	if size, err := t.ByteLen(); err == nil && t.dtype != tensor.String && size > 8*t.data.Len() {
		// A stored number takes at least 1 byte, and at most 8 bytes once it is unpacked. If the
		// size exceeds 8 times the stored bytes, elements are missing.
		return tensor.Tensor{}, fmt.Errorf("tensor %q: %s %s needs %d bytes of elements, but only %d encoded bytes are stored", t.name, t.dtype, tensor.FormatShape(t.dims), size, t.data.Len())
	}
	v, err := t.Read()
	if err == nil && t.dtype != tensor.String {
		err = v.Check()
	}
	return v, err
}

// items returns the serialized values of a SequenceProto or OptionalProto whose values have the
// kind of. It returns an error if the message declares another kind or has values of another kind.
// what names the message in the error.
func items(b []byte, of TypeKind, what string) ([][]byte, error) {
	want, ok := dataKinds[of]
	if !ok {
		return nil, fmt.Errorf("%s of values of type %s is not supported", what, Type{Kind: of})
	}
	if n, given := lastVarint(b, fieldnum.DataElemType); given && n != 0 && n != want.number {
		return nil, fmt.Errorf("%s has elem_type %d, expected %d", what, n, want.number)
	}
	var out [][]byte
	for f := range fieldsOf(b) {
		switch {
		case f.num < fieldnum.SequenceTensors || f.num > fieldnum.SequenceOptionals:
		case f.num != want.field || f.typ != protowire.BytesType:
			return nil, fmt.Errorf("%s has values in field %d, expected field %d", what, f.num, want.field)
		default:
			out = append(out, f.value)
		}
	}
	return out, nil
}

func decodeSequence(b []byte, of Type) (Value, error) {
	parts, err := items(b, of.Kind, "a sequence")
	if err != nil {
		return Value{}, err
	}
	v := SequenceValue(of)
	for i, part := range parts {
		item, _, err := DecodeData(part, of)
		if err != nil {
			return Value{}, fmt.Errorf("element %d: %w", i, err)
		}
		v.Items = append(v.Items, item)
	}
	return v, nil
}

func decodeOptional(b []byte, of Type) (Value, error) {
	parts, err := items(b, of.Kind, "an optional")
	if err != nil || len(parts) == 0 {
		return OptionalValue(of), err
	}
	item, _, err := DecodeData(parts[len(parts)-1], of)
	return OptionalValue(of, item), err
}

// decodeMap reads the keys and values of a MapProto; of is the type of the values. If they are
// tensors, they are concatenated to one tensor of rank 1, which must have one element for each key.
// Otherwise they are a sequence with one item for each key.
func decodeMap(b []byte, of Type) (Value, error) {
	keys, err := decodeKeys(b)
	if err != nil {
		return Value{}, err
	}
	inner, _ := joinedMessage(b, fieldnum.MapValues)
	if err := checkFields(inner); err != nil {
		return Value{}, err
	}
	list, err := decodeSequence(inner, of)
	if err != nil {
		return Value{}, fmt.Errorf("values: %w", err)
	}
	v := Value{Type: Type{Kind: TypeMap, Elem: keys.DType, Of: &of}, Items: []Value{TensorValue(keys), list}}
	n := int64(len(list.Items))
	if of.Kind == TypeTensor {
		values, err := joined(list.Items, of.Elem)
		if err != nil {
			return Value{}, err
		}
		v.Items[1], n = TensorValue(values), values.Len()
	}
	if n != keys.Len() {
		return Value{}, fmt.Errorf("a map has %d keys but %d values", keys.Len(), n)
	}
	return v, nil
}

func decodeKeys(b []byte) (tensor.Tensor, error) {
	var words []string
	for f := range fieldsOf(b) {
		if f.num == fieldnum.MapStringKeys && f.typ == protowire.BytesType {
			words = append(words, text(f.value))
		}
	}
	ints := repeatedVarints(b, fieldnum.MapKeys)
	n, _ := lastVarint(b, fieldnum.MapKeyType)
	switch d := tensor.DType(n); {
	case d == tensor.String && len(ints) == 0:
		return tensor.FromStrings(words, int64(len(words))), nil
	case len(words) > 0 || d.Kind() != tensor.KindSigned && d.Kind() != tensor.KindUnsigned:
		return tensor.Tensor{}, fmt.Errorf("a map declares keys of type %s, but has %d strings and %d integers as keys", d, len(words), len(ints))
	default:
		return tensor.FromInt64s(d, ints, int64(len(ints)))
	}
}

// joined concatenates tensors of one type to a tensor of rank 1. without is the type of the result
// for an empty list.
func joined(list []Value, without tensor.DType) (tensor.Tensor, error) {
	all := tensor.Tensor{DType: without, Shape: []int64{0}}
	for i, item := range list {
		t := item.Tensor
		switch {
		case i == 0:
			all.DType = t.DType
		case t.DType != all.DType:
			return all, fmt.Errorf("value %d of a map has type %s, the values before it have type %s", i, t.DType, all.DType)
		}
		if t.DType.Bits()%8 != 0 {
			return all, fmt.Errorf("value %d of a map has type %s, whose elements do not take whole bytes", i, t.DType)
		}
		all.Data = append(all.Data, t.Data...)
		all.Strings = append(all.Strings, t.Strings...)
		all.Shape[0] += t.Len()
	}
	return all, all.Check()
}
