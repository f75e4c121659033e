package onnxtext

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// graph reads the part of a graph after its name.
func (p *parser) graph(name string) error {
	if p.depth++; p.depth > maxDepth {
		return p.expected(fmt.Sprintf("no graph that is nested deeper than %d", maxDepth))
	}
	defer func() { p.depth-- }()
	p.setText(fieldnum.GraphName, name)
	if p.accept('(') {
		if err := p.list(')', `"," or ")"`, p.input); err != nil {
			return err
		}
	}
	if err := p.arrow(`"=>" and the outputs of the graph`); err != nil {
		return err
	}
	if err := p.outputs(); err != nil {
		return err
	}
	if p.accept('<') {
		if err := p.list('>', `"," or ">"`, p.constant); err != nil {
			return err
		}
	}
	return p.nodes(fieldnum.GraphNode)
}

func (p *parser) outputs() error {
	if err := p.expect('(', `"(" and the outputs of the graph`); err != nil {
		return err
	}
	return p.list(')', `"," or ")"`, func() error {
		_, _, err := p.namedValue(fieldnum.GraphOutput)
		return err
	})
}

// namedValue reads an optional type and a name, and writes both as a value.
func (p *parser) namedValue(num protowire.Number) (name string, t typed, err error) {
	err = p.message(num, func() error {
		name, t, err = p.typeAndName()
		if err != nil {
			return err
		}
		p.setText(fieldnum.ValueName, name)
		if t.words {
			p.setMessage(fieldnum.ValueType, t.message)
		}
		return nil
	})
	return name, t, err
}

func (p *parser) typeAndName() (name string, t typed, err error) {
	what := "a type or the name of a value"
	if isTypeWord(p.peekWord()) {
		if t, err = p.typed(); err != nil {
			return "", t, err
		}
		what = "the name of a value"
	}
	name, err = p.name(what)
	return name, t, err
}

func (p *parser) setMessage(num protowire.Number, m []byte) {
	p.out = protowire.AppendTag(p.out, num, protowire.BytesType)
	p.out = protowire.AppendBytes(p.out, m)
}

// input reads an input of a graph. If it has a default, this becomes an initializer.
func (p *parser) input() error {
	name, t, err := p.namedValue(fieldnum.GraphInput)
	if err != nil || !p.accept('=') {
		return err
	}
	return p.initializer(name, t)
}

// constant reads an initializer or an entry of value_info.
func (p *parser) constant() error {
	start := len(p.out)
	name, t, err := p.namedValue(fieldnum.GraphValueInfo)
	if err != nil || !p.accept('=') {
		return err
	}
	p.out = p.out[:start]
	return p.initializer(name, t)
}

func (p *parser) initializer(name string, t typed) error {
	return p.message(fieldnum.GraphInitializer, func() error {
		p.setText(fieldnum.TensorName, name)
		return p.tensor(t)
	})
}
