package layers

import (
	"errors"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// rowwise are operators of which each row of the result, along the first axis, is made of
// the same row of what is read: with the same kernel a part of the rows gives the same
// bits. Softmax and its like do where they work along another axis.
var rowwise = []string{
	"Where", "Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "And", "Or", "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual",
	"Relu", "Gelu", "Erf", "Tanh", "Sigmoid", "Exp", "Sqrt", "Neg", "Abs", "Not", "Clip", "LeakyRelu", "HardSwish", "Identity",
}

// whereCopies is how many of its result the runtime's Where makes beside it.
const whereCopies = 2

// temporaries are bytes that a node takes beside what it reads and makes, where that is
// much. Made is what it makes.
func temporaries(n *graphops.Node, made int64) int64 {
	if n.Domain() == graphops.DefaultDomain && n.OpType() == "Where" {
		return whereCopies * made
	}
	return 0
}

// pieces is a part that is run some rows at a time, because it would take too much memory
// as a whole.
type pieces struct {
	rows, each int64 // along the first axis; how many at a time
	sliced     map[string]bool
	rank       int
}

// piecesOf is how a part is run. It is false where it is to be run as a whole: where that
// fits, or where it is more than one node, or one that needs all rows.
func (c *comparison) piecesOf(part *graphops.Model, in graphops.Feeds) (pieces, bool) {
	n, alone := onlyNode(part)
	if !alone || len(part.Graph().Outputs()) != 1 {
		return pieces{}, false
	}
	p := pieces{sliced: map[string]bool{}}
	for _, v := range in {
		p.rank = max(p.rank, len(v.Tensor.Shape))
	}
	fed, largest := int64(0), int64(0)
	for name, v := range in {
		shape := v.Tensor.Shape
		fed, largest = fed+bytesIn(v), max(largest, bytesIn(v))
		if !v.IsTensor() || v.Tensor.DType.Bits()%8 != 0 || len(shape) < p.rank || p.rank == 0 || shape[0] == 1 {
			continue
		}
		if p.rows != 0 && p.rows != shape[0] {
			return p, false // it does not run
		}
		p.rows, p.sliced[name] = shape[0], true
	}
	need := fed + largest + temporaries(n, largest)
	limit := c.segmentMemory()
	if need <= limit || p.rows < 2 || !isRowwise(n, p.rank) || !p.constantsFit(part) {
		return p, false
	}
	p.each = max(p.rows*limit/need, 1)
	return p, true
}

// onlyNode is the node of a model that has one beside Constants.
func onlyNode(m *graphops.Model) (*graphops.Node, bool) {
	var found *graphops.Node
	for _, n := range m.Graph().Nodes() {
		if isConstantNode(n) {
			continue
		}
		if found != nil {
			return nil, false
		}
		found = n
	}
	return found, found != nil
}

// isRowwise reports whether a node makes each row of the same row of what it reads, which is
// of a rank above 1.
func isRowwise(n *graphops.Node, rank int) bool {
	if n.Domain() != graphops.DefaultDomain {
		return false
	}
	switch n.OpType() {
	case "Softmax", "LogSoftmax":
		a, ok := n.Attribute("axis")
		return !ok || a.Int() != 0 && a.Int() != -int64(rank)
	case "Cast":
		to, ok := n.Attribute("to")
		return ok && tensor.DType(to.Int()).Bits()%8 == 0 // elements of four bits share bytes
	}
	return slices.Contains(rowwise, n.OpType())
}

// constantsFit reports whether no constant has rows of its own.
func (p pieces) constantsFit(part *graphops.Model) bool {
	for t := range part.Tensors() {
		if dims := t.Dims(); len(dims) >= p.rank && (len(dims) > p.rank || dims[0] != 1) {
			return false
		}
	}
	return p.rank > 1
}

// runPieces runs a part some rows at a time and takes its output as if it had been whole.
func (c *comparison) runPieces(on graphops.Runner, p pieces, part *graphops.Model, in graphops.Feeds, like graphops.Value, take func(i int, value graphops.Value)) error {
	var whole *follower
	var out graphops.Value
	name := part.Graph().Outputs()[0].Name()
	for at := int64(0); at < p.rows; at += p.each {
		rows := min(p.each, p.rows-at)
		want := graphops.Want{Name: name, Elements: true, Into: func(n int64) io.Writer {
			if whole == nil {
				whole = c.store.follow(n/rows*p.rows, extentOf(like))
			}
			return whole
		}}
		err := on.Run(c.ctx, part, p.slice(in, at, rows), []graphops.Want{want}, func(g graphops.Got) error {
			out = g.Value
			if shape := out.Tensor.Shape; whole == nil || len(shape) != p.rank || shape[0] != rows {
				return errors.New("some rows of it do not make as many rows")
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	shape := slices.Clone(out.Tensor.Shape)
	shape[0] = p.rows
	out = graphops.TensorValue(tensor.Tensor{DType: out.Tensor.DType, Shape: shape})
	take(0, storedIn(out, whole.place()))
	return nil
}

// slice are the feeds of some rows.
func (p pieces) slice(in graphops.Feeds, at, rows int64) graphops.Feeds {
	out := graphops.Feeds{}
	for name, v := range in {
		if p.sliced[name] {
			from, size := at*bytesIn(v)/p.rows, rows*bytesIn(v)/p.rows
			shape := slices.Clone(v.Tensor.Shape)
			shape[0] = rows
			v = storedIn(graphops.TensorValue(tensor.Tensor{DType: v.Tensor.DType, Shape: shape}), io.NewSectionReader(bytesOf(v), from, size))
		}
		out[name] = v
	}
	return out
}
