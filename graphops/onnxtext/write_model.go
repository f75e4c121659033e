package onnxtext

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops"
	"lathe/graphops/fieldnum"
)

func (p *printer) model(m *graphops.Model) {
	head := m.Head()
	p.check(modelPart, head, 0, "")
	if m.HasTraining() {
		p.lost("training_info of the model", "")
	}
	p.modelHead(head)
	p.graph(m.Graph(), p.name)
	p.byte('\n')
	for _, f := range m.Functions() {
		p.in(frame{what: "function", name: f.Key().Name}, func() { p.function(f) })
		p.byte('\n')
	}
}

// modelHead writes the metadata of the model, or nothing if there is none.
func (p *printer) modelHead(head graphops.Message) {
	lines := 0
	line := func(word string) {
		if lines == 0 {
			p.text("<\n")
		} else {
			p.text(",\n")
		}
		lines++
		p.space(p.indent)
		p.text(word + ": ")
	}
	if v, ok := head.Varint(fieldnum.ModelIRVersion); ok {
		line("ir_version")
		p.int(v)
	}
	if slices.Collect(head.Messages(fieldnum.ModelOpsetImport)) != nil {
		line("opset_import")
		p.opsets(head, fieldnum.ModelOpsetImport)
	}
	text := func(word string, num protowire.Number) {
		if s, ok := head.Text(num); ok {
			line(word)
			p.string(s)
		}
	}
	text("producer_name", fieldnum.ModelProducerName)
	text("producer_version", fieldnum.ModelProducerVersion)
	text("domain", fieldnum.ModelDomain)
	if v, ok := head.Varint(fieldnum.ModelVersion); ok {
		line("model_version")
		p.int(v)
	}
	text("doc_string", fieldnum.ModelDoc)
	if slices.Collect(head.Messages(fieldnum.ModelMetadata)) != nil {
		line("metadata_props")
		p.entries(head, fieldnum.ModelMetadata)
	}
	if lines > 0 {
		p.text("\n>\n")
	}
}

// string writes a quoted string and records a Loss if a parser would change it.
func (p *printer) string(s string) {
	p.note(s)
	p.quoted(s)
}

func (p *printer) opsets(m graphops.Message, num protowire.Number) {
	p.bracketed(m, num, func(o graphops.Message) {
		domain, _ := o.Text(fieldnum.OpsetDomain)
		version, _ := o.Varint(fieldnum.OpsetVersion)
		p.string(domain)
		p.text(" : ")
		p.int(version)
	})
}

func (p *printer) entries(m graphops.Message, num protowire.Number) {
	p.bracketed(m, num, func(e graphops.Message) {
		key, _ := e.Text(fieldnum.EntryKey)
		value, _ := e.Text(fieldnum.EntryValue)
		p.string(key)
		p.text(": ")
		p.string(value)
	})
}

// bracketed writes the messages in a field as a list in brackets.
func (p *printer) bracketed(m graphops.Message, num protowire.Number, write func(graphops.Message)) {
	p.byte('[')
	first := true
	for item := range m.Messages(num) {
		if !first {
			p.text(", ")
		}
		first = false
		write(item)
	}
	p.byte(']')
}

func (p *printer) function(f *graphops.Function) {
	head := f.Head()
	p.check(functionPart, head, 0, "")
	p.functionHead(head)
	name, _ := head.Text(fieldnum.FunctionName)
	p.name(name)
	p.byte(' ')
	p.functionAttributes(f)
	p.byte('(')
	p.names(texts(head, fieldnum.FunctionInput), p.untyped)
	p.text(") => (")
	p.names(texts(head, fieldnum.FunctionOutput), p.untyped)
	p.text(")\n")
	if info := f.Graph().ValueInfo(); len(info) > 0 {
		p.space(p.indent)
		p.byte('<')
		for i, v := range info {
			p.item(i)
			p.value(v)
		}
		p.text(">\n")
	}
	p.nodes(f.Graph())
}

func (p *printer) functionHead(head graphops.Message) {
	p.text("<\n  domain: ")
	domain, _ := head.Text(fieldnum.FunctionDomain)
	p.string(domain)
	if s, _ := head.Text(fieldnum.FunctionOverload); s != "" {
		p.text(",\n  overload: ")
		p.string(s)
	}
	if s, _ := head.Text(fieldnum.FunctionDoc); s != "" {
		p.text(",\n  doc_string: ")
		p.string(s)
	}
	p.text(",\n  opset_import: ")
	p.opsets(head, fieldnum.FunctionOpset)
	p.text("\n>\n")
}

// functionAttributes writes the attributes of a function: those that a call must have, and those
// with a default.
func (p *printer) functionAttributes(f *graphops.Function) {
	n := 0
	next := func() {
		if n++; n == 1 {
			p.byte('<')
		} else {
			p.text(", ")
		}
	}
	for _, name := range f.AttributeNames() {
		next()
		p.name(name)
	}
	for _, a := range f.DefaultAttributes() {
		if p.sayable(a, true) {
			next()
			p.attribute(a)
		}
	}
	if n > 0 {
		p.text("> ")
	}
}

func texts(m graphops.Message, num protowire.Number) []string {
	var out []string
	for s := range m.Messages(num) {
		out = append(out, string(s))
	}
	return out
}
