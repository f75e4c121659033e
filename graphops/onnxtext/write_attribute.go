package onnxtext

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/fieldnum"
)

func (p *printer) attributes(n *graphops.Node) {
	written := 0
	for _, a := range n.Attributes() {
		a, err := a.Load()
		if err != nil {
			p.fail(err)
			return
		}
		if !p.sayable(a, false) {
			continue
		}
		if written++; written == 1 {
			p.text(" <")
		} else {
			p.text(", ")
		}
		p.in(frame{what: "attribute", name: a.Name()}, func() { p.attribute(a) })
	}
	if written > 0 {
		p.byte('>')
	}
}

func (p *printer) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *printer) attribute(a *graphops.Attribute) {
	p.name(a.Name())
	ref := a.RefName()
	if ref == "" || a.Kind() != graphops.AttrUndefined {
		p.text(": ")
		p.text(a.Kind().String())
	}
	p.text(" = ")
	if ref != "" {
		p.byte('@')
		p.name(ref)
		return
	}
	switch a.Kind() {
	case graphops.AttrInt:
		p.int(a.Int())
	case graphops.AttrFloat:
		p.float32(a.Float())
	case graphops.AttrString:
		p.string(a.Text())
	case graphops.AttrInts:
		p.list(len(a.Ints()), each(a.Ints(), p.int))
	case graphops.AttrFloats:
		p.list(len(a.Floats()), each(a.Floats(), p.float32))
	case graphops.AttrStrings:
		p.list(len(a.Texts()), each(a.Texts(), p.string))
	case graphops.AttrTensor:
		p.tensorValue(a.Tensor())
	case graphops.AttrGraph:
		p.body(a.Graphs()[0])
	default:
		p.rareList(a)
	}
}

func each[T any](list []T, f func(T)) func(i int) { return func(i int) { f(list[i]) } }

// rareList writes a list of values that onnx.parser skips, and records a Loss.
func (p *printer) rareList(a *graphops.Attribute) {
	note := func(n int) {
		if n > 0 {
			p.unread(fmt.Sprintf("the value of an attribute of kind %s", a.Kind()))
		}
	}
	switch a.Kind() {
	case graphops.AttrTensors:
		note(len(a.Tensors()))
		p.list(len(a.Tensors()), each(a.Tensors(), p.tensorValue))
	case graphops.AttrGraphs:
		note(len(a.Graphs()))
		p.list(len(a.Graphs()), each(a.Graphs(), p.body))
	case graphops.AttrTypeProto:
		t, _ := a.Head().Message(fieldnum.AttrTP)
		p.typeValue(t)
	case graphops.AttrTypeProtos:
		var types []graphops.Message
		for t := range a.Head().Messages(fieldnum.AttrTPs) {
			types = append(types, t)
		}
		note(len(types))
		p.list(len(types), each(types, p.typeValue))
	}
}

func (p *printer) typeValue(t graphops.Message) {
	b, _ := appendType(nil, t, 0, p.noteOf(""))
	p.bytes(b)
}

// list writes n values in brackets.
func (p *printer) list(n int, write func(i int)) {
	p.byte('[')
	for i := range n {
		if i > 0 {
			p.text(", ")
		}
		if p.max > 0 && int64(i) == p.max {
			p.text("...")
			p.lost(LeftOut, "")
			break
		}
		write(i)
	}
	p.byte(']')
}

// body writes a graph that is the value of an attribute.
func (p *printer) body(g *graphops.Graph) {
	p.indent += 3
	p.graph(g, func(name string) {
		if !namesBody(name) {
			p.lost("the name of a body that is not an identifier", name)
			name = identifier(name)
		}
		p.text(name)
	})
	p.indent -= 3
}
