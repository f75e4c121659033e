package tui

import (
	"fmt"
	"math"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

// description collects the lines of a detail.
type description struct {
	page
	ws     *workspace
	around *neighbourhood // what the boxes above already show
	peeked peeked
}

// describe describes a row in lines of w cells, for the text below the boxes around it. values are
// the elements of its small constants.
func describe(ws *workspace, row, w int, around *neighbourhood, values peeked) []detailLine {
	if ws.outline.len() == 0 {
		return nil
	}
	d := &description{page: page{w: w}, ws: ws, around: around, peeked: values}
	d.blame(ws.blameAt(row))
	d.problems(row)
	d.pins(row)
	switch k, i := ws.outline.at(row); k {
	case kindNode:
		d.node(ws.outline.nodes[i], i)
	default:
		d.port(ws.outline.port(row))
	}
	return d.lines
}

func (d *description) node(n *graphops.Node, i int) {
	op := cells.Label(n.OpType())
	if n.Domain() != "" {
		op = cells.Label(n.Domain()) + "::" + op
	}
	if !d.around.isDrawn() || n.Domain() != "" {
		d.add(theme.Strong, op)
	}
	d.name(op, n.Name())
	if !d.around.isDrawn() {
		d.add(theme.Faint, fmt.Sprintf("node %d of %d", i, len(d.ws.outline.nodes)))
	}
	// Outputs come first. Most nodes have one output, so the lines below it stay in place when the
	// cursor moves.
	d.values("outputs", n.Outputs(), d.use)
	d.values("inputs", n.Inputs(), d.source)
	d.values("captured by bodies", n.Captured(), d.source)
	d.attributes(n)
	d.costs(d.ws.outline.nodeRow(i))
	d.origin(nodeGist(n), len(n.Metadata()))
	d.doc(n.Doc())
}

// name writes a row's name. It writes nothing if the drawing above already shows the name in full.
func (d *description) name(op, name string) {
	name = cells.Label(name)
	if inBox := cells.Width("● "+op+" "+name) <= d.w-4; name != "" && !(d.around.isDrawn() && inBox) {
		d.add(theme.Plain, name)
	}
}

// origin says in a line where something comes from. The origin pane has the details.
func (d *description) origin(gist string, entries int) {
	if entries == 0 {
		return
	}
	d.head("origin")
	if gist != "" {
		d.add(theme.Plain, gist)
	}
	d.add(theme.Faint, entryCount(entries)+" of metadata in the pane origin")
}

func (d *description) port(p port) {
	kind := d.ws.outline.place.Kind.String()
	switch p.what {
	case "outer":
		d.add(theme.Strong, "value of the graph around")
	default:
		d.add(theme.Strong, kind+" "+p.what)
	}
	d.name(p.what, p.name)
	t := d.typeOf(p.name)
	if t == "" && p.info != nil {
		t = typeText(p.info.Type())
	}
	if t != "" {
		d.add(theme.Plain, t)
	} else {
		d.add(theme.Faint, "the model does not declare its type")
	}
	d.declared(p.name)
	if p.what == "output" {
		d.maker(p.name)
	} else {
		d.readers(p.name)
	}
	if p.info != nil {
		d.origin(valueGist(p.info.Metadata()), len(p.info.Metadata()))
		d.doc(p.info.Doc())
	}
}

func (d *description) attributes(n *graphops.Node) {
	attrs := n.Attributes()
	if len(attrs) == 0 {
		return
	}
	d.head("attributes")
	for _, a := range attrs {
		d.add(theme.Plain, cells.Label(a.Name())+" = "+d.attributeText(n, a))
	}
	if why := d.ws.enterRefusal; len(n.Graphs()) > 0 && why() == "" {
		d.add(theme.Faint, d.ws.keys.Key(shell.PlaceMain, "enter-body")+" enters a body")
	}
}

// attributeText returns an attribute's value with its meaning: the elements of a small tensor, or
// the element type that a number means.
func (d *description) attributeText(n *graphops.Node, a *graphops.Attribute) string {
	s := attributeText(a)
	switch {
	case a.Kind() == graphops.AttrInt && a.RefName() == "" && graphops.HoldsElementType(n, a.Name()):
		if v := a.Int(); v >= 0 && v <= math.MaxInt32 && tensor.DType(v).Valid() {
			s += ", " + tensor.DType(v).String()
		}
	case a.Kind() == graphops.AttrTensor && d.peeked[constant{true, a.Name()}] != "":
		s += ": " + d.peeked[constant{true, a.Name()}]
	}
	return s
}
