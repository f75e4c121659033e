package detail

import (
	"fmt"
	"math"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/reporting"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/inplace"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// description collects the lines of a detail.
type description struct {
	graph.Page
	ws     *workspace.Workspace
	around *neighbourhood // what the boxes above already show
	peeked peeked
	part   *reporting.CompiledPart
	marks  []mark
}

// mark says what Enter does on a line: it goes to a row, or else it edits the target.
type mark struct {
	line  int
	at    inplace.Target
	leads bool
	row   int // if leads is set
}

// mark marks the line that is added next as one that can be edited.
func (d *description) mark(k inplace.Kind, subject string) {
	d.marks = append(d.marks, mark{line: len(d.Lines), at: inplace.Target{Kind: k, Subject: subject}})
}

// input marks the line that is added next as one that leads to the row that makes a value, if there is
// one. It returns the note about where the value comes from.
func (d *description) input(name string) string {
	if w := d.ws.Wiring; w != nil {
		if id, ok := w.Index.Value(name); ok && w.Maker(id) >= 0 {
			d.marks = append(d.marks, mark{line: len(d.Lines), leads: true, row: w.Maker(id)})
		}
	}
	return d.source(name)
}

// describe describes a row in lines of w cells, for the text below the boxes around it. read is
// what was read for it in the background.
func describe(ws *workspace.Workspace, row, w int, around *neighbourhood, read background) ([]graph.DetailLine, []mark) {
	if ws.Outline.Len() == 0 {
		return nil, nil
	}
	d := &description{Page: graph.Page{W: w}, ws: ws, around: around, peeked: read.values, part: read.part}
	d.blame(ws.BlameAt(row))
	d.problems(row)
	d.pins(row)
	switch k, i := ws.Outline.At(row); k {
	case graph.KindNode:
		d.node(ws.Outline.Nodes[i], i)
	default:
		d.port(ws.Outline.Port(row))
	}
	return d.Lines, d.marks
}

func (d *description) node(n *graphops.Node, i int) {
	op := cells.Label(n.OpType())
	if n.Domain() != "" {
		op = cells.Label(n.Domain()) + "::" + op
	}
	if !d.around.IsDrawn() || n.Domain() != "" {
		d.Add(theme.Strong, op)
	}
	if d.showsName(op, n.Name()) {
		d.mark(inplace.NodeName, n.Name())
	}
	d.name(op, n.Name())
	if !d.around.IsDrawn() {
		d.Add(theme.Faint, fmt.Sprintf("node %d of %d", i, len(d.ws.Outline.Nodes)))
	}
	// Outputs and costs come first. Most nodes have one output, so the lines below it stay in place
	// when the cursor moves.
	d.values("outputs", n.Outputs(), func(name string) string {
		d.mark(inplace.Type, name)
		return d.use(name)
	})
	d.costs(d.ws.Outline.NodeRow(i))
	d.values("inputs", n.Inputs(), d.input)
	d.values("captured by bodies", n.Captured(), d.input)
	d.attributes(n)
	d.compiled()
	d.origin(graph.NodeGist(n), len(n.Metadata()))
	d.Doc(n.Doc())
}

// name writes a row's name. It writes nothing if the drawing above already shows the name in full.
func (d *description) name(op, name string) {
	if d.showsName(op, name) {
		d.Add(theme.Plain, cells.Label(name))
	}
}

func (d *description) showsName(op, name string) bool {
	inBox := cells.Width("● "+op+" "+cells.Label(name)) <= d.W-4
	return name != "" && !(d.around.IsDrawn() && inBox)
}

// origin says in a line where something comes from. The origin pane has the details.
func (d *description) origin(gist string, entries int) {
	if entries == 0 {
		return
	}
	d.Head("origin")
	if gist != "" {
		d.Add(theme.Plain, gist)
	}
	d.Add(theme.Faint, graph.EntryCount(entries)+" of metadata in the pane origin")
}

func (d *description) port(p graph.Port) {
	kind := d.ws.Outline.Place.Kind.String()
	switch p.What {
	case "outer":
		d.Add(theme.Strong, "value of the graph around")
	default:
		d.Add(theme.Strong, kind+" "+p.What)
	}
	d.name(p.What, p.Name)
	t := d.typeOf(p.Name)
	if t == "" && p.Info != nil {
		t = graph.TypeText(p.Info.Type())
	}
	if p.What != "outer" {
		d.mark(inplace.Type, p.Name)
	}
	if t != "" {
		d.Add(theme.Plain, t)
	} else {
		d.Add(theme.Faint, "the model does not declare its type")
	}
	d.declared(p.Name)
	d.role(p)
	if p.What == "output" {
		d.maker(p.Name)
	} else {
		d.readers(p.Name)
	}
	if p.Info != nil {
		d.origin(graph.ValueGist(p.Info.Metadata()), len(p.Info.Metadata()))
		d.Doc(p.Info.Doc())
	}
}

// role says what an input or output of a language model is for, and by what that is known.
func (d *description) role(p graph.Port) {
	s := d.ws.Types.Summary
	if s == nil || s.Roles == nil || !s.Roles.Speaks() || d.ws.Outline.Place.Kind != graphops.MainGraph {
		return
	}
	port := s.Roles.Input(p.Name)
	if p.What == "output" {
		port = s.Roles.Output(p.Name)
	}
	if port == nil {
		return
	}
	d.Head("role")
	d.Add(theme.Plain, cells.Prose(reporting.RoleText(s.Roles, port)))
	for _, e := range port.Evidence {
		d.Add(theme.Faint, cells.Prose(e.Text))
	}
	for _, a := range port.Assumed {
		d.Add(theme.Faint, cells.Prose("assumed: "+a))
	}
}

func (d *description) attributes(n *graphops.Node) {
	attrs := n.Attributes()
	if len(attrs) == 0 {
		return
	}
	d.Head("attributes")
	for _, a := range attrs {
		d.mark(inplace.Attribute, a.Name())
		d.Add(theme.Plain, cells.Label(a.Name())+" = "+d.attributeText(n, a))
	}
	if why := d.ws.EnterRefusal; len(n.Graphs()) > 0 && why() == "" {
		d.Add(theme.Faint, d.ws.Keys.Key(shell.PlaceMain, "enter-body")+" enters a body")
	}
}

// compiled writes what is known about a part of the model that an execution provider has compiled.
func (d *description) compiled() {
	if d.part == nil {
		return
	}
	d.Head("compiled part")
	for _, f := range d.part.Facts() {
		d.Prose(f[0]+"  "+cells.Prose(f[1]), "  ")
	}
	if d.part.Bytes != nil && d.part.SHA256 == "" {
		d.Add(theme.Faint, "lathe inspect --digest computes its checksum")
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
