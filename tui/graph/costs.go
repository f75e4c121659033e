package graph

import (
	"context"
	"errors"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/dim"
	"lathe/session/text"
	"lathe/tui/cells"
)

// Costs are the costs of a model's nodes, computed with the sizes that the user has given to
// symbols. They are immutable.
type Costs struct {
	*cost.Result // nil if err is set
	Err          error
	Open         *cost.Result // the costs as expressions, without sizes of symbols
	Sizes        map[string]int64
	Symbols      []string      // symbols on which the memory of activations depends
	Line         cost.Timeline // memory of activations, node by node
	LineErr      error         // why line is missing
}

// Measured computes costs. If the costs of the same model with other sizes are known, it only
// substitutes the new sizes.
func Measured(ctx context.Context, m *graphops.Model, before *Costs, sizes map[string]int64) *Costs {
	c := &Costs{Sizes: sizes}
	if before != nil {
		c.Open = before.Open
	}
	if c.Open == nil {
		if c.Open, c.Err = cost.Analyze(ctx, m, 0); c.Err != nil {
			return c
		}
	}
	var missing *cost.MissingError
	if _, err := cost.Memory(c.Open, nil); errors.As(err, &missing) {
		c.Symbols = missing.Symbols
	}
	c.Result = c.Open.At(sizes)
	c.Line, c.LineErr = cost.Memory(c.Result, sizes)
	return c
}

// Known returns the costs, or nil.
func (c *Costs) Known() *cost.Result {
	if c == nil {
		return nil
	}
	return c.Result
}

// Within returns the cost of a row's node, including the nodes in its bodies and in the function
// that it calls. It is zero for inputs and outputs, and while costs are not known.
func (w *Wiring) Within(row int) cost.Total {
	r := w.Types.Costs.Load().Known()
	if k, i := w.Outline.At(row); r != nil && k == KindNode {
		return r.Within(w.Outline.Place, i)
	}
	return cost.Total{}
}

func (w *Wiring) macsText(row int) string {
	return SumText(w.Within(row).MACs, text.Short)
}

func (w *Wiring) memoryText(row int) string {
	return SumText(w.Within(row).Written, text.Bytes)
}

func (w *Wiring) macsNumber(row int) float64 {
	return SumNumber(w.Within(row).MACs)
}

func (w *Wiring) memoryNumber(row int) float64 {
	return SumNumber(w.Within(row).Written)
}

// SumText formats a sum for a column. It is "" for 0 and "?" if nothing is known. It starts with
// "≥" if some parts of the sum are unknown.
func SumText(s cost.Sum, write func(int64) string) string {
	n, number := s.Known.Number()
	switch {
	case !s.Known.Known(), s.Left > 0 && s.Known.Is(0):
		return "?"
	case s.Left > 0:
		return "≥ " + briefSize(s.Known, write)
	case number && n == 0:
		return ""
	default:
		return briefSize(s.Known, write)
	}
}

// briefSize formats a size that may be an expression, such as 4*batch. Numbers are written with
// write.
func briefSize(d dim.Dim, write func(int64) string) string {
	return cells.Label(dim.Calculate(d, dim.Algebra[string]{
		Number: write,
		Symbol: func(name string) string { return name },
		Apply: func(operation, a, b string) string {
			switch operation {
			case "+", "*":
				return a + operation + b
			case "floor":
				return "floor(" + a + "/" + b + ")"
			default:
				return operation + "(" + a + "," + b + ")"
			}
		},
	}))
}

// SizeText formats a number with write. An expression with symbols is written as it is, in full
// precision.
func SizeText(d dim.Dim, write func(int64) string) string {
	if n, ok := d.Number(); ok {
		return write(n)
	}
	return cells.Label(d.String())
}

// SumNumber returns the number by which a sum is sorted. Symbols without a size count as 1, and
// unknown sums come last.
func SumNumber(s cost.Sum) float64 {
	n, err := s.Known.Eval(func(string) (int64, bool) { return 1, true })
	if err != nil || s.Left > 0 && n == 0 {
		return -1
	}
	return float64(n)
}
