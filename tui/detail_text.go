package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lathe/graphops"
	"lathe/session/text"
)

// description collects the lines of a detail.
type description struct {
	ws    *workspace
	w     int
	lines []detailLine
}

// describe tells about a row in lines of w cells.
func (ws *workspace) describe(row, w int) []detailLine {
	if ws.outline.len() == 0 {
		return nil
	}
	d := &description{ws: ws, w: w}
	switch k, i := ws.outline.at(row); k {
	case kindInput:
		d.graphValue("graph input", ws.outline.inputs[i])
		d.readers(ws.outline.inputs[i].Name())
	case kindNode:
		d.node(ws.outline.nodes[i], i)
	case kindOutput:
		d.graphValue("graph output", ws.outline.outputs[i])
		d.maker(ws.outline.outputs[i].Name())
	}
	return d.lines
}

// add appends text, broken into lines.
func (d *description) add(l looks, s string) {
	for _, line := range wrap(s, d.w) {
		d.lines = append(d.lines, detailLine{line, l})
	}
}

// head begins a section.
func (d *description) head(s string) {
	d.lines = append(d.lines, detailLine{}, detailLine{s, heading})
}

func (d *description) node(n *graphops.Node, i int) {
	op := label(n.OpType())
	if n.Domain() != "" {
		op = label(n.Domain()) + "::" + op
	}
	d.add(strong, op)
	if n.Name() != "" {
		d.add(plain, label(n.Name()))
	}
	d.add(faint, fmt.Sprintf("node %d of %d", i, len(d.ws.outline.nodes)))
	d.values("inputs", n.Inputs(), d.source)
	d.values("captured by bodies", n.Captured(), d.source)
	d.values("outputs", n.Outputs(), d.use)
	d.attributes(n.Attributes())
	d.entries("metadata", n.Metadata())
	d.doc(n.Doc())
}

func (d *description) graphValue(what string, v *graphops.ValueInfo) {
	d.add(strong, what)
	d.add(plain, label(v.Name()))
	if t := typeText(v.Type()); t != "" {
		d.add(plain, t)
	} else {
		d.add(faint, "the model does not tell its type")
	}
	d.entries("metadata", v.Metadata())
	d.doc(v.Doc())
}

// maxValues is how many inputs or outputs of one node are listed.
const maxValues = 500

// values lists names with their types; note says more about each.
func (d *description) values(title string, names []string, note func(name string) string) {
	if len(names) == 0 {
		return
	}
	d.head(title)
	for i, name := range names {
		if i == maxValues {
			d.add(faint, fmt.Sprintf("and %s more", text.Count(int64(len(names)-i))))
			return
		}
		if name == "" {
			d.add(faint, fmt.Sprintf("%d  (left out)", i))
			continue
		}
		d.value(label(name), d.typeOf(name), note(name))
	}
}

// value is a name and its type on one line where both fit, with a note below.
func (d *description) value(name, typ, note string) {
	if gap := d.w - ansi.StringWidth(name) - ansi.StringWidth(typ); typ != "" && gap >= 2 {
		d.add(plain, name+blanks(gap)+typ)
	} else {
		d.add(plain, name)
		if typ != "" {
			d.add(plain, "  "+typ)
		}
	}
	if note != "" {
		d.add(faint, "  "+note)
	}
}

func (d *description) typeOf(name string) string {
	if d.ws.wiring == nil {
		return ""
	}
	return typeText(d.ws.wiring.typeOf(name))
}

// source says where a value comes from.
func (d *description) source(name string) string {
	w := d.ws.wiring
	if w == nil {
		return ""
	}
	id, ok := w.index.Value(name)
	if !ok {
		return ""
	}
	switch t, row := w.index.Initializer(id), w.maker(id); {
	case t != nil:
		return tensorNote(t)
	case w.index.IsInitializer(id):
		return "sparse initializer"
	case row < 0:
		return "nothing in the graph makes it"
	default:
		return "from " + d.rowText(row)
	}
}

func (d *description) rowText(row int) string {
	o := d.ws.outline
	switch k, i := o.at(row); k {
	case kindNode:
		return fmt.Sprintf("%d %s", i, o.op(row))
	default:
		return "graph " + o.op(row)
	}
}

func tensorNote(t *graphops.Tensor) string {
	size, err := t.ByteLen()
	if err != nil {
		return "initializer of a shape that makes no sense"
	}
	s := "initializer, " + text.Bytes(size)
	if t.IsExternal() {
		s += ", in another file"
	}
	return s
}

// use says who reads a value.
func (d *description) use(name string) string {
	w := d.ws.wiring
	if w == nil {
		return ""
	}
	id, ok := w.index.Value(name)
	if !ok {
		return ""
	}
	rows := w.readers(id)
	const few = 4
	words := make([]string, 0, few+1)
	for i, row := range rows {
		if i == few {
			words = append(words, fmt.Sprintf("%d more", len(rows)-few))
			break
		}
		words = append(words, d.rowText(row))
	}
	if len(words) == 0 {
		return "read by nothing"
	}
	return "to " + strings.Join(words, ", ")
}

func (d *description) readers(name string) {
	if note := d.use(name); note != "" {
		d.head("goes")
		d.add(plain, note)
	}
}

func (d *description) maker(name string) {
	if note := d.source(name); note != "" {
		d.head("comes")
		d.add(plain, note)
	}
}

func (d *description) attributes(attrs []*graphops.Attribute) {
	if len(attrs) == 0 {
		return
	}
	d.head("attributes")
	for _, a := range attrs {
		d.add(plain, label(a.Name())+" = "+attributeText(a))
	}
}

// maxText bounds what is shown of one piece of metadata or documentation, in
// bytes.
const maxText = 64 << 10

func (d *description) entries(title string, entries []graphops.Entry) {
	if len(entries) == 0 {
		return
	}
	d.head(title)
	for _, e := range entries {
		d.add(faint, label(e.Key))
		for _, line := range safeLines(abridge(e.Value, maxText)) {
			d.add(plain, "  "+line)
		}
	}
}

func (d *description) doc(s string) {
	if s == "" {
		return
	}
	d.head("doc")
	for _, line := range safeLines(abridge(s, maxText)) {
		d.add(plain, line)
	}
}
