package graphops

import (
	"fmt"
	"io"

	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// WriteData writes a value with a name in the form that ReadData reads.
func WriteData(w io.Writer, name string, v Value) error {
	if err := v.Check(); err != nil {
		return err
	}
	e := encoder{w: w}
	e.data(name, v)
	return e.err
}

// data writes the fields of a value's message.
func (e *encoder) data(name string, v Value) {
	switch v.Type.Kind {
	case TypeTensor:
		e.tensor(NewTensorOf(name, v.Tensor))
		return
	case TypeMap:
		e.bytes(appendName(nil, name))
		e.mapParts(v)
		return
	}
	e.bytes(appendName(nil, name))
	kind, ok := dataKinds[v.Type.of().Kind]
	if !ok {
		e.fail(fmt.Errorf("a value of type %s cannot be stored in a data file", v.Type))
		return
	}
	if v.Type.Kind == TypeSequence || len(v.Items) > 0 {
		e.bytes(appendVarint(nil, fieldnum.DataElemType, kind.number))
	}
	for _, item := range v.Items {
		e.message(kind.field, func(e *encoder) { e.data("", item) })
	}
}

func appendName(b []byte, name string) []byte {
	if name == "" {
		return b
	}
	return appendString(b, fieldnum.DataItemName, name)
}

// of returns the element type of a sequence or optional type, or the zero Type if it is unknown.
func (t Type) of() Type {
	if t.Of == nil {
		return Type{}
	}
	return *t.Of
}

// mapParts writes the keys and values of a map. If the values are one tensor, each of its elements
// is written as a scalar, because a MapProto has one value for each key.
func (e *encoder) mapParts(v Value) {
	keys, values := v.Items[0].Tensor, v.Items[1]
	b := appendVarint(nil, fieldnum.MapKeyType, int64(keys.DType))
	if keys.DType == tensor.String {
		for _, s := range keys.Strings {
			b = appendString(b, fieldnum.MapStringKeys, s)
		}
	} else {
		list, err := keys.Int64s()
		if err != nil {
			e.fail(fmt.Errorf("keys: %w", err))
			return
		}
		for _, k := range list {
			b = appendVarint(b, fieldnum.MapKeys, k)
		}
	}
	e.bytes(b)
	if values.IsTensor() {
		values = SequenceValue(Type{Kind: TypeTensor, Elem: values.Tensor.DType}, scalars(values.Tensor)...)
	}
	e.message(fieldnum.MapValues, func(e *encoder) { e.data("", values) })
}

// scalars splits a tensor into scalars. The tensor must have strings, or a type whose elements take
// whole bytes.
func scalars(t tensor.Tensor) []Value {
	out := make([]Value, t.Len())
	for i := range out {
		s := tensor.Tensor{DType: t.DType, Shape: []int64{}}
		if t.DType == tensor.String {
			s.Strings = t.Strings[i : i+1]
		} else {
			size := t.DType.Bits() / 8
			s.Data = t.Data[i*size:][:size]
		}
		out[i] = TensorValue(s)
	}
	return out
}

// fail records an error, unless there was one before.
func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}
