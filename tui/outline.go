package tui

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/tui/cells"
)

// outline is a model as the list shows it: a row for every input, node and
// output of the main graph, in this order. It is made at once, also for a large
// model, and never changes.
type outline struct {
	model   *graphops.Model
	inputs  []*graphops.ValueInfo
	nodes   []*graphops.Node
	outputs []*graphops.ValueInfo
	opWidth int // cells that the longest operator name takes, within bounds
	// origin is the version of the default operators and the tool that made the
	// model, safe to print.
	origin []string
}

// maxOpWidth bounds the column of operators.
const maxOpWidth = 20

func newOutline(m *graphops.Model) *outline {
	g := m.Graph()
	o := &outline{model: m, inputs: g.FeedInputs(), nodes: g.Nodes(), outputs: g.Outputs(), opWidth: len("output")}
	for _, n := range o.nodes {
		o.opWidth = max(o.opWidth, min(len(n.OpType()), maxOpWidth))
	}
	if v, ok := m.Opset(graphops.DefaultDomain); ok {
		o.origin = append(o.origin, fmt.Sprintf("opset %d", v))
	}
	if name, version := m.Producer(); name != "" {
		o.origin = append(o.origin, cells.Label(strings.TrimSpace(name+" "+version)))
	}
	return o
}

// kind tells rows apart.
type kind uint8

// The kinds of row.
const (
	kindInput kind = iota
	kindNode
	kindOutput
)

func (o *outline) len() int { return len(o.inputs) + len(o.nodes) + len(o.outputs) }

// at tells what stands in a row, and its position among its kind.
func (o *outline) at(row int) (k kind, i int) {
	if row < len(o.inputs) {
		return kindInput, row
	}
	if row -= len(o.inputs); row < len(o.nodes) {
		return kindNode, row
	}
	return kindOutput, row - len(o.nodes)
}

// node is the node in a row, nil where there is none.
func (o *outline) node(row int) *graphops.Node {
	if k, i := o.at(row); k == kindNode {
		return o.nodes[i]
	}
	return nil
}

// nodeRow is the row of a node by its position in the graph.
func (o *outline) nodeRow(i int) int { return len(o.inputs) + i }

// outputRow is the row of an output by its position in the graph.
func (o *outline) outputRow(i int) int { return len(o.inputs) + len(o.nodes) + i }

// makes are the names of the values that a row makes.
func (o *outline) makes(row int) []string {
	switch k, i := o.at(row); k {
	case kindInput:
		return []string{o.inputs[i].Name()}
	case kindNode:
		return present(o.nodes[i].Outputs())
	default:
		return nil
	}
}

// reads are the names of the values that a row reads, values that bodies
// capture included.
func (o *outline) reads(row int) []string {
	switch k, i := o.at(row); k {
	case kindNode:
		n := o.nodes[i]
		return append(present(n.Inputs()), n.Captured()...)
	case kindOutput:
		return []string{o.outputs[i].Name()}
	default:
		return nil
	}
}

// present are the names that are not left out.
func present(names []string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		if n != "" {
			out = append(out, n)
		}
	}
	return out
}

// op is the word in the column of operators, safe to print.
func (o *outline) op(row int) string {
	switch k, i := o.at(row); k {
	case kindInput:
		return "input"
	case kindNode:
		return cells.Label(o.nodes[i].OpType())
	default:
		return "output"
	}
}

// name is what a row is called, safe to print: a node without a name goes by
// what it makes.
func (o *outline) name(row int) string {
	k, i := o.at(row)
	switch {
	case k == kindInput:
		return cells.Label(o.inputs[i].Name())
	case k == kindOutput:
		return cells.Label(o.outputs[i].Name())
	case o.nodes[i].Name() != "":
		return cells.Label(o.nodes[i].Name())
	}
	if made := o.makes(row); len(made) > 0 {
		return "→ " + cells.Label(made[0])
	}
	return ""
}

// find is the row of the new outline that stands for a row of another one: the
// same node, or one that makes the same value, or one of the same name. Where
// there is none it is the row at the same place.
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

// sameWork reports whether a node took another one's place: it makes the same
// first value, or bears the same name.
func sameWork(a, b *graphops.Node) bool {
	x, y := a.Outputs(), b.Outputs()
	if len(x) > 0 && len(y) > 0 && x[0] == y[0] && x[0] != "" {
		return true
	}
	return a.Name() != "" && a.Name() == b.Name()
}
