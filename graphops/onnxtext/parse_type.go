package onnxtext

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// typed is a type that was read: the serialized message, and the parts of it that a tensor needs.
type typed struct {
	words   bool // the text has a type
	at      int
	message []byte
	elem    tensor.DType // Undefined except for dense tensors
	dims    []int64
	open    bool // the rank is unknown or a dimension is not a number
}

// typed reads a type.
func (p *parser) typed() (typed, error) {
	p.skip()
	t := typed{words: true, at: p.pos}
	inner := &typeParser{parser: p}
	b, err := inner.append(nil, 0)
	t.message, t.elem, t.dims, t.open = b, inner.elem, inner.dims, inner.open
	return t, err
}

// typeParser reads one type.
type typeParser struct {
	*parser
	elem tensor.DType
	dims []int64
	open bool
}

func (p *typeParser) append(b []byte, depth int) ([]byte, error) {
	p.skip()
	at := p.pos
	if depth > maxTypeDepth {
		return nil, p.errorAt(at, fmt.Sprintf("no type that is nested deeper than %d", maxTypeDepth))
	}
	switch word := p.word(); word {
	case "seq":
		return p.of(b, fieldnum.TypeSequence, nil, fieldnum.TypeElem, depth)
	case "optional":
		return p.of(b, fieldnum.TypeOptional, nil, fieldnum.TypeElem, depth)
	case "map":
		return p.mapType(b, depth)
	case "sparse_tensor":
		return p.sparse(b)
	case "opaque":
		return p.opaque(b)
	default:
		d, ok := elementTypes[word]
		if !ok {
			return nil, p.errorAt(at, "a type")
		}
		m, err := p.tensorType(d)
		if depth == 0 {
			p.elem = d
		}
		return appendMessage(b, fieldnum.TypeTensor, m), err
	}
}

func appendMessage(b []byte, num protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), m)
}

func appendInt64(b []byte, num protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), uint64(v))
}

// of reads a type in parentheses and appends it to b as the element of an outer type, which is
// field form. prefix is what the message of the outer type already contains, such as the type of a
// map's keys.
func (p *typeParser) of(b []byte, form protowire.Number, prefix []byte, num protowire.Number, depth int) ([]byte, error) {
	if prefix == nil {
		if err := p.expect('(', `"(" and a type`); err != nil {
			return nil, err
		}
	}
	inner, err := p.append(nil, depth+1)
	if err != nil {
		return nil, err
	}
	return appendMessage(b, form, appendMessage(prefix, num, inner)), p.expect(')', `")"`)
}

func (p *typeParser) mapType(b []byte, depth int) ([]byte, error) {
	if err := p.expect('(', `"(" and the type of the keys`); err != nil {
		return nil, err
	}
	d, err := p.elementType()
	if err != nil {
		return nil, err
	}
	if err := p.expect(',', `"," and the type of the values`); err != nil {
		return nil, err
	}
	return p.of(b, fieldnum.TypeMap, appendInt64(nil, fieldnum.TypeElem, int64(d)), fieldnum.TypeMapValue, depth)
}

func (p *typeParser) elementType() (tensor.DType, error) {
	p.skip()
	at := p.pos
	if d, ok := elementTypes[p.word()]; ok {
		return d, nil
	}
	return 0, p.errorAt(at, "an element type")
}

func (p *typeParser) sparse(b []byte) ([]byte, error) {
	if err := p.expect('(', `"(" and an element type`); err != nil {
		return nil, err
	}
	d, err := p.elementType()
	if err != nil {
		return nil, err
	}
	m, err := p.tensorType(d)
	if err != nil {
		return nil, err
	}
	return appendMessage(b, fieldnum.TypeSparse, m), p.expect(')', `")"`)
}

// tensorType reads what follows an element type: nothing for a scalar, "[]" for an unknown rank, or
// dimensions in brackets.
func (p *typeParser) tensorType(d tensor.DType) ([]byte, error) {
	b := appendInt64(nil, fieldnum.TypeElem, int64(d))
	if !p.accept('[') {
		return appendMessage(b, fieldnum.TypeShape, nil), nil
	}
	if p.accept(']') {
		p.open = true
		return b, nil
	}
	var shape []byte
	err := p.list(']', `"," or "]"`, func() error {
		dim, err := p.dim()
		shape = appendMessage(shape, fieldnum.ShapeDim, dim)
		return err
	})
	return appendMessage(b, fieldnum.TypeShape, shape), err
}

func (p *typeParser) dim() ([]byte, error) {
	c := p.next()
	switch {
	case c == '?':
		p.pos++
		p.open = true
		return nil, nil
	case c == '"' || c == '_' || isLetter(c):
		p.open = true
		s, err := p.name("a dimension")
		return appendMessage(nil, fieldnum.DimParam, []byte(s)), err
	}
	v, err := p.int(`a dimension: a number, a name or "?"`)
	p.dims = append(p.dims, v)
	return appendInt64(nil, fieldnum.DimValue, v), err
}

// opaque reads the parentheses of an opaque type, which contain nothing, a name, or a domain and a
// name.
func (p *typeParser) opaque(b []byte) ([]byte, error) {
	if err := p.expect('(', `"("`); err != nil {
		return nil, err
	}
	if p.accept(')') {
		return appendMessage(b, fieldnum.TypeOpaque, nil), nil
	}
	first, err := p.identifier("a name")
	if err != nil {
		return nil, err
	}
	for p.accept('.') {
		part, err := p.identifier("a name")
		if err != nil {
			return nil, err
		}
		first += "." + part
	}
	m := appendMessage(nil, fieldnum.OpaqueName, []byte(first))
	if p.accept(',') {
		name, err := p.identifier("a name")
		if err != nil {
			return nil, err
		}
		m = appendMessage(appendMessage(nil, fieldnum.OpaqueDomain, []byte(first)), fieldnum.OpaqueName, []byte(name))
	}
	return appendMessage(b, fieldnum.TypeOpaque, m), p.expect(')', `")"`)
}
