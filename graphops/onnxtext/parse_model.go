package onnxtext

import "google.golang.org/protobuf/encoding/protowire"

var modelKeys = []string{
	"ir_version", "opset_import", "producer_name", "producer_version", "domain", "model_version", "doc_string", "metadata_props",
}

func (p *parser) model() error {
	if err := p.keyed(modelKeys, p.modelEntry); err != nil {
		return err
	}
	err := p.message(modelGraph, func() error {
		name, err := p.name("the name of the graph")
		if err != nil {
			return err
		}
		return p.graph(name)
	})
	for p.skip(); err == nil && p.pos < len(p.in); p.skip() {
		err = p.message(modelFunction, p.function)
	}
	return err
}

func (p *parser) modelEntry(key string) error {
	switch key {
	case "ir_version":
		return p.putInt(modelIRVersion, "a version")
	case "opset_import":
		return p.opsets(modelOpset)
	case "producer_name":
		return p.putText(modelProducerName)
	case "producer_version":
		return p.putText(modelProducerVersion)
	case "domain":
		return p.putText(modelDomain)
	case "model_version":
		return p.putInt(modelVersion, "a version")
	case "doc_string":
		return p.putText(modelDoc)
	default:
		return p.entries(modelMetadata)
	}
}

func (p *parser) putText(num protowire.Number) error {
	s, err := p.string("a text in quotes")
	p.setText(num, s)
	return err
}

func (p *parser) putInt(num protowire.Number, what string) error {
	v, err := p.int(what)
	p.setInt(num, v)
	return err
}

var functionKeys = []string{"domain", "overload", "opset_import", "doc_string"}

func (p *parser) function() error {
	if err := p.keyed(functionKeys, p.functionEntry); err != nil {
		return err
	}
	name, err := p.name("the name of a function")
	if err != nil {
		return err
	}
	p.setText(functionName, name)
	if p.accept('<') {
		if err := p.list('>', `"," or ">"`, p.functionAttribute); err != nil {
			return err
		}
	}
	if err := p.formal(functionInput, "the inputs of the function"); err != nil {
		return err
	}
	if err := p.arrow(`"=>" and the outputs of the function`); err != nil {
		return err
	}
	if err := p.formal(functionOutput, "the outputs of the function"); err != nil {
		return err
	}
	if p.accept('<') {
		if err := p.list('>', `"," or ">"`, func() error { _, _, err := p.namedValue(functionValueInfo); return err }); err != nil {
			return err
		}
	}
	return p.nodes(functionNode)
}

func (p *parser) functionEntry(key string) error {
	switch key {
	case "domain":
		return p.putText(functionDomain)
	case "overload":
		return p.putText(functionOverload)
	case "doc_string":
		return p.putText(functionDoc)
	default:
		return p.opsets(functionOpset)
	}
}

// functionAttribute reads the name of an attribute that a call must give, or an
// attribute that it may leave out.
func (p *parser) functionAttribute() error {
	name, err := p.name("the name of an attribute")
	if err != nil {
		return err
	}
	if c := p.next(); c == ':' || c == '=' {
		return p.message(functionDefault, func() error { return p.attribute(name) })
	}
	p.setText(functionAttribute, name)
	return nil
}

// formal reads names of values. Those that have a type get an entry of value_info.
func (p *parser) formal(num protowire.Number, what string) error {
	if err := p.expect('(', `"(" and `+what); err != nil {
		return err
	}
	return p.list(')', `"," or ")"`, func() error {
		if isTypeWord(p.peekWord()) {
			name, _, err := p.namedValue(functionValueInfo)
			p.setText(num, name)
			return err
		}
		name, err := p.name("the name of a value")
		p.setText(num, name)
		return err
	})
}
