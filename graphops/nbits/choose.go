package nbits

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// taken is a node that is quantized, with its weight.
type taken struct {
	place  *graphops.Place
	index  int
	weight *packed
	// rank is the number of axes that the result lacks at its front, for a matrix of more than two.
	lacking int
}

// choose decides about every node.
func (p *plan) choose() error {
	for _, at := range p.model.Places() {
		if names := at.Graph.Index().Duplicates; len(names) > 0 {
			return fmt.Errorf("value %q is produced by more than one node; the graph is not valid", names[0])
		}
		p.nodes = append(p.nodes, make([]*taken, len(at.Graph.Nodes())))
		for i, n := range at.Graph.Nodes() {
			if err := p.ctx.Err(); err != nil {
				return err
			}
			if n.Domain() != graphops.DefaultDomain && len(n.Graphs()) > 0 && p.o.Method != KQuant && p.o.Method != GPTQ {
				p.report.depart(lostDomain)
			}
			t, reason, said := p.chooseNode(at, n)
			if p.nodes[at.ID][i] = t; t != nil {
				t.place, t.index = at, i
				if t.weight.nodes++; t.weight.nodes == 1 {
					t.weight.first = n.Name()
				}
			} else if said {
				p.report.Skipped = append(p.report.Skipped, quant.Skipped{Place: at.String(), Index: i, Node: n.Name(), Op: n.OpType(), Reason: reason})
			}
		}
	}
	return p.ctx.Err()
}

// chooseNode returns the node if it is quantized; otherwise the reason, and whether to report it.
func (p *plan) chooseNode(at *graphops.Place, n *graphops.Node) (t *taken, reason string, said bool) {
	reason, asked := p.o.obstacle(n)
	known := slices.Contains(OpTypes(), n.OpType())
	switch {
	case p.model.Callee(n) != nil:
		return nil, "calls a function of the model", asked && p.readsWeight(at, n)
	case !known && reason == "" || known && n.Domain() != graphops.DefaultDomain:
		if known && p.o.wants(n.OpType()) && reason == "" {
			p.report.depart(foreignDomain)
		}
		return nil, "is not among the operators that are quantized in blocks", asked || p.readsWeight(at, n)
	case at.Function != nil:
		return nil, fmt.Sprintf("is in function %q, whose calls cannot be inlined", at.Function.Key().Name), known
	case reason != "":
		return nil, reason, asked || p.readsWeight(at, n)
	case p.o.Method == GPTQ && at.Parent != nil:
		return nil, "is in a body, whose values are not known from running the model on data", true
	case n.Is("MatMul"):
		t, reason = p.chooseMatMul(at, n)
	default:
		t, reason = p.chooseGather(at, n)
	}
	return t, reason, asked || n.Is("MatMul") || p.readsTable(at, n)
}

// manyElements is from how many elements on a constant counts as a weight in the list of what is left
// out.
const manyElements = 1024

// readsWeight reports whether a node reads a large constant of floating-point numbers with two axes or
// more.
func (p *plan) readsWeight(at *graphops.Place, n *graphops.Node) bool {
	return slices.ContainsFunc(n.Inputs(), func(name string) bool {
		c := constantAt(at, name)
		if c == nil || !isFloat(c.tensor.DType()) || len(c.tensor.Dims()) < 2 {
			return false
		}
		size, err := c.tensor.Elements()
		return err == nil && size >= manyElements
	})
}

// readsTable reports whether a Gather reads a constant of floating-point numbers.
func (p *plan) readsTable(at *graphops.Place, n *graphops.Node) bool {
	if len(n.Inputs()) == 0 {
		return false
	}
	c := constantAt(at, n.Input(0))
	return c != nil && isFloat(c.tensor.DType())
}

func isFloat(d tensor.DType) bool {
	return d == tensor.F32 || d == tensor.F16 || d == tensor.BF16 || d == tensor.F64
}

// chooseMatMul decides about a MatMul.
func (p *plan) chooseMatMul(at *graphops.Place, n *graphops.Node) (*taken, string) {
	if len(n.Inputs()) != 2 || len(n.Outputs()) != 1 || n.Output(0) == "" {
		return nil, "lacks an input or output"
	}
	name := n.Input(1)
	c := constantAt(at, name)
	if c == nil {
		if quant.Decoded(at.Graph, name) {
			return nil, fmt.Sprintf("multiplies with %q, which comes from a DequantizeLinear and so is already quantized", name)
		}
		return nil, fmt.Sprintf("its second factor %q is not a constant", name)
	}
	if reason := p.obstacleOf(c, "second factor"); reason != "" {
		return nil, reason
	}
	dims := c.tensor.Dims()
	if len(dims) < 2 {
		return nil, fmt.Sprintf("its second factor %q is a vector, expected a matrix", name)
	}
	if slices.ContainsFunc(dims[:len(dims)-2], func(d int64) bool { return d != 1 }) {
		return nil, fmt.Sprintf("its second factor %q has shape %s, which is several matrices", name, tensor.FormatShape(dims))
	}
	t := &taken{}
	if len(dims) > 2 {
		rank := p.rankOf(at, n.Input(0))
		if rank < 0 {
			return nil, fmt.Sprintf("its second factor %q has %d axes, and how many the first one has is not known", name, len(dims))
		}
		if t.lacking = max(len(dims)-max(rank, 2), 0); t.lacking > 0 {
			p.report.depart(unitAxes)
		}
	}
	if p.o.Method == GPTQ && constantAt(at, n.Input(0)) != nil {
		return nil, fmt.Sprintf("its first factor %q is a constant, so that data says nothing about it", n.Input(0))
	}
	t.weight = p.weightOf(c, matrixForm)
	if x := n.Input(0); !slices.Contains(t.weight.factors, x) {
		t.weight.factors = append(t.weight.factors, x)
	}
	p.noteMethod(at, n, t.weight)
	return t, ""
}

// noteMethod reports the departures of a method at a MatMul. Others than round to nearest have faults of
// their own in the reference.
func (p *plan) noteMethod(at *graphops.Place, n *graphops.Node, w *packed) {
	if p.o.Method == Nearest {
		return
	}
	_, cols := w.matrix()
	adapted := p.o.Method == KQuant || p.o.Method == GPTQ // the code of these is from another project
	for _, x := range []struct {
		is bool
		d  Departure
	}{
		{w.tensor.DType() == tensor.BF16, bfloat16Weight},
		{p.o.Method == HQQ && p.o.AccuracyLevel > 0, lostLevel},
		{p.o.Method == GPTQ, uncompensated},
		{adapted && at.Parent != nil, bodyNode},
		{adapted && len(w.tensor.Dims()) > 2, matrixAxes},
		{p.o.Bits == 2 && adapted || p.o.Bits == 8 && p.o.Method == GPTQ, otherBits},
		{adapted && p.o.Bits == 4 && !p.o.Symmetric && cols > 1 && w.blocks()%2 == 1, oddBlocks},
		{adapted && w.nodes > 0, keptWeight}, // not the first node that reads it
		{adapted && n.Name() == "", nameCollision},
	} {
		if x.is {
			p.report.depart(x.d)
		}
	}
}

// chooseGather decides about a Gather.
func (p *plan) chooseGather(at *graphops.Place, n *graphops.Node) (*taken, string) {
	if len(n.Inputs()) != 2 || len(n.Outputs()) != 1 || n.Output(0) == "" {
		return nil, "lacks an input or output"
	}
	name := n.Input(0)
	c := constantAt(at, name)
	if c == nil {
		return nil, fmt.Sprintf("its table %q is not a constant", name)
	}
	if reason := p.obstacleOf(c, "table"); reason != "" {
		return nil, reason
	}
	if reason := p.tableObstacle(n, c); reason != "" {
		return nil, reason
	}
	return &taken{weight: p.weightOf(c, tableForm)}, ""
}

// tableObstacle returns why the table of a Gather cannot be quantized because of its shape.
func (p *plan) tableObstacle(n *graphops.Node, c *constant) string {
	dims := c.tensor.Dims()
	rank := len(dims)
	axis := p.o.TableAxis
	if axis >= rank || axis < -rank {
		p.report.depart(tableAxis)
		return fmt.Sprintf("its table %q has %d axes, and no axis %d", c.name, rank, axis)
	}
	if p.o.Bits == 4 {
		return ""
	}
	p.report.depart(otherBits)
	switch last := dims[rank-1]; {
	case (axis+rank)%rank != rank-1:
		return fmt.Sprintf("a table of %d bits must be divided into blocks along its last axis, %d", p.o.Bits, rank-1)
	case intAttribute(n, "axis", 0) != 0:
		return fmt.Sprintf("a table of %d bits can only be selected from along axis 0", p.o.Bits)
	case last%int64(8/p.o.Bits) != 0:
		return fmt.Sprintf("the last axis of its table %q has %d elements, which do not fill whole bytes", c.name, last)
	}
	return ""
}

func intAttribute(n *graphops.Node, name string, or int64) int64 {
	if a, ok := n.Attribute(name); ok {
		return a.Int()
	}
	return or
}

// obstacleOf returns why a constant cannot be quantized. what is its part in the node.
func (p *plan) obstacleOf(c *constant, what string) string {
	if known, ok := p.refused[c.key()]; ok {
		return known.reason
	}
	switch d := c.tensor.DType(); {
	case d != tensor.F32 && d != tensor.F16 && d != tensor.BF16:
		p.report.depart(wrongType)
		return fmt.Sprintf("its %s %q is %s, expected f32, f16 or bf16", what, c.name, d)
	case slices.Contains(c.tensor.Dims(), 0):
		p.report.depart(emptyWeight)
		return fmt.Sprintf("its %s %q has no elements", what, c.name)
	}
	if c.ofNode {
		p.report.depart(constantNode)
	}
	return ""
}

// rankOf returns the number of axes of a value, or -1 if it is not known.
func (p *plan) rankOf(at *graphops.Place, name string) int {
	r, err := p.types()
	if err != nil {
		return -1
	}
	for ; at != nil; at = at.Parent {
		x := at.Graph.Index()
		if id, ok := x.Value(name); ok && x.IsDefined(id) {
			if t := r.Type(at, id); t.Kind == graphops.TypeTensor && t.Shape != nil {
				return len(t.Shape)
			}
			return -1
		}
	}
	return -1
}
