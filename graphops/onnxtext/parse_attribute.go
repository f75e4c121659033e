package onnxtext

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops"
	"lathe/graphops/fieldnum"
)

// attributeKinds maps the names of attribute kinds in the syntax to the kinds.
var attributeKinds = func() map[string]graphops.AttributeKind {
	kinds := map[string]graphops.AttributeKind{}
	for k := graphops.AttrFloat; k <= graphops.AttrTypeProtos; k++ {
		kinds[k.String()] = k
	}
	return kinds
}()

// elementKind returns the kind of the elements of a list; for other kinds, the kind itself.
func elementKind(k graphops.AttributeKind) graphops.AttributeKind {
	switch {
	case k >= graphops.AttrFloats && k <= graphops.AttrGraphs:
		return k - graphops.AttrFloats + graphops.AttrFloat
	case k == graphops.AttrSparseTensors:
		return graphops.AttrSparseTensor
	case k == graphops.AttrTypeProtos:
		return graphops.AttrTypeProto
	}
	return k
}

// listKind returns the kind of a list whose elements have the given kind.
func listKind(k graphops.AttributeKind) graphops.AttributeKind {
	if k == graphops.AttrTypeProto {
		return graphops.AttrTypeProtos
	}
	return k - graphops.AttrFloat + graphops.AttrFloats
}

// attributes reads optional attributes in angle brackets. were reports whether there are any.
func (p *parser) attributes() (were bool, err error) {
	if !p.accept('<') {
		return false, nil
	}
	for {
		name, err := p.identifier("the name of an attribute")
		if err != nil {
			return true, err
		}
		if err := p.message(fieldnum.NodeAttribute, func() error { return p.attribute(name) }); err != nil {
			return true, err
		}
		if !p.accept(',') {
			return true, p.expect('>', `"," or ">"`)
		}
	}
}

// attribute reads the part of an attribute after its name: an optional kind, and a value.
func (p *parser) attribute(name string) error {
	p.setText(fieldnum.AttrName, name)
	kind := graphops.AttrUndefined
	if p.accept(':') {
		p.skip()
		at := p.pos
		if kind = attributeKinds[p.word()]; kind == graphops.AttrUndefined {
			return p.errorAt(at, "a kind of attribute, such as int or floats")
		}
	}
	if err := p.expect('=', `"=" and a value`); err != nil {
		return err
	}
	var err error
	switch {
	case p.accept('@'):
		var ref string
		ref, err = p.name("the name of an attribute")
		p.setText(fieldnum.AttrRefName, ref)
	case p.next() == '[':
		kind, err = p.attributeList(kind)
	default:
		kind, err = p.attributeValue(kind, false)
	}
	if kind != graphops.AttrUndefined {
		p.setInt(fieldnum.AttrType, int64(kind))
	}
	return err
}

// attributeList reads values in brackets and returns the kind of the list. If no kind is stated,
// the first value determines it.
func (p *parser) attributeList(kind graphops.AttributeKind) (graphops.AttributeKind, error) {
	at := p.pos
	p.pos++
	if p.next() == ']' {
		switch kind {
		case graphops.AttrUndefined:
			return kind, p.errorAt(at, "a kind in front of an empty list, such as : ints =")
		case elementKind(kind):
			return kind, p.errorAt(at, "a single value, as the kind says")
		}
	}
	err := p.list(']', `"," or "]"`, func() error {
		k, err := p.attributeValue(elementKind(kind), true)
		if err == nil {
			kind = listKind(k)
		}
		return err
	})
	return kind, err
}

// attributeValue reads one value. It must have the kind want, unless that is AttrUndefined. If list
// is set, the value is written as an element of a list.
func (p *parser) attributeValue(want graphops.AttributeKind, list bool) (graphops.AttributeKind, error) {
	p.skip()
	at := p.pos
	kind := p.valueKind(want)
	if want != graphops.AttrUndefined && kind != want {
		return kind, p.errorAt(at, "a value of kind "+want.String())
	}
	field := valueFields[kind]
	if list {
		field = valueFields[listKind(kind)]
	}
	switch kind {
	case graphops.AttrInt:
		return kind, p.putInt(field, "a value")
	case graphops.AttrFloat:
		v, err := p.float("a number", 32)
		p.out = protowire.AppendTag(p.out, field, protowire.Fixed32Type)
		p.out = protowire.AppendFixed32(p.out, float32bits(v))
		return kind, err
	case graphops.AttrString:
		return kind, p.putText(field)
	case graphops.AttrGraph:
		return kind, p.message(field, func() error {
			name, err := p.name("the name of a graph")
			if err != nil {
				return err
			}
			return p.graph(name)
		})
	case graphops.AttrTensor, graphops.AttrTypeProto:
		return p.typeOrTensor(want, list)
	}
	return kind, p.expected("a value")
}

// valueKind determines the kind of the next value from its first characters. A number without a
// point or exponent is an int, unless a float is expected. A type is the start of a tensor, unless
// a type is expected.
func (p *parser) valueKind(want graphops.AttributeKind) graphops.AttributeKind {
	word := p.peekWord()
	switch c := p.next(); {
	case isTypeWord(word):
		if want == graphops.AttrTypeProto {
			return want
		}
		return graphops.AttrTensor
	case c == '"' && want != graphops.AttrString && p.namesGraph():
		return graphops.AttrGraph
	case c == '"':
		return graphops.AttrString
	case word != "" && !startsFloat(word):
		return graphops.AttrGraph
	}
	mark := p.pos
	_, whole, err := p.number("a value")
	p.pos = mark
	switch {
	case err != nil:
		return graphops.AttrUndefined
	case whole && want != graphops.AttrFloat:
		return graphops.AttrInt
	}
	return graphops.AttrFloat
}

// namesGraph reports whether the string that comes next is the name of a graph, because inputs of a
// graph follow it. onnx.printer quotes such names. onnx.parser would read the name as a string.
func (p *parser) namesGraph() bool {
	mark := p.pos
	defer func() { p.pos = mark }()
	if _, err := p.string("a name"); err != nil {
		return false
	}
	c := p.next()
	return c == '(' || c == '=' && strings.HasPrefix(p.in[p.pos:], "=>")
}

// typeOrTensor reads a type. If elements or a name follow it, it is a tensor.
func (p *parser) typeOrTensor(want graphops.AttributeKind, list bool) (graphops.AttributeKind, error) {
	t, err := p.typed()
	if err != nil {
		return want, err
	}
	kind := graphops.AttrTypeProto
	if c := p.next(); c == '{' || c == '=' || c == '"' || p.peekWord() != "" {
		kind = graphops.AttrTensor
	}
	if want != graphops.AttrUndefined && kind != want {
		return kind, p.errorAt(t.at, "a value of kind "+want.String())
	}
	field := valueFields[kind]
	if list {
		field = valueFields[listKind(kind)]
	}
	if kind == graphops.AttrTypeProto {
		p.setMessage(field, t.message)
		return kind, nil
	}
	return kind, p.message(field, func() error {
		name, err := p.nameOrNone("the name of a tensor")
		if err != nil {
			return err
		}
		if name != "" {
			p.setText(fieldnum.TensorName, name)
		}
		p.accept('=')
		return p.tensor(t)
	})
}
