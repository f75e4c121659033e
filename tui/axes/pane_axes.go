package axes

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/nodes"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

const (
	ActionDemands actions.Name = "demands-on-size"
)

// Panel describes the pane.
func Panel() workspace.Panel {
	return workspace.Panel{
		Place: workspace.PlaceAxes, Title: "inputs", Region: shell.RegionRight, Actions: axesActions(),
		Make: func(ws *workspace.Workspace) shell.Pane { return &Pane{ws: ws, Marked: map[AxisRef]bool{}} },
	}
}

func axesActions() []actions.Action {
	type it = *Pane
	return actions.Moving(it.move, []actions.Row[it]{
		actions.Now("free-axis", "free or name", actions.Keys("d"), it.free, it.axisRefusal, it.stepRefusal),
		actions.Now("fix-axis", "fix", actions.Keys("f"), it.fix, it.emptyRefusal, it.fixRefusal),
		actions.New(ActionDemands, "what fits, and why", actions.Keys("D"), it.openDemands, it.emptyRefusal, it.demandsRefusal),
		actions.Now("next-axis", "next axis", actions.Keys("l", "right"), func(p it) { p.Axis++ }, it.axisRefusal, it.nextRefusal),
		actions.Now("previous-axis", "previous axis", actions.Keys("h", "left"), func(p it) { p.Axis-- }, it.axisRefusal, it.previousRefusal),
		actions.Now("mark-axis", "mark, to free several as one", actions.Keys("space"), it.mark, it.axisRefusal),
		actions.Now("size-of-symbol", "a size to calculate with", actions.Keys("s"), it.askSize, it.emptyRefusal, it.sizeRefusal),
		actions.New(nodes.ActionOpen, "to its row, or its demands", actions.Keys("enter"), it.open, it.openRefusal),
	})
}

// Pane lists the inputs and outputs of the model with their axes, and below them the symbols
// with the sizes for which costs are calculated. While another pane has the focus, the cursor
// follows the row that is selected in the list of nodes.
type Pane struct {
	ws     *workspace.Workspace
	w, h   int // size of the list
	foot   int // number of lines below the list
	made   axesKey
	Lines  []AxesLine
	Rows   list.Window
	Axis   int // index of the axis at the cursor
	Marked map[AxisRef]bool
}

// axesKey identifies the state from which the lines were made. If it changes, they are made again.
type axesKey struct {
	model *graphops.Model
	types *graph.Inferred
	costs *graph.Costs
}

// AxesLine is a value with its axes, or a symbol.
type AxesLine struct {
	What string // "input", "output" or "symbol"; "unnamed" if no input has a symbol of that name
	Name string // raw
	row  int    // row of the value in the main graph
	typ  graphops.Type
}

// isSymbol reports whether the line is about a symbol, and not about an input or output.
func (l AxesLine) isSymbol() bool { return l.What == "symbol" || l.What == "unnamed" }

// AxisRef is an axis of an input or output.
type AxisRef struct {
	Value string
	Axis  int
}

// axesFoot is the number of lines that describe the item at the cursor, including the rule above
// them, if there is room and no symbol needs more.
const axesFoot = 4

// Place implements shell.Pane.
func (p *Pane) Place() actions.Place { return workspace.PlaceAxes }

// Sync implements shell.Pane.
func (p *Pane) Sync(w, h int) tea.Cmd {
	p.w = w
	if key := (axesKey{p.ws.Model(), p.ws.Types.Inferred.Load(), p.ws.Types.Costs.Load()}); key != p.made {
		if key.model != p.made.model {
			clear(p.Marked)
		}
		p.made = key
		p.Lines = axesLines(p.ws)
		p.Rows.Reset(len(p.Lines), p.Rows.Cursor)
	}
	p.foot = min(p.footWanted(), max(h/2, min(h-len(p.Lines), h-1)))
	p.h = h - p.foot
	p.Rows.Resize(max(p.h, 1))
	if p.ws.Host.Focus() != workspace.PlaceAxes {
		p.follow()
	}
	p.Axis = max(0, min(p.Axis, len(p.dims())-1))
	if w > 0 && h > 0 {
		return workspace.DescribeSizes(p.ws)
	}
	return nil
}

// follow moves the cursor to the input or output that is selected in the list.
func (p *Pane) follow() {
	row := p.ws.Row()
	if p.ws.Outline.Place.Kind != graphops.MainGraph || p.ws.Outline.Port(row).What == "" {
		return
	}
	for i, l := range p.Lines {
		if !l.isSymbol() && l.row == row && i != p.Rows.Cursor {
			p.Rows.GoTo(i)
			p.Axis = 0
			return
		}
	}
}

// axesLines returns the inputs and outputs of the model, and its symbols.
func axesLines(ws *workspace.Workspace) []AxesLine {
	main := ws.Model().Places()[0]
	g := main.Graph
	var out []AxesLine
	for i, v := range g.FeedInputs() {
		out = append(out, AxesLine{"input", v.Name(), i, v.Type()})
	}
	first := graph.InputRows(main) + len(g.Nodes())
	for i, v := range g.Outputs() {
		l := AxesLine{"output", v.Name(), first + i, v.Type()}
		if ws.Types.Result() != nil {
			if id, ok := g.Index().Value(v.Name()); ok {
				l.typ = ws.Types.Of(main, id)
			}
		}
		out = append(out, l)
	}
	return append(out, symbolLines(ws)...)
}

// at returns the line at the cursor, or an empty one.
func (p *Pane) at() AxesLine {
	if p.Rows.Cursor >= len(p.Lines) {
		return AxesLine{}
	}
	return p.Lines[p.Rows.Cursor]
}

// dims returns the axes of the value at the cursor.
func (p *Pane) dims() graphops.Shape { return p.at().typ.Shape }

// dim returns the size at the cursor, or false if the cursor is not on an axis.
func (p *Pane) dim() (graphops.Dim, bool) {
	if p.Axis >= len(p.dims()) {
		return graphops.Dim{}, false
	}
	return p.dims()[p.Axis], true
}

func (p *Pane) ref() AxisRef { return AxisRef{p.at().Name, p.Axis} }

// symbol returns the symbol at the cursor. It is "" if the size at the cursor is a number or an
// expression.
func (p *Pane) symbol() string {
	if p.at().isSymbol() {
		return p.at().Name
	}
	d, ok := p.dim()
	if !ok || !isSymbol(d) {
		return ""
	}
	return d.String()
}

func (p *Pane) emptyRefusal() string {
	return actions.Unless(len(p.Lines) > 0, "the model has no inputs and no outputs")
}

func (p *Pane) openRefusal() string {
	if p.at().isSymbol() {
		return p.demandsRefusal()
	}
	return p.emptyRefusal()
}

func (p *Pane) sizeRefusal() string {
	return actions.Unless(p.symbol() != "", "there is no symbol here, so no size can be set")
}

// axisRefusal explains why there is no axis at the cursor.
func (p *Pane) axisRefusal() string {
	if why := p.emptyRefusal(); why != "" {
		return why
	}
	if p.at().isSymbol() {
		return "this is a symbol, not an axis"
	}
	_, isAxis := p.dim()
	return actions.Unless(isAxis, "no axes are known for "+p.at().What+" "+p.at().Name)
}

func (p *Pane) nextRefusal() string {
	return actions.Unless(p.Axis+1 < len(p.dims()), "this is the last axis")
}

func (p *Pane) previousRefusal() string {
	return actions.Unless(p.Axis > 0, "this is the first axis")
}

func (p *Pane) stepRefusal() string { return p.ws.StepRefusal("axes") }

// fixRefusal explains why neither the symbol nor the axis at the cursor can be fixed.
func (p *Pane) fixRefusal() string {
	switch p.at().What {
	case "symbol":
		return p.stepRefusal()
	case "unnamed":
		return "only a symbol of an input can be fixed"
	}
	if why := p.axisRefusal(); why != "" {
		return why
	}
	if d, _ := p.dim(); p.symbol() == "" {
		return fixRefusal(d)
	}
	return p.stepRefusal()
}

// fixRefusal explains why a size that is not a symbol cannot be fixed.
func fixRefusal(d graphops.Dim) string {
	switch {
	case d.IsFixed():
		return fmt.Sprintf("the axis is %d already", d.Value)
	case d.Symbol == "":
		return "the axis has no symbol to fix; free it with a name first"
	default:
		return "the size of the axis is an expression; fix its symbols instead"
	}
}

func (p *Pane) move(m list.Motion) {
	p.Rows.Act(m)
	p.Axis = max(0, min(p.Axis, len(p.dims())-1))
}

// mark marks the axis at the cursor, or removes its mark.
func (p *Pane) mark() {
	if p.Marked[p.ref()] {
		delete(p.Marked, p.ref())
	} else {
		p.Marked[p.ref()] = true
	}
}

func (p *Pane) free() { p.ws.Host.Open(newFreePrompt(p.ws, p.chosen(), p.proposal())) }

func (p *Pane) fix() { p.ws.Host.Open(newFixPrompt(p.ws, p.symbol())) }

func (p *Pane) askSize() { p.ws.Host.Open(newSizePrompt(p.ws, p.symbol())) }

// open goes to the row of the value at the cursor, or lists what nodes demand of the symbol there.
func (p *Pane) open() tea.Cmd {
	if p.at().isSymbol() {
		return p.openDemands()
	}
	p.ws.Host.Look(workspace.PlaceNodes)
	return p.ws.Jump(graph.Spot{Place: p.ws.Model().Places()[0], Row: p.at().row})
}

// chosen returns the marked axes and the axis at the cursor, in the order in which the pane lists
// them.
func (p *Pane) chosen() []AxisRef {
	var out []AxisRef
	for _, l := range p.Lines {
		for i := range l.typ.Shape {
			if r := (AxisRef{l.Name, i}); p.Marked[r] || r == p.ref() {
				out = append(out, r)
			}
		}
	}
	return out
}

// Clicked implements shell.Pointed: a click selects a value; a click on the selected value goes to its
// row.
func (p *Pane) Clicked(_, y int) tea.Cmd {
	from, to := p.Rows.Visible()
	switch {
	case from+y >= to:
		return nil
	case from+y == p.Rows.Cursor:
		return p.ws.Host.Perform(p, nodes.ActionOpen)
	}
	p.Rows.MoveTo(from + y)
	return nil
}

// Wheeled implements shell.Pointed.
func (p *Pane) Wheeled(by int) { p.Rows.Scroll(by) }
