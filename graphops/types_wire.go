package graphops

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// maxTypeDepth is the maximum nesting of sequences, maps and optionals.
const maxTypeDepth = 16

// checkType checks that b is a well-formed TypeProto, including its dimensions, without decoding
// it. When a model is opened, all types are checked, and each is decoded only when it is needed.
func checkType(b []byte, depth int) error {
	if depth > maxTypeDepth {
		return fmt.Errorf("a type nests deeper than %d", maxTypeDepth)
	}
	return eachMessage(b, func(num protowire.Number, v []byte) error {
		switch num {
		case fieldnum.TypeTensor, fieldnum.TypeSparse:
			return eachMessage(v, func(num protowire.Number, shape []byte) error {
				if num != fieldnum.TypeShape {
					return nil
				}
				return eachMessage(shape, func(num protowire.Number, dim []byte) error {
					if num != fieldnum.ShapeDim {
						return nil
					}
					return checkFields(dim)
				})
			})
		case fieldnum.TypeSequence, fieldnum.TypeOptional, fieldnum.TypeMap:
			inner := fieldnum.TypeElem
			if num == fieldnum.TypeMap {
				inner = fieldnum.TypeMapValue
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

// eachMessage calls f with the content of every length-delimited field of a message. It returns an
// error if the message is malformed.
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

// decodeType decodes a TypeProto that checkType has accepted.
func decodeType(b []byte) Type {
	var t Type
	for f := range fieldsOf(b) {
		if f.typ != protowire.BytesType {
			continue
		}
		switch f.num {
		case fieldnum.TypeTensor:
			t = decodeTensorType(f.value)
		case fieldnum.TypeSparse:
			t = decodeTensorType(f.value)
			t.Kind = TypeSparse
		case fieldnum.TypeSequence:
			t = decodeOf(TypeSequence, f.value, fieldnum.TypeElem)
		case fieldnum.TypeOptional:
			t = decodeOf(TypeOptional, f.value, fieldnum.TypeElem)
		case fieldnum.TypeMap:
			t = decodeOf(TypeMap, f.value, fieldnum.TypeMapValue)
			key, _ := lastVarint(f.value, fieldnum.TypeElem)
			t.Elem = tensor.DType(key)
		case fieldnum.TypeOpaque:
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
	elem, _ := lastVarint(b, fieldnum.TypeElem)
	t := Type{Kind: TypeTensor, Elem: tensor.DType(elem)}
	shape, ok := joinedMessage(b, fieldnum.TypeShape)
	if !ok {
		return t
	}
	t.Shape = Shape{}
	for f := range fieldsOf(shape) {
		if f.num == fieldnum.ShapeDim && f.typ == protowire.BytesType {
			t.Shape = append(t.Shape, decodeDim(f.value))
		}
	}
	return t
}

// decodeDim decodes a dimension. If it has both a value and a symbol, the later one counts, because
// they are a oneof. A negative value, which some exporters write for "any size", means unknown.
func decodeDim(b []byte) Dim {
	d := Dim{Value: -1}
	for f := range fieldsOf(b) {
		switch {
		case f.num == fieldnum.DimValue && f.typ == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(f.value)
			d = Dim{Value: max(int64(v), -1)}
		case f.num == fieldnum.DimParam && f.typ == protowire.BytesType:
			d = SymbolDim(text(f.value))
		}
	}
	return d
}

func appendDim(b []byte, d Dim) []byte {
	switch {
	case d.IsFixed():
		return appendVarint(b, fieldnum.DimValue, d.Value)
	case d.Symbol != "":
		return appendString(b, fieldnum.DimParam, d.Symbol)
	default:
		return b
	}
}

// encodeType encodes a TypeProto.
func encodeType(t Type) []byte {
	of := func(num protowire.Number, b []byte) []byte {
		if t.Of == nil {
			return b
		}
		return appendBytes(b, num, encodeType(*t.Of))
	}
	switch t.Kind {
	case TypeTensor, TypeSparse:
		b := appendVarint(nil, fieldnum.TypeElem, int64(t.Elem))
		if t.Shape != nil {
			var s []byte
			for _, d := range t.Shape {
				s = appendBytes(s, fieldnum.ShapeDim, appendDim(nil, d))
			}
			b = appendBytes(b, fieldnum.TypeShape, s)
		}
		if t.Kind == TypeSparse {
			return appendBytes(nil, fieldnum.TypeSparse, b)
		}
		return appendBytes(nil, fieldnum.TypeTensor, b)
	case TypeSequence:
		return appendBytes(nil, fieldnum.TypeSequence, of(fieldnum.TypeElem, nil))
	case TypeOptional:
		return appendBytes(nil, fieldnum.TypeOptional, of(fieldnum.TypeElem, nil))
	case TypeMap:
		return appendBytes(nil, fieldnum.TypeMap, of(fieldnum.TypeMapValue, appendVarint(nil, fieldnum.TypeElem, int64(t.Elem))))
	default:
		return nil
	}
}
