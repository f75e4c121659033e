package onnxtext

import (
	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

func (p *parser) nodes(num protowire.Number) error {
	if err := p.expect('{', `"{" and nodes`); err != nil {
		return err
	}
	for !p.accept('}') {
		if err := p.message(num, p.node); err != nil {
			return err
		}
	}
	return nil
}

// node reads a node, whose attributes may come before or after the inputs.
func (p *parser) node() error {
	if err := p.label(); err != nil {
		return err
	}
	if err := p.valueNames(fieldnum.NodeOutput); err != nil {
		return err
	}
	if err := p.expect('=', `"=" after the outputs of a node, or "}"`); err != nil {
		return err
	}
	if err := p.operator(); err != nil {
		return err
	}
	before, err := p.attributes()
	if err != nil {
		return err
	}
	if err := p.expect('(', `"(" and the inputs of the node`); err != nil {
		return err
	}
	if err := p.valueNames(fieldnum.NodeInput); err != nil {
		return err
	}
	if err := p.expect(')', `"," or ")"`); err != nil || before {
		return err
	}
	_, err = p.attributes()
	return err
}

// label reads the optional name of a node in brackets.
func (p *parser) label() error {
	if !p.accept('[') {
		return nil
	}
	name, err := p.nameOrNone("the name of a node")
	if err != nil {
		return err
	}
	p.setText(fieldnum.NodeName, name)
	return p.expect(']', `"]" after the name of a node`)
}

func (p *parser) nameOrNone(what string) (string, error) {
	if p.next() == '"' {
		return p.string(what)
	}
	return p.word(), nil
}

// valueNames reads names separated by commas. If nothing comes before a comma, it is an empty name.
// If nothing comes after the last comma, there is no further name.
func (p *parser) valueNames(num protowire.Number) error {
	for {
		quoted := p.next() == '"'
		name, err := p.nameOrNone("the name of a value")
		if err != nil {
			return err
		}
		if !quoted && name == "" && p.next() != ',' {
			return nil
		}
		p.setText(num, name)
		if !p.accept(',') {
			return nil
		}
	}
}

// operator reads the domain, name and overload of a node's operator.
func (p *parser) operator() error {
	domain, op := "", p.word()
	for p.accept('.') {
		if domain != "" {
			domain += "."
		}
		domain += op
		var err error
		if op, err = p.identifier(`the name of an operator`); err != nil {
			return err
		}
	}
	p.setText(fieldnum.NodeOpType, op)
	if domain != "" {
		p.setText(fieldnum.NodeDomain, domain)
	}
	if !p.accept(':') {
		return nil
	}
	overload, err := p.identifier("the name of an overload")
	p.setText(fieldnum.NodeOverload, overload)
	return err
}
