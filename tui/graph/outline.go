package graph

import (
	"sync"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/cells"
)

// Outline is the content of the list for one place: a row for each input, then for each node, then
// for each output. It is fast to make, even for a large model, and immutable.
type Outline struct {
	Model   *graphops.Model
	Place   *graphops.Place
	Inputs  []Port
	Nodes   []*graphops.Node
	Outputs []Port
	OpWidth int // cells that the longest operator name takes, within bounds
	// folded says which nodes are constants that fold into the rows that read them.
	folded func() folding
}

// Port is a row for an input or output of a place, or for a value that a body captures.
type Port struct {
	Name string
	What string              // the word in the column of operators: "input", "output" or "outer"
	Info *graphops.ValueInfo // nil for a captured value
}

// maxOpWidth is the maximum width of the operator column.
const maxOpWidth = 32

// NewOutline makes the rows of a place of a model.
func NewOutline(m *graphops.Model, p *graphops.Place) *Outline {
	g := p.Graph
	o := &Outline{Model: m, Place: p, Nodes: g.Nodes(), OpWidth: len("output")}
	fed := g.Inputs()
	if p.Kind == graphops.MainGraph {
		fed = g.FeedInputs()
	}
	for _, v := range fed {
		o.Inputs = append(o.Inputs, Port{v.Name(), "input", v})
	}
	if p.Kind == graphops.BodyGraph {
		for _, name := range g.Captured() {
			o.Inputs = append(o.Inputs, Port{name, "outer", nil})
		}
	}
	for _, v := range g.Outputs() {
		o.Outputs = append(o.Outputs, Port{v.Name(), "output", v})
	}
	for _, n := range o.Nodes {
		o.OpWidth = max(o.OpWidth, min(len(n.OpType()), maxOpWidth))
	}
	o.folded = sync.OnceValue(o.findFolded)
	return o
}

// Kind distinguishes rows: input, node or output.
type Kind uint8

// The kinds of row.
const (
	KindInput Kind = iota
	KindNode
	KindOutput
)

// Len returns the number of rows.
func (o *Outline) Len() int { return len(o.Inputs) + len(o.Nodes) + len(o.Outputs) }

// At returns the kind of a row and its index among the rows of that kind.
func (o *Outline) At(row int) (k Kind, i int) {
	if row < len(o.Inputs) {
		return KindInput, row
	}
	if row -= len(o.Inputs); row < len(o.Nodes) {
		return KindNode, row
	}
	return KindOutput, row - len(o.Nodes)
}

// Node returns the node in a row, or nil.
func (o *Outline) Node(row int) *graphops.Node {
	if row < 0 || row >= o.Len() {
		return nil
	}
	if k, i := o.At(row); k == KindNode {
		return o.Nodes[i]
	}
	return nil
}

// Port returns the input or output in a row. It returns an empty port for the row of a node.
func (o *Outline) Port(row int) Port {
	if row < 0 || row >= o.Len() {
		return Port{}
	}
	switch k, i := o.At(row); k {
	case KindInput:
		return o.Inputs[i]
	case KindOutput:
		return o.Outputs[i]
	default:
		return Port{}
	}
}

// NodeRow returns the row of a node, given its index in the graph.
func (o *Outline) NodeRow(i int) int { return len(o.Inputs) + i }

// OutputRow returns the row of an output, given its index in the graph.
func (o *Outline) OutputRow(i int) int { return len(o.Inputs) + len(o.Nodes) + i }

// Makes returns the names of the values that a row makes.
func (o *Outline) Makes(row int) []string {
	if n := o.Node(row); n != nil {
		return Present(n.Outputs())
	}
	if p := o.Port(row); p.What != "" && p.What != "output" {
		return []string{p.Name}
	}
	return nil
}

// Reads returns the names of the values that a row reads, including values that its bodies capture.
func (o *Outline) Reads(row int) []string {
	if n := o.Node(row); n != nil {
		return append(Present(n.Inputs()), n.Captured()...)
	}
	if p := o.Port(row); p.What == "output" {
		return []string{p.Name}
	}
	return nil
}

// Value returns the first value that a row makes, or else the first value that it reads. It is ""
// if there is neither.
func (o *Outline) Value(row int) string {
	names := o.Makes(row)
	if len(names) == 0 {
		names = o.Reads(row)
	}
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// Present returns the names that are not empty.
func Present(names []string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		if n != "" {
			out = append(out, n)
		}
	}
	return out
}

// Op returns the text of the operator column, safe to print.
func (o *Outline) Op(row int) string {
	if n := o.Node(row); n != nil {
		return cells.Label(n.OpType())
	}
	return o.Port(row).What
}

// Name returns a row's name, safe to print. A node without a name is shown by the name of its first
// output.
func (o *Outline) Name(row int) string {
	n := o.Node(row)
	switch {
	case n == nil:
		return cells.Label(o.Port(row).Name)
	case n.Name() != "":
		return cells.Label(n.Name())
	}
	if made := o.Makes(row); len(made) > 0 {
		return "→ " + cells.Label(made[0])
	}
	return ""
}

// Called returns a row's operator and name, for messages.
func (o *Outline) Called(row int) string { return o.Op(row) + " " + o.Name(row) }

// Find returns the row that corresponds to a row of an earlier outline. It is the same node, else
// one that makes the same value, else one with the same name, else the row at the same position.
func (o *Outline) Find(old *Outline, row int) int {
	if old.Len() == 0 || o.Len() == 0 {
		return 0
	}
	wanted := old.Node(row)
	best := -1
	for r := range o.Len() {
		switch n := o.Node(r); {
		case wanted == nil && n == nil && old.Op(row) == o.Op(r) && old.Name(row) == o.Name(r):
			return r
		case wanted == nil || n == nil:
		case n == wanted:
			return r
		case best < 0 && SameWork(n, wanted):
			best = r
		}
	}
	if best >= 0 {
		return best
	}
	return min(row, o.Len()-1)
}

// SameWork reports whether a node replaces another one: it makes the same first value, or has the
// same name.
func SameWork(a, b *graphops.Node) bool {
	x, y := a.Outputs(), b.Outputs()
	if len(x) > 0 && len(y) > 0 && x[0] == y[0] && x[0] != "" {
		return true
	}
	return a.Name() != "" && a.Name() == b.Name()
}

// Markable returns the values of a row that can become outputs of the model.
func (o *Outline) Markable(row int) []string {
	switch {
	case o.Node(row) != nil:
		return o.Makes(row)
	case o.Port(row).What == "output":
		return o.Reads(row)
	default:
		return nil
	}
}

// InputRows returns the number of rows of an outline that come before the nodes.
func InputRows(p *graphops.Place) int {
	switch p.Kind {
	case graphops.MainGraph:
		return len(p.Graph.FeedInputs())
	case graphops.BodyGraph:
		return len(p.Graph.Inputs()) + len(p.Graph.Captured())
	default:
		return len(p.Graph.Inputs())
	}
}

// PlaceName names a place in a list of choices.
func PlaceName(p *graphops.Place) string {
	nodes := "  " + text.Plural(len(p.Graph.Nodes()), "node")
	if p.Kind == graphops.FunctionBody {
		return "function " + cells.Label(p.String()) + nodes
	}
	return cells.Label(p.Attribute) + nodes
}
