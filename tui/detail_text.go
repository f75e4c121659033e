package tui

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/tui/cells"
	"lathe/tui/theme"
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
	case kindNode:
		d.node(ws.outline.nodes[i], i)
	default:
		d.port(ws.outline.port(row))
	}
	return d.lines
}

// add appends text, broken into lines that are indented as it is.
func (d *description) add(l theme.Looks, s string) {
	body := strings.TrimLeft(s, " ")
	indent := cells.Blanks(min(len(s)-len(body), d.w/2))
	for _, line := range cells.Wrap(body, d.w-len(indent)) {
		d.lines = append(d.lines, detailLine{indent + line, l})
	}
}

// head begins a section.
func (d *description) head(s string) {
	d.lines = append(d.lines, detailLine{}, detailLine{s, theme.Heading})
}

func (d *description) node(n *graphops.Node, i int) {
	op := cells.Label(n.OpType())
	if n.Domain() != "" {
		op = cells.Label(n.Domain()) + "::" + op
	}
	d.add(theme.Strong, op)
	if n.Name() != "" {
		d.add(theme.Plain, cells.Label(n.Name()))
	}
	d.add(theme.Faint, fmt.Sprintf("node %d of %d", i, len(d.ws.outline.nodes)))
	d.values("inputs", n.Inputs(), d.source)
	d.values("captured by bodies", n.Captured(), d.source)
	d.values("outputs", n.Outputs(), d.use)
	d.attributes(n.Attributes())
	d.entries("metadata", n.Metadata())
	d.doc(n.Doc())
}

func (d *description) port(p port) {
	kind := d.ws.outline.place.Kind.String()
	switch p.what {
	case "outer":
		d.add(theme.Strong, "value of the graph around")
	default:
		d.add(theme.Strong, kind+" "+p.what)
	}
	d.add(theme.Plain, cells.Label(p.name))
	t := d.typeOf(p.name)
	if t == "" && p.info != nil {
		t = typeText(p.info.Type())
	}
	if t != "" {
		d.add(theme.Plain, t)
	} else {
		d.add(theme.Faint, "the model does not tell its type")
	}
	if p.what == "output" {
		d.maker(p.name)
	} else {
		d.readers(p.name)
	}
	if p.info != nil {
		d.entries("metadata", p.info.Metadata())
		d.doc(p.info.Doc())
	}
}

func (d *description) attributes(attrs []*graphops.Attribute) {
	if len(attrs) == 0 {
		return
	}
	d.head("attributes")
	for _, a := range attrs {
		d.add(theme.Plain, cells.Label(a.Name())+" = "+attributeText(a))
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
		d.add(theme.Faint, cells.Label(e.Key))
		for _, line := range cells.SafeLines(cells.Abridge(e.Value, maxText)) {
			d.add(theme.Plain, "  "+line)
		}
	}
}

func (d *description) doc(s string) {
	if s == "" {
		return
	}
	d.head("doc")
	for _, line := range cells.SafeLines(cells.Abridge(s, maxText)) {
		d.add(theme.Plain, line)
	}
}
