package axes

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// isSymbol reports whether a size is a plain symbol and not an expression.
func isSymbol(d graphops.Dim) bool {
	_, plain := dim.OfText(d.Symbol).IsSymbol()
	return d.Symbol != "" && plain
}

// symbolLines returns the sizes that costs depend on: the symbols in the shapes of the inputs,
// generated names for axes of unknown size, and other symbols that the memory of activations
// depends on.
func symbolLines(ws *workspace.Workspace) []AxesLine {
	var out []AxesLine
	seen := map[string]bool{}
	add := func(what, name string) {
		if !seen[name] {
			seen[name] = true
			out = append(out, AxesLine{What: what, Name: name})
		}
	}
	for _, v := range ws.Model().Graph().FeedInputs() {
		for i, d := range v.Type().Shape {
			if !d.IsFixed() && d.Symbol == "" {
				add("unnamed", shape.AxisName(v.Name(), i))
			}
			shape.SizeFromFile(d).Symbols(func(s string) { add("symbol", s) })
		}
	}
	if c := ws.Types.Costs.Load(); c.Known() != nil {
		for _, s := range c.Symbols {
			add("unnamed", s)
		}
	}
	return out
}

// symbolSize returns the size that costs are calculated with.
func symbolSize(ws *workspace.Workspace, symbol string) string {
	if n, ok := ws.Sizes[symbol]; ok {
		return "= " + text.Count(n)
	}
	return "no size"
}

// SetSize gives a symbol a size to calculate costs with; "" removes it.
func SetSize(ws *workspace.Workspace, symbol, value string) tea.Cmd {
	sizes := map[string]int64{}
	for s, n := range ws.Sizes {
		sizes[s] = n
	}
	delete(sizes, symbol)
	if value != "" {
		sizes[symbol], _ = strconv.ParseInt(value, 10, 64) // which was validated
	}
	ws.Sizes = sizes
	return ws.Measure()
}

// sizeFlaw says what is wrong with a size that was entered.
func sizeFlaw(s string) string {
	if s == "" {
		return "a size is a number such as 8"
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return actions.Unless(err == nil && n >= 0, fmt.Sprintf("%q is not a size; a size is a number such as 8", cells.Prose(s)))
}

// PlaceAxis is the place of the prompt for a symbol or a size.
const PlaceAxis actions.Place = "axis"

// AxisActions are the actions of the prompt for a symbol or a size.
func AxisActions() []actions.Action {
	type it = *axisPrompt
	return actions.Of(shell.LineRows(actions.New(shell.ActionAccept, "go on", actions.Keys("enter"), it.accept, it.acceptRefusal), shell.Shut[it]))
}

// axisPrompt asks for one name or size: the symbol of an axis, or the size of a symbol.
type axisPrompt struct {
	workspace.Attached
	what string // is asked for, safe to print
	flaw func(string) string
	then func(string) tea.Cmd
	shell.OneLine
	h int
}

func newAxisPrompt(ws *workspace.Workspace, what, proposal string, flaw func(string) string, then func(string) tea.Cmd) *axisPrompt {
	return &axisPrompt{Attached: workspace.Attached{WS: ws}, what: what, flaw: flaw, then: then, OneLine: shell.OneLine{Field: shell.NewProposal(proposal)}}
}

// Place implements shell.Pane.
func (p *axisPrompt) Place() actions.Place { return PlaceAxis }

// Title implements shell.Dialog.
func (p *axisPrompt) Title() string { return p.what }

// Box implements shell.Dialog.
func (p *axisPrompt) Box(s shell.Screen) cells.Rect { return s.Body.Centred(60, 4) }

// Said implements shell.Pane.
func (p *axisPrompt) Said() string { return p.what + " " + p.Field.Text() }

func (p *axisPrompt) acceptRefusal() string { return p.flaw(strings.TrimSpace(p.Field.Value())) }

// Sync implements shell.Pane.
func (p *axisPrompt) Sync(w, h int) tea.Cmd {
	p.W, p.h = w, h
	return nil
}

func (p *axisPrompt) accept() tea.Cmd {
	p.WS.Host.Close(p)
	return p.then(strings.TrimSpace(p.Field.Value()))
}

// View implements shell.Pane.
func (p *axisPrompt) View(bool) []string {
	s, x := p.Field.View(p.W)
	st := p.WS.Styles
	line := st.FieldFocus.On(s)
	if p.Field.IsProposal {
		line = st.Selected.On(cells.Truncate(s, x, "")) + st.FieldFocus.On(cells.Blanks(p.W-x))
	}
	return cells.Block([]string{line, st.Faint.On(cells.Cut(p.acceptRefusal(), p.W))}, p.W, p.h)
}

// newSizePrompt asks for the size of a symbol with which costs are calculated.
func newSizePrompt(ws *workspace.Workspace, symbol string) *axisPrompt {
	before := ""
	if n, ok := ws.Sizes[symbol]; ok {
		before = strconv.FormatInt(n, 10)
	}
	flaw := func(s string) string {
		if s == "" {
			return ""
		}
		return sizeFlaw(s)
	}
	return newAxisPrompt(ws, "size of "+cells.Label(symbol)+" for calculating costs, empty for none", before, flaw, func(s string) tea.Cmd {
		return SetSize(ws, symbol, s)
	})
}

// newFixPrompt asks for the size at which a symbol is fixed.
func newFixPrompt(ws *workspace.Workspace, symbol string) *axisPrompt {
	before := ""
	if n, ok := ws.Sizes[symbol]; ok {
		before = strconv.FormatInt(n, 10)
	}
	return newAxisPrompt(ws, "fix "+cells.Label(symbol)+" at", before, sizeFlaw, func(s string) tea.Cmd {
		return openAxes(ws, optionFix, []string{symbol + "=" + s})
	})
}

// newFreePrompt asks for a symbol, and then previews making the axes dynamic with that symbol.
func newFreePrompt(ws *workspace.Workspace, axes []AxisRef, proposal string) *axisPrompt {
	what := fmt.Sprintf("symbol for axis %d of %s", axes[0].Axis, cells.Label(axes[0].Value))
	if len(axes) > 1 {
		what = fmt.Sprintf("symbol for %d axes", len(axes))
	}
	flaw := func(s string) string { return actions.Unless(s != "", "a symbol is a name such as batch") }
	return newAxisPrompt(ws, what, proposal, flaw, func(s string) tea.Cmd {
		values := make([]string, len(axes))
		for i, r := range axes {
			values[i] = fmt.Sprintf("%s:%d=%s", r.Value, r.Axis, s)
		}
		return openAxes(ws, optionDynamic, values)
	})
}

// proposal returns a suggested name for the axis at the cursor: its present symbol, or else the
// usual name for an axis at its position, such as "batch".
func (p *Pane) proposal() string {
	d, _ := p.dim()
	t := p.at().typ
	switch {
	case isSymbol(d):
		return d.String()
	case p.Axis == 0:
		return "batch"
	case p.Axis == 1 && len(t.Shape) == 2 && t.Elem.Kind() == tensor.KindSigned:
		return "seq"
	case len(t.Shape) == 4 && p.Axis >= 2:
		return []string{"height", "width"}[p.Axis-2]
	default:
		return fmt.Sprintf("axis%d", p.Axis)
	}
}
