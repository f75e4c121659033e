package tui

import (
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/cells"
	"lathe/tui/plot"
	"lathe/tui/theme"
)

// errorColumn is the column of the list that shows the error of each node.
const errorColumn = "error"

// nodeErrors holds the errors of the nodes of a main graph, as found by the last validation of that
// model. It never changes.
type nodeErrors struct {
	place *graphops.Place
	nodes []nodeError
	scale plot.Scale
}

// nodeError is the error of the values that a node makes: the root mean square of the error
// relative to that of the value. In a comparison layer by layer it is the local error.
type nodeError struct {
	known, failed, noise bool
	x                    float64 // NaN where no number tells
	word                 string  // in place of the number
}

// newNodeErrors finds the worst error of each node of the model that is shown. It returns nil if
// the validation is about other models.
func newNodeErrors(v *validation) *nodeErrors {
	if v.side == sideNeither {
		return nil
	}
	place := v.shown.Places()[0]
	e := &nodeErrors{place: place, nodes: make([]nodeError, len(place.Graph.Nodes()))}
	table := &v.tables[tableOutputs]
	if len(v.tables[tableLayers].rows) > 0 {
		table = &v.tables[tableLayers]
	}
	x := place.Graph.Index()
	for i := range table.rows {
		r := &table.rows[i]
		if n := producerOf(x, r.names[v.side-sideA]); n >= 0 {
			e.nodes[n].add(r)
		}
	}
	e.scale = plot.Scale{Low: math.Inf(1), High: 0, Logarithmic: true, Steps: theme.HeatSteps}
	for _, n := range e.nodes {
		if n.known && n.x > 0 && !math.IsInf(n.x, 1) {
			e.scale.Low, e.scale.High = min(e.scale.Low, n.x), max(e.scale.High, n.x)
		}
	}
	return e
}

// producerOf returns the node that makes a value, or the value that it is a part of; -1 if there is
// no such node.
func producerOf(x *graphops.Index, name string) int {
	for _, n := range present([]string{name, holderOf(name)}) {
		if id, ok := x.Value(n); ok {
			return x.Producer(id)
		}
	}
	return -1
}

// add takes in what a row says about a value of the node; the worst value counts.
func (n *nodeError) add(r *validationRow) {
	f := r.figures[figSNR]
	if !f.has && !r.failed {
		return
	}
	x := math.Pow(10, -f.x/20)
	if !f.has {
		x = math.NaN()
	}
	if n.known && (n.failed && !r.failed || n.failed == r.failed && !(x > n.x || math.IsNaN(x))) {
		return
	}
	*n = nodeError{known: true, failed: r.failed, noise: r.state == "quantized", x: x}
	if !f.has {
		n.word = r.state
	}
}

// at returns the error of a row's node, or the zero value if none is known.
func (e *nodeErrors) at(w *wiring, row int) nodeError {
	k, i := w.outline.at(row)
	if e == nil || k != kindNode || w.outline.place != e.place || i >= len(e.nodes) {
		return nodeError{}
	}
	return e.nodes[i]
}

// mark returns a character for the verdict, so that it shows without colors.
func (n nodeError) mark() string {
	switch {
	case n.failed:
		return "✗"
	case n.noise:
		return "~"
	}
	return " "
}

func (w *wiring) errorText(row int) string {
	n := w.types.errors.Load().at(w, row)
	switch {
	case !n.known:
		return ""
	case n.word != "":
		return n.mark() + " " + cells.Label(n.word)
	}
	return n.mark() + cells.FitRight(brief(n.x), errorDigits)
}

// errorDigits is the width of an error's number.
const errorDigits = 8

func (w *wiring) errorNumber(row int) float64 {
	n := w.types.errors.Load().at(w, row)
	switch {
	case !n.known:
		return -1
	case math.IsNaN(n.x):
		return math.Inf(1)
	}
	return n.x
}

// errorStep returns the step of a row's error on the shared scale, or -1 if it has none.
func (w *wiring) errorStep(row int) int {
	e := w.types.errors.Load()
	n := e.at(w, row)
	switch {
	case !n.known || n.x == 0:
		return -1
	case !(n.x <= e.scale.High):
		return theme.HeatSteps - 1
	case e.scale.Low == e.scale.High && n.failed:
		return theme.HeatSteps - 1
	}
	return e.scale.Step(n.x)
}

// takeErrors stores the errors of the nodes for the model that a validation is about.
func (ws *workspace) takeErrors(v *validation) tea.Cmd {
	for _, t := range ws.typings.list {
		if t.model == v.shown && v.errors != nil {
			t.errors.Store(v.errors)
		}
	}
	if ws.listing.order.column == errorColumn {
		return ws.arrange()
	}
	return nil
}

// swatchWidth is the number of cells that show a step, including the gap before them.
const swatchWidth = 3

// swatch draws a step of a scale as a heat map does; blanks for -1.
func (ws *workspace) swatch(step int) string {
	if step < 0 {
		return cells.Blanks(swatchWidth)
	}
	if ws.o.Settings.ASCII || ws.styles.Heat[theme.HeatSteps-1] == "" {
		return " " + strings.Repeat(plot.Shades[step], swatchWidth-1)
	}
	return " " + ws.styles.Heat[step].On(cells.Blanks(swatchWidth-1))
}
