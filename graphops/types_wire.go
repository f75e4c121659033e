package graphops

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/tensor"
)

// Field numbers of TypeProto and what lies below it.
const (
	typeTensor   protowire.Number = 1
	typeSequence protowire.Number = 4
	typeMap      protowire.Number = 5
	typeOpaque   protowire.Number = 7
	typeSparse   protowire.Number = 8
	typeOptional protowire.Number = 9

	typeElem  protowire.Number = 1 // of Tensor, SparseTensor, Sequence, Optional; the key of Map
	typeShape protowire.Number = 2 // of Tensor, SparseTensor; the value of Map
	shapeDim  protowire.Number = 1
	dimValue  protowire.Number = 1
	dimParam  protowire.Number = 2
)

// maxTypeDepth bounds how deep sequences, maps and optionals nest.
const maxTypeDepth = 16

// checkType reports whether b is a well-formed TypeProto, down to its
// dimensions, without building anything: opening checks every value's type and
// decodes none.
func checkType(b []byte, depth int) error {
	if depth > maxTypeDepth {
		return fmt.Errorf("a type nests deeper than %d", maxTypeDepth)
	}
	return eachMessage(b, func(num protowire.Number, v []byte) error {
		switch num {
		case typeTensor, typeSparse:
			return eachMessage(v, func(num protowire.Number, shape []byte) error {
				if num != typeShape {
					return nil
				}
				return eachMessage(shape, func(num protowire.Number, dim []byte) error {
					if num != shapeDim {
						return nil
					}
					return checkFields(dim)
				})
			})
		case typeSequence, typeOptional, typeMap:
			inner := typeElem
			if num == typeMap {
				inner = typeShape
			}
			return eachMessage(v, func(num protowire.Number, t []byte) error {
				if num != inner {
					return nil
				}
				return checkType(t, depth+1)
			})
		}
		return nil
	})
}

// eachMessage calls f with the content of every length-delimited field of a
// message that may be malformed.
func eachMessage(b []byte, f func(num protowire.Number, v []byte) error) error {
	for len(b) > 0 {
		fd, n := nextField(b)
		if n < 0 {
			return checkFields(b)
		}
		b = b[n:]
		if fd.typ != protowire.BytesType {
			continue
		}
		if err := f(fd.num, fd.value); err != nil {
			return err
		}
	}
	return nil
}

// decodeType reads a TypeProto that checkType has accepted.
func decodeType(b []byte) Type {
	var t Type
	for f := range fieldsOf(b) {
		if f.typ != protowire.BytesType {
			continue
		}
		switch f.num {
		case typeTensor:
			t = decodeTensorType(f.value)
		case typeSparse:
			t = decodeTensorType(f.value)
			t.Kind = TypeSparse
		case typeSequence:
			t = decodeOf(TypeSequence, f.value, typeElem)
		case typeOptional:
			t = decodeOf(TypeOptional, f.value, typeElem)
		case typeMap:
			t = decodeOf(TypeMap, f.value, typeShape)
			key, _ := lastVarint(f.value, typeElem)
			t.Elem = tensor.DType(key)
		case typeOpaque:
			t = Type{Kind: TypeOpaque}
		}
	}
	return t
}

func decodeOf(kind TypeKind, b []byte, num protowire.Number) Type {
	t := Type{Kind: kind}
	if inner, ok := joinedMessage(b, num); ok {
		of := decodeType(inner)
		t.Of = &of
	}
	return t
}

func decodeTensorType(b []byte) Type {
	elem, _ := lastVarint(b, typeElem)
	t := Type{Kind: TypeTensor, Elem: tensor.DType(elem)}
	shape, ok := joinedMessage(b, typeShape)
	if !ok {
		return t
	}
	t.Shape = Shape{}
	for f := range fieldsOf(shape) {
		if f.num == shapeDim && f.typ == protowire.BytesType {
			t.Shape = append(t.Shape, decodeDim(f.value))
		}
	}
	return t
}

// decodeDim reads a dimension. Value and symbol are a oneof: the later wins. A
// negative value, which some exporters write for "any", is unknown.
func decodeDim(b []byte) Dim {
	d := Dim{Value: -1}
	for f := range fieldsOf(b) {
		switch {
		case f.num == dimValue && f.typ == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(f.value)
			d = Dim{Value: max(int64(v), -1)}
		case f.num == dimParam && f.typ == protowire.BytesType:
			d = SymbolDim(text(f.value))
		}
	}
	return d
}

func appendDim(b []byte, d Dim) []byte {
	switch {
	case d.IsFixed():
		return appendVarint(b, dimValue, d.Value)
	case d.Symbol != "":
		return appendString(b, dimParam, d.Symbol)
	default:
		return b
	}
}

// encodeType writes a TypeProto.
func encodeType(t Type) []byte {
	of := func(num protowire.Number, b []byte) []byte {
		if t.Of == nil {
			return b
		}
		return appendBytes(b, num, encodeType(*t.Of))
	}
	switch t.Kind {
	case TypeTensor, TypeSparse:
		b := appendVarint(nil, typeElem, int64(t.Elem))
		if t.Shape != nil {
			var s []byte
			for _, d := range t.Shape {
				s = appendBytes(s, shapeDim, appendDim(nil, d))
			}
			b = appendBytes(b, typeShape, s)
		}
		if t.Kind == TypeSparse {
			return appendBytes(nil, typeSparse, b)
		}
		return appendBytes(nil, typeTensor, b)
	case TypeSequence:
		return appendBytes(nil, typeSequence, of(typeElem, nil))
	case TypeOptional:
		return appendBytes(nil, typeOptional, of(typeElem, nil))
	case TypeMap:
		return appendBytes(nil, typeMap, of(typeShape, appendVarint(nil, typeElem, int64(t.Elem))))
	default:
		return nil
	}
}
