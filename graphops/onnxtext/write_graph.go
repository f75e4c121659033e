package onnxtext

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/fieldnum"
)

// graph writes a graph; name writes its name.
func (p *printer) graph(g *graphops.Graph, name func(string)) {
	p.check(graphPart, g.Head(), 0, "")
	name(g.Name())
	p.text(" (")
	p.values(g.Inputs())
	p.text(") => (")
	p.values(g.Outputs())
	p.text(") ")
	p.constants(g)
	p.nodes(g)
}

func (p *printer) values(list []*graphops.ValueInfo) {
	for i, v := range list {
		if i > 0 {
			p.text(", ")
		}
		p.value(v)
	}
}

// value writes a type and a name. A type that the syntax cannot express is left out.
func (p *printer) value(v *graphops.ValueInfo) {
	p.check(valuePart, v.Head(), 0, v.Name())
	t, ok := v.Head().Message(fieldnum.ValueType)
	if ok {
		var b []byte
		if b, ok = appendType(p.buf[:0], t, 0, p.noteOf(v.Name())); ok {
			p.bytes(b)
			p.byte(' ')
		} else {
			p.lost("type of a value, which the syntax cannot express", v.Name())
		}
		p.buf = b[:0]
	}
	p.note(v.Name())
	if ok {
		p.name(v.Name())
		return
	}
	p.untyped(v.Name())
}

// item starts the i-th line of a list of lines.
func (p *printer) item(i int) {
	if i > 0 {
		p.text(",\n")
		p.space(p.indent + 1)
	}
}

// constants writes the initializers and the entries of value_info, one per line.
func (p *printer) constants(g *graphops.Graph) {
	for _, s := range g.SparseInitializers() {
		p.lost("a sparse initializer", s.Name())
	}
	n := 0
	next := func() {
		if n == 0 {
			p.byte('\n')
			p.space(p.indent)
			p.byte('<')
		}
		p.item(n)
		n++
	}
	for _, t := range g.Initializers() {
		if !sayableTensor(t) {
			p.lost("an initializer of a type that the syntax cannot express", t.Name())
			continue
		}
		next()
		p.initializer(t)
	}
	for _, v := range g.ValueInfo() {
		next()
		p.value(v)
	}
	if n > 0 {
		p.text(">\n")
	}
}

func (p *printer) nodes(g *graphops.Graph) {
	p.text("{\n")
	for i, n := range g.Nodes() {
		p.in(frame{node: n, index: i}, func() { p.node(n) })
	}
	if p.indent > 3 {
		p.space(p.indent - 3)
	}
	p.byte('}')
}

func (p *printer) node(n *graphops.Node) {
	p.check(nodePart, n.Head(), 0, "")
	p.space(p.indent)
	if name, ok := n.Head().Text(fieldnum.NodeName); ok {
		p.byte('[')
		p.note(name)
		p.name(name)
		p.text("] ")
	}
	p.names(n.Outputs(), p.valueName)
	p.text(" = ")
	p.operator(n)
	bodies := len(n.Graphs()) > 0
	if !bodies {
		p.attributes(n)
	}
	p.text(" (")
	p.names(n.Inputs(), p.valueName)
	p.byte(')')
	if bodies {
		p.attributes(n)
	}
	p.byte('\n')
}

func (p *printer) valueName(s string) {
	p.note(s)
	p.name(s)
}

// operator writes the operator of a node, without quotes.
func (p *printer) operator(n *graphops.Node) {
	domain, _ := n.Head().Text(fieldnum.NodeDomain)
	op := n.OpType()
	if domain != "" && !isDotted(domain) || !isIdentifier(op) && (op != "" || domain != "") {
		p.lost("the name of an operator that is not an identifier", strings.TrimPrefix(domain+"."+op, "."))
		op = identifier(op)
		if domain != "" {
			domain = dotted(domain)
		}
	}
	if domain != "" {
		p.text(domain)
		p.byte('.')
	}
	p.text(op)
	if s := n.Overload(); s != "" {
		if !isIdentifier(s) {
			p.lost("the name of an overload that is not an identifier", s)
			s = identifier(s)
		}
		p.byte(':')
		p.text(s)
	}
}
