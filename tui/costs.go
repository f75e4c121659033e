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

// costs are what the nodes of a model cost with the sizes that symbols were given.
// They never change.
type costs struct {
	*cost.Result // nil where err tells why
	err          error
	open         *cost.Result // without sizes
	sizes        map[string]int64
	symbols      []string      // that the memory of activations depends on
	line         cost.Timeline // of the activations
	lineErr      error         // why there is none
}

// costsMsg brings the costs of a model.
type costsMsg struct {
	typing *typing
	*costs
}

// measure works out the costs of the model that shows, unless they are known for
// these sizes. Its types come first.
func (ws *workspace) measure() tea.Cmd {
	t, sizes, before := ws.types, ws.sizes, ws.types.costs.Load()
	if t.result() == nil || before != nil && maps.Equal(before.sizes, sizes) {
		return nil
	}
	ctx := ws.typings.begin(ws.ctx)
	return guarded("working out costs", func() tea.Msg {
		c := measured(ctx, t.model, before, sizes)
		if ctx.Err() != nil {
			return nil
		}
		return costsMsg{t, c}
	})
}

// measured works out costs, from those with other sizes if there are any.
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

// take implements answer.
func (m costsMsg) take(a *App) tea.Cmd {
	ws := a.ws
	m.typing.costs.Store(m.costs)
	if m.typing != ws.types {
		return nil
	}
	if m.err != nil {
		ws.log.say("costs are not known: " + m.err.Error())
	}
	cmds := []tea.Cmd{ws.sumModules()}
	if ws.listing.order.isLate() {
		cmds = append(cmds, ws.arrange())
	}
	return tea.Batch(cmds...)
}

// known are the costs, nil where there are none.
func (c *costs) known() *cost.Result {
	if c == nil {
		return nil
	}
	return c.Result
}

// within is what a row's node costs with all that it enters; nothing for other rows,
// and where that is not known yet.
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

// sumText writes a sum for a column; "" for 0, and ? for what is not
// known.
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

// briefSize writes a size, and the numbers of an expression, with write.
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

// sizeText writes a size: a number with write, an expression as it is.
func sizeText(d dim.Dim, write func(int64) string) string {
	if n, ok := d.Number(); ok {
		return write(n)
	}
	return cells.Label(d.String())
}

// sumNumber is what a sum is sorted by: a symbol without a size counts as 1, and
// what is not known comes last.
func sumNumber(s cost.Sum) float64 {
	n, err := s.Known.Eval(func(string) (int64, bool) { return 1, true })
	if err != nil || s.Left > 0 && n == 0 {
		return -1
	}
	return float64(n)
}
