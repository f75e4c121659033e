package layers

import (
	"errors"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
)

// rowwise are operators that compute each row along the first axis from the same row of their
// inputs. So running them on some rows gives the same bits as running them on all. Softmax and
// LogSoftmax are such operators too, unless they work along the first axis.
var rowwise = []string{
	"Where", "Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "And", "Or", "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual",
	"Relu", "Gelu", "Erf", "Tanh", "Sigmoid", "Exp", "Sqrt", "Neg", "Abs", "Not", "Clip", "LeakyRelu", "HardSwish", "Identity",
}

// whereCopies is how many additional copies of its result the runtime's Where keeps while it runs.
const whereCopies = 2

// temporaries returns how many bytes a node needs while it runs, besides its inputs and outputs. It
// is 0 unless that is much. made is the size of its outputs.
func temporaries(n *graphops.Node, made int64) int64 {
	if n.Is("Where") {
		return whereCopies * made
	}
	return 0
}

// pieces says how to run a part of a model on some rows at a time, because running it on all rows
// would need too much memory.
type pieces struct {
	rows, each int64 // number of rows along the first axis; how many run at a time
	sliced     map[string]bool
	rank       int
}

// piecesOf decides whether a part of a model is run on some rows at a time. It returns false if the
// part fits into memory, has more than one node, or has a node that needs all rows at once.
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
			return p, false // inputs with different numbers of rows cannot run together
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

// onlyNode returns the only node of a model besides Constants, if there is exactly one.
func onlyNode(m *graphops.Model) (*graphops.Node, bool) {
	var found *graphops.Node
	for _, n := range m.Graph().Nodes() {
		if n.IsConstant() {
			continue
		}
		if found != nil {
			return nil, false
		}
		found = n
	}
	return found, found != nil
}

// isRowwise reports whether a node computes each row along the first axis from the same row of its
// inputs. rank is the rank of its inputs.
func isRowwise(n *graphops.Node, rank int) bool {
	if n.Domain() != graphops.DefaultDomain {
		return false
	}
	switch n.StandardOp() {
	case "Softmax", "LogSoftmax":
		a, ok := n.Attribute("axis")
		return !ok || a.Int() != 0 && a.Int() != -int64(rank)
	case "Cast":
		to, ok := n.Attribute("to")
		return ok && tensor.DType(to.Int()).Bits()%8 == 0 // 4-bit elements share bytes, so a row may begin within a byte
	}
	return slices.Contains(rowwise, n.OpType())
}

// constantsFit reports whether the constants are the same for every row, so that they need not be
// split.
func (p pieces) constantsFit(part *graphops.Model) bool {
	for t := range part.Tensors() {
		if dims := t.Dims(); len(dims) >= p.rank && (len(dims) > p.rank || dims[0] != 1) {
			return false
		}
	}
	return p.rank > 1
}

// runPieces runs a part of a model on some rows at a time and passes the whole output to take.
func (c *comparison) runPieces(on execution.Runner, p pieces, part *graphops.Model, in graphops.Feeds, like graphops.Value, take func(i int, value graphops.Value)) error {
	var whole *follower
	var out graphops.Value
	name := part.Graph().Outputs()[0].Name()
	for at := int64(0); at < p.rows; at += p.each {
		rows := min(p.each, p.rows-at)
		want := execution.Want{Name: name, Elements: true, Into: func(n int64) io.Writer {
			if whole == nil {
				whole = c.store.follow(n/rows*p.rows, extentOf(like))
			}
			return whole
		}}
		err := on.Run(c.ctx, part, p.slice(in, at, rows), []execution.Want{want}, func(g execution.Got) error {
			out = g.Value
			if shape := out.Tensor.Shape; whole == nil || len(shape) != p.rank || shape[0] != rows {
				return errors.New("running it on some rows does not give as many rows")
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

// slice returns the inputs with only the rows from at to at+rows-1.
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
