package onnxtext

import (
	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

var modelKeys = []string{
	"ir_version", "opset_import", "producer_name", "producer_version", "domain", "model_version", "doc_string", "metadata_props",
}

func (p *parser) model() error {
	if err := p.keyed(modelKeys, p.modelEntry); err != nil {
		return err
	}
	err := p.message(fieldnum.ModelGraph, func() error {
		name, err := p.name("the name of the graph")
		if err != nil {
			return err
		}
		return p.graph(name)
	})
	for p.skip(); err == nil && p.pos < len(p.in); p.skip() {
		err = p.message(fieldnum.ModelFunction, p.function)
	}
	return err
}

func (p *parser) modelEntry(key string) error {
	switch key {
	case "ir_version":
		return p.putInt(fieldnum.ModelIRVersion, "a version")
	case "opset_import":
		return p.opsets(fieldnum.ModelOpsetImport)
	case "producer_name":
		return p.putText(fieldnum.ModelProducerName)
	case "producer_version":
		return p.putText(fieldnum.ModelProducerVersion)
	case "domain":
		return p.putText(fieldnum.ModelDomain)
	case "model_version":
		return p.putInt(fieldnum.ModelVersion, "a version")
	case "doc_string":
		return p.putText(fieldnum.ModelDoc)
	default:
		return p.entries(fieldnum.ModelMetadata)
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
	p.setText(fieldnum.FunctionName, name)
	if p.accept('<') {
		if err := p.list('>', `"," or ">"`, p.functionAttribute); err != nil {
			return err
		}
	}
	if err := p.formal(fieldnum.FunctionInput, "the inputs of the function"); err != nil {
		return err
	}
	if err := p.arrow(`"=>" and the outputs of the function`); err != nil {
		return err
	}
	if err := p.formal(fieldnum.FunctionOutput, "the outputs of the function"); err != nil {
		return err
	}
	if p.accept('<') {
		if err := p.list('>', `"," or ">"`, func() error { _, _, err := p.namedValue(fieldnum.FunctionValueInfo); return err }); err != nil {
			return err
		}
	}
	return p.nodes(fieldnum.FunctionNode)
}

func (p *parser) functionEntry(key string) error {
	switch key {
	case "domain":
		return p.putText(fieldnum.FunctionDomain)
	case "overload":
		return p.putText(fieldnum.FunctionOverload)
	case "doc_string":
		return p.putText(fieldnum.FunctionDoc)
	default:
		return p.opsets(fieldnum.FunctionOpset)
	}
}

// functionAttribute reads the name of an attribute of a function. If a default follows, calls may
// omit the attribute.
func (p *parser) functionAttribute() error {
	name, err := p.name("the name of an attribute")
	if err != nil {
		return err
	}
	if c := p.next(); c == ':' || c == '=' {
		return p.message(fieldnum.FunctionDefault, func() error { return p.attribute(name) })
	}
	p.setText(fieldnum.FunctionAttribute, name)
	return nil
}

// formal reads the names of a function's inputs or outputs. A value with a type gets an entry in
// value_info.
func (p *parser) formal(num protowire.Number, what string) error {
	if err := p.expect('(', `"(" and `+what); err != nil {
		return err
	}
	return p.list(')', `"," or ")"`, func() error {
		if isTypeWord(p.peekWord()) {
			name, _, err := p.namedValue(fieldnum.FunctionValueInfo)
			p.setText(num, name)
			return err
		}
		name, err := p.name("the name of a value")
		p.setText(num, name)
		return err
	})
}
