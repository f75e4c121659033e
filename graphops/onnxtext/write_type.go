package onnxtext

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops"
	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// maxTypeDepth is the maximum nesting of sequences, maps and optionals, the same as for a
// serialized model.
const maxTypeDepth = 16

// noter is called with each message that is part of a type, and its kind.
type noter func(k part, m graphops.Message)

// noteOf returns a noter that records what the syntax cannot express in a type. name is the name of
// the value or part with the type.
func (p *printer) noteOf(name string) noter {
	return func(k part, m graphops.Message) { p.check(k, m, 0, name) }
}

// appendType appends a TypeProto; ok is false if the syntax cannot express it.
func appendType(b []byte, t graphops.Message, depth int, note noter) (_ []byte, ok bool) {
	if depth > maxTypeDepth {
		return b, false
	}
	if note != nil {
		note(typePart, t)
	}
	form := formOf(t)
	m, _ := t.Message(form)
	of := func(word string, num protowire.Number) ([]byte, bool) {
		inner, ok := m.Message(num)
		if !ok {
			return b, false
		}
		if b, ok = appendType(append(b, word...), inner, depth+1, note); !ok {
			return b, false
		}
		return append(b, ')'), true
	}
	switch form {
	case fieldnum.TypeTensor:
		return appendTensorType(b, m, note)
	case fieldnum.TypeSparse:
		b, ok = appendTensorType(append(b, "sparse_tensor("...), m, note)
		return append(b, ')'), ok
	case fieldnum.TypeSequence:
		return of("seq(", fieldnum.TypeElem)
	case fieldnum.TypeOptional:
		return of("optional(", fieldnum.TypeElem)
	case fieldnum.TypeMap:
		key, ok := elementWord(m)
		if !ok {
			return b, false
		}
		return of("map("+key+", ", fieldnum.TypeMapValue)
	case fieldnum.TypeOpaque:
		return appendOpaque(b, m)
	}
	return b, false
}

// formOf returns the field of TypeProto that says which kind of type it is. If there are several,
// the last one applies.
func formOf(t graphops.Message) (form protowire.Number) {
	for f := range t.Fields() {
		if f.Type == protowire.BytesType && typePart.said>>f.Number&1 == 1 {
			form = f.Number
		}
	}
	return form
}

func elementWord(m graphops.Message) (string, bool) {
	v, _ := m.Varint(fieldnum.TypeElem)
	word, ok := elementWords[tensor.DType(v)]
	return word, ok
}

// appendTensorType appends a tensor type. A scalar has no brackets, and an unknown rank empty ones.
func appendTensorType(b []byte, m graphops.Message, note noter) ([]byte, bool) {
	word, ok := elementWord(m)
	b = append(b, word...)
	shape, known := m.Message(fieldnum.TypeShape)
	if !known {
		return append(b, "[]"...), ok
	}
	sep := byte('[')
	for d := range shape.Messages(fieldnum.ShapeDim) {
		if note != nil {
			note(dimPart, d)
		}
		b = appendDim(append(b, sep), d)
		sep = ','
	}
	if sep == ',' {
		b = append(b, ']')
	}
	return b, ok
}

// appendDim appends a dimension. Size and symbol are a oneof: the later one applies.
func appendDim(b []byte, d graphops.Message) []byte {
	out := append(b, '?')
	for f := range d.Fields() {
		switch {
		case f.Number == fieldnum.DimValue && f.Type == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(f.Value)
			out = strconv.AppendInt(b, int64(v), 10)
		case f.Number == fieldnum.DimParam && f.Type == protowire.BytesType && isIdentifier(string(f.Value)):
			out = append(b, f.Value...)
		case f.Number == fieldnum.DimParam && f.Type == protowire.BytesType:
			out = appendQuoted(b, string(f.Value))
		}
	}
	return out
}

// appendOpaque appends an opaque type. ok is false if its domain or name is not an identifier,
// possibly with dots.
func appendOpaque(b []byte, m graphops.Message) ([]byte, bool) {
	domain, _ := m.Text(fieldnum.OpaqueDomain)
	name, _ := m.Text(fieldnum.OpaqueName)
	b = append(b, "opaque("...)
	switch {
	case domain != "":
		b = append(b, domain+","+name...)
		return append(b, ')'), isDotted(domain) && isIdentifier(name)
	default:
		return append(append(b, name...), ')'), name == "" || isDotted(name)
	}
}
