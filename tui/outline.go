package tui

import (
	"lathe/graphops"
	"lathe/tui/cells"
)

// outline is the content of the list for one place: a row for each input, then for each node, then
// for each output. It is fast to make, even for a large model, and immutable.
type outline struct {
	model   *graphops.Model
	place   *graphops.Place
	inputs  []port
	nodes   []*graphops.Node
	outputs []port
	opWidth int // cells that the longest operator name takes, within bounds
}

// port is a row for an input or output of a place, or for a value that a body captures.
type port struct {
	name string
	what string              // the word in the column of operators: "input", "output" or "outer"
	info *graphops.ValueInfo // nil for a captured value
}

// maxOpWidth is the maximum width of the operator column.
const maxOpWidth = 20

func newOutline(m *graphops.Model, p *graphops.Place) *outline {
	g := p.Graph
	o := &outline{model: m, place: p, nodes: g.Nodes(), opWidth: len("output")}
	fed := g.Inputs()
	if p.Kind == graphops.MainGraph {
		fed = g.FeedInputs()
	}
	for _, v := range fed {
		o.inputs = append(o.inputs, port{v.Name(), "input", v})
	}
	if p.Kind == graphops.BodyGraph {
		for _, name := range g.Captured() {
			o.inputs = append(o.inputs, port{name, "outer", nil})
		}
	}
	for _, v := range g.Outputs() {
		o.outputs = append(o.outputs, port{v.Name(), "output", v})
	}
	for _, n := range o.nodes {
		o.opWidth = max(o.opWidth, min(len(n.OpType()), maxOpWidth))
	}
	return o
}

// kind distinguishes rows: input, node or output.
type kind uint8

// The kinds of row.
const (
	kindInput kind = iota
	kindNode
	kindOutput
)

func (o *outline) len() int { return len(o.inputs) + len(o.nodes) + len(o.outputs) }

// at returns the kind of a row and its index among the rows of that kind.
func (o *outline) at(row int) (k kind, i int) {
	if row < len(o.inputs) {
		return kindInput, row
	}
	if row -= len(o.inputs); row < len(o.nodes) {
		return kindNode, row
	}
	return kindOutput, row - len(o.nodes)
}

// node returns the node in a row, or nil.
func (o *outline) node(row int) *graphops.Node {
	if row < 0 || row >= o.len() {
		return nil
	}
	if k, i := o.at(row); k == kindNode {
		return o.nodes[i]
	}
	return nil
}

// port returns the input or output in a row. It returns an empty port for the row of a node.
func (o *outline) port(row int) port {
	if row < 0 || row >= o.len() {
		return port{}
	}
	switch k, i := o.at(row); k {
	case kindInput:
		return o.inputs[i]
	case kindOutput:
		return o.outputs[i]
	default:
		return port{}
	}
}

// nodeRow returns the row of a node, given its index in the graph.
func (o *outline) nodeRow(i int) int { return len(o.inputs) + i }

// outputRow returns the row of an output, given its index in the graph.
func (o *outline) outputRow(i int) int { return len(o.inputs) + len(o.nodes) + i }

// makes returns the names of the values that a row makes.
func (o *outline) makes(row int) []string {
	if n := o.node(row); n != nil {
		return present(n.Outputs())
	}
	if p := o.port(row); p.what != "" && p.what != "output" {
		return []string{p.name}
	}
	return nil
}

// reads returns the names of the values that a row reads, including values that its bodies capture.
func (o *outline) reads(row int) []string {
	if n := o.node(row); n != nil {
		return append(present(n.Inputs()), n.Captured()...)
	}
	if p := o.port(row); p.what == "output" {
		return []string{p.name}
	}
	return nil
}

// value returns the first value that a row makes, or else the first value that it reads. It is ""
// if there is neither.
func (o *outline) value(row int) string {
	names := o.makes(row)
	if len(names) == 0 {
		names = o.reads(row)
	}
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// present returns the names that are not empty.
func present(names []string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		if n != "" {
			out = append(out, n)
		}
	}
	return out
}

// op returns the text of the operator column, safe to print.
func (o *outline) op(row int) string {
	if n := o.node(row); n != nil {
		return cells.Label(n.OpType())
	}
	return o.port(row).what
}

// name returns a row's name, safe to print. A node without a name is shown by the name of its first
// output.
func (o *outline) name(row int) string {
	n := o.node(row)
	switch {
	case n == nil:
		return cells.Label(o.port(row).name)
	case n.Name() != "":
		return cells.Label(n.Name())
	}
	if made := o.makes(row); len(made) > 0 {
		return "→ " + cells.Label(made[0])
	}
	return ""
}

// called returns a row's operator and name, for messages.
func (o *outline) called(row int) string { return o.op(row) + " " + o.name(row) }

// find returns the row that corresponds to a row of an earlier outline. It is the same node, else
// one that makes the same value, else one with the same name, else the row at the same position.
func (o *outline) find(old *outline, row int) int {
	if old.len() == 0 || o.len() == 0 {
		return 0
	}
	wanted := old.node(row)
	best := -1
	for r := range o.len() {
		switch n := o.node(r); {
		case wanted == nil && n == nil && old.op(row) == o.op(r) && old.name(row) == o.name(r):
			return r
		case wanted == nil || n == nil:
		case n == wanted:
			return r
		case best < 0 && sameWork(n, wanted):
			best = r
		}
	}
	if best >= 0 {
		return best
	}
	return min(row, o.len()-1)
}

// sameWork reports whether a node replaces another one: it makes the same first value, or has the
// same name.
func sameWork(a, b *graphops.Node) bool {
	x, y := a.Outputs(), b.Outputs()
	if len(x) > 0 && len(y) > 0 && x[0] == y[0] && x[0] != "" {
		return true
	}
	return a.Name() != "" && a.Name() == b.Name()
}
