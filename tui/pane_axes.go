package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/list"
)

const (
	placeAxes place = "axes"

	actionFreeAxis   action = "free-axis"
	actionFixAxis    action = "fix-axis"
	actionAxisNext   action = "next-axis"
	actionAxisBefore action = "previous-axis"
	actionMarkAxis   action = "mark-axis"
	actionSize       action = "size-of-symbol"
	actionDemands    action = "demands-on-size"
)

var axesPanel = panel{
	place: placeAxes, title: "inputs", region: regionRight,
	keys: movable(
		binding{actionFreeAxis, "free or name", keys("d")},
		binding{actionFixAxis, "fix", keys("f")},
		binding{actionDemands, "what fits, and why", keys("D")},
		binding{actionAxisNext, "next axis", keys("l", "right")},
		binding{actionAxisBefore, "previous axis", keys("h", "left")},
		binding{actionMarkAxis, "mark, to free several as one", keys("space")},
		binding{actionSize, "a size to calculate with", keys("s")},
		binding{actionOpen, "to its row, or its demands", keys("enter")},
	),
	make: func(a *App) pane { return &axesPane{app: a, ws: a.ws, marked: map[axisRef]bool{}} },
}

// axesPane lists the inputs and outputs of the model with their axes, and below them the symbols
// with the sizes for which costs are calculated. While another pane has the focus, the cursor
// follows the row that is selected in the list of nodes.
type axesPane struct {
	app    *App
	ws     *workspace
	w, h   int // size of the list
	foot   int // number of lines below the list
	made   axesKey
	lines  []axesLine
	rows   list.Window
	axis   int // index of the axis at the cursor
	marked map[axisRef]bool
}

// axesKey identifies the state from which the lines were made. If it changes, they are made again.
type axesKey struct {
	model *graphops.Model
	types *inferred
	costs *costs
}

// axesLine is a value with its axes, or a symbol.
type axesLine struct {
	what string // "input", "output" or "symbol"; "unnamed" if no input has a symbol of that name
	name string // raw
	row  int    // row of the value in the main graph
	typ  graphops.Type
}

// isSymbol reports whether the line is about a symbol, and not about an input or output.
func (l axesLine) isSymbol() bool { return l.what == "symbol" || l.what == "unnamed" }

// axisRef is an axis of an input or output.
type axisRef struct {
	value string
	axis  int
}

// axesFoot is the number of lines that describe the item at the cursor, including the rule above
// them, if there is room and no symbol needs more.
const axesFoot = 4

func (p *axesPane) place() place { return placeAxes }

func (p *axesPane) sync(w, h int) tea.Cmd {
	p.w = w
	if key := (axesKey{p.ws.model(), p.ws.types.inferred.Load(), p.ws.types.costs.Load()}); key != p.made {
		if key.model != p.made.model {
			clear(p.marked)
		}
		p.made = key
		p.lines = p.ws.axesLines()
		p.rows.Reset(len(p.lines), p.rows.Cursor)
	}
	p.foot = min(p.footWanted(), max(h/2, min(h-len(p.lines), h-1)))
	p.h = h - p.foot
	p.rows.Resize(max(p.h, 1))
	if p.app.focused().panel.place != placeAxes {
		p.follow()
	}
	p.axis = max(0, min(p.axis, len(p.dims())-1))
	if w > 0 && h > 0 {
		return p.ws.describeSizes()
	}
	return nil
}

// follow moves the cursor to the input or output that is selected in the list.
func (p *axesPane) follow() {
	row := p.ws.row()
	if p.ws.outline.place.Kind != graphops.MainGraph || p.ws.outline.port(row).what == "" {
		return
	}
	for i, l := range p.lines {
		if !l.isSymbol() && l.row == row && i != p.rows.Cursor {
			p.rows.GoTo(i)
			p.axis = 0
			return
		}
	}
}

// axesLines returns the inputs and outputs of the model, and its symbols.
func (ws *workspace) axesLines() []axesLine {
	main := ws.model().Places()[0]
	g := main.Graph
	var out []axesLine
	for i, v := range g.FeedInputs() {
		out = append(out, axesLine{"input", v.Name(), i, v.Type()})
	}
	first := inputRows(main) + len(g.Nodes())
	for i, v := range g.Outputs() {
		l := axesLine{"output", v.Name(), first + i, v.Type()}
		if ws.types.result() != nil {
			if id, ok := g.Index().Value(v.Name()); ok {
				l.typ = ws.types.of(main, id)
			}
		}
		out = append(out, l)
	}
	return append(out, ws.symbolLines()...)
}

// at returns the line at the cursor, or an empty one.
func (p *axesPane) at() axesLine {
	if p.rows.Cursor >= len(p.lines) {
		return axesLine{}
	}
	return p.lines[p.rows.Cursor]
}

// dims returns the axes of the value at the cursor.
func (p *axesPane) dims() graphops.Shape { return p.at().typ.Shape }

// dim returns the size at the cursor; false if there is none.
func (p *axesPane) dim() (graphops.Dim, bool) {
	if p.axis >= len(p.dims()) {
		return graphops.Dim{}, false
	}
	return p.dims()[p.axis], true
}

func (p *axesPane) ref() axisRef { return axisRef{p.at().name, p.axis} }

// symbol returns the symbol at the cursor. It is "" if the size at the cursor is a number or an
// expression.
func (p *axesPane) symbol() string {
	if p.at().isSymbol() {
		return p.at().name
	}
	d, ok := p.dim()
	if !ok || !isSymbol(d) {
		return ""
	}
	return d.String()
}

func (p *axesPane) refusal(a action) string {
	d, isAxis := p.dim()
	switch {
	case isMotion(a):
		return ""
	case len(p.lines) == 0:
		return "the model has no inputs and no outputs"
	case a == actionDemands, a == actionOpen && p.at().isSymbol():
		return p.demandsRefusal()
	case a == actionSize:
		return unless(p.symbol() != "", "there is no symbol here, so no size can be set")
	case p.at().what == "symbol" && a == actionFixAxis:
		return p.ws.stepRefusal("axes")
	case p.at().what == "unnamed" && a == actionFixAxis:
		return "only a symbol of an input can be fixed"
	case p.at().isSymbol():
		return "this is a symbol, not an axis"
	case a == actionOpen:
		return ""
	case !isAxis:
		return "no axes are known for " + p.at().what + " " + p.at().name
	}
	switch a {
	case actionAxisNext:
		return unless(p.axis+1 < len(p.dims()), "this is the last axis")
	case actionAxisBefore:
		return unless(p.axis > 0, "this is the first axis")
	case actionFixAxis:
		if p.symbol() == "" {
			return fixRefusal(d)
		}
	}
	if a == actionMarkAxis {
		return ""
	}
	return p.ws.stepRefusal("axes")
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

func (p *axesPane) do(a action) tea.Cmd {
	switch a {
	case actionAxisNext:
		p.axis++
	case actionAxisBefore:
		p.axis--
	case actionMarkAxis:
		if p.marked[p.ref()] {
			delete(p.marked, p.ref())
		} else {
			p.marked[p.ref()] = true
		}
	case actionFreeAxis:
		p.app.dialogs.open(newFreePrompt(p.app, p.chosen(), p.proposal()))
	case actionFixAxis:
		p.app.dialogs.open(newFixPrompt(p.app, p.symbol()))
	case actionSize:
		p.app.dialogs.open(newSizePrompt(p.app, p.symbol()))
	case actionDemands:
		return p.openDemands()
	case actionOpen:
		if p.at().isSymbol() {
			return p.openDemands()
		}
		p.app.look(placeNodes)
		return p.ws.jump(spot{p.ws.model().Places()[0], p.at().row})
	default:
		p.rows.Act(list.Motion(a))
		p.axis = max(0, min(p.axis, len(p.dims())-1))
	}
	return nil
}

// chosen returns the marked axes and the axis at the cursor, in the order in which the pane lists
// them.
func (p *axesPane) chosen() []axisRef {
	var out []axisRef
	for _, l := range p.lines {
		for i := range l.typ.Shape {
			if r := (axisRef{l.name, i}); p.marked[r] || r == p.ref() {
				out = append(out, r)
			}
		}
	}
	return out
}

// clicked implements pointed: a click selects a value; a click on the selected value goes to its
// row.
func (p *axesPane) clicked(_, y int) tea.Cmd {
	from, to := p.rows.Visible()
	switch {
	case from+y >= to:
		return nil
	case from+y == p.rows.Cursor:
		return p.app.perform(p, actionOpen)
	}
	p.rows.MoveTo(from + y)
	return nil
}

// wheeled implements pointed.
func (p *axesPane) wheeled(by int) { p.rows.Scroll(by) }
