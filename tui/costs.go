package tui

import (
	"context"
	"errors"
	"maps"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/dim"
	"lathe/session/text"
	"lathe/tui/cells"
)

// costs are the costs of a model's nodes, computed with the sizes that the user has given to
// symbols. They are immutable.
type costs struct {
	*cost.Result // nil if err is set
	err          error
	open         *cost.Result // the costs as expressions, without sizes of symbols
	sizes        map[string]int64
	symbols      []string      // symbols on which the memory of activations depends
	line         cost.Timeline // memory of activations, node by node
	lineErr      error         // why line is missing
}

// measure computes the costs of the visible model in the background, unless they are known for
// these sizes. Types must be inferred first.
func (ws *workspace) measure() tea.Cmd {
	t, sizes, before := ws.types, ws.sizes, ws.types.costs.Load()
	if t.result() == nil || before != nil && maps.Equal(before.sizes, sizes) {
		return nil
	}
	measure := func(ctx context.Context) *costs { return measured(ctx, t.model, before, sizes) }
	return ask(ws, &ws.measuring, "working out costs", measure, func(c *costs) tea.Cmd { return takeCosts(ws, t, c) })
}

// measured computes costs. If the costs of the same model with other sizes are known, it only
// substitutes the new sizes.
func measured(ctx context.Context, m *graphops.Model, before *costs, sizes map[string]int64) *costs {
	c := &costs{sizes: sizes}
	if before != nil {
		c.open = before.open
	}
	if c.open == nil {
		if c.open, c.err = cost.Analyze(ctx, m, 0); c.err != nil {
			return c
		}
	}
	var missing *cost.MissingError
	if _, err := cost.Memory(c.open, nil); errors.As(err, &missing) {
		c.symbols = missing.Symbols
	}
	c.Result = c.open.At(sizes)
	c.line, c.lineErr = cost.Memory(c.Result, sizes)
	return c
}

// takeCosts stores the costs, and repeats what depends on them: sums over modules, and sorting by
// cost.
func takeCosts(ws *workspace, t *typing, c *costs) tea.Cmd {
	t.costs.Store(c)
	if t != ws.types {
		return nil
	}
	if c.err != nil {
		ws.log.Say("costs are not known: " + c.err.Error())
	}
	cmds := []tea.Cmd{sumModules(ws)}
	if ws.listing.order.isLate() {
		cmds = append(cmds, ws.arrange())
	}
	return tea.Batch(cmds...)
}

// known returns the costs, or nil.
func (c *costs) known() *cost.Result {
	if c == nil {
		return nil
	}
	return c.Result
}

// within returns the cost of a row's node, including the nodes in its bodies and in the function
// that it calls. It is zero for inputs and outputs, and while costs are not known.
func (w *wiring) within(row int) cost.Total {
	r := w.types.costs.Load().known()
	if k, i := w.outline.at(row); r != nil && k == kindNode {
		return r.Within(w.outline.place, i)
	}
	return cost.Total{}
}

func (w *wiring) macsText(row int) string {
	return sumText(w.within(row).MACs, text.Short)
}

func (w *wiring) memoryText(row int) string {
	return sumText(w.within(row).Written, text.Bytes)
}

func (w *wiring) macsNumber(row int) float64 {
	return sumNumber(w.within(row).MACs)
}

func (w *wiring) memoryNumber(row int) float64 {
	return sumNumber(w.within(row).Written)
}

// sumText formats a sum for a column. It is "" for 0 and "?" if nothing is known. It starts with
// "≥" if some parts of the sum are unknown.
func sumText(s cost.Sum, write func(int64) string) string {
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

// sizeText formats a number with write. An expression with symbols is written as it is, in full
// precision.
func sizeText(d dim.Dim, write func(int64) string) string {
	if n, ok := d.Number(); ok {
		return write(n)
	}
	return cells.Label(d.String())
}

// sumNumber returns the number by which a sum is sorted. Symbols without a size count as 1, and
// unknown sums come last.
func sumNumber(s cost.Sum) float64 {
	n, err := s.Known.Eval(func(string) (int64, bool) { return 1, true })
	if err != nil || s.Left > 0 && n == 0 {
		return -1
	}
	return float64(n)
}
