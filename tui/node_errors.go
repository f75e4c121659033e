package tui

import (
	"math"
	"strings"

	"lathe/graphops"
	"lathe/tui/cells"
	"lathe/tui/plot"
	"lathe/tui/theme"
)

// errorColumn is the column of the list that shows the error of each node.
const errorColumn = "error"

// nodeErrors are the errors of the nodes of a main graph, as the last validation measured them.
// They are immutable.
type nodeErrors struct {
	place *graphops.Place
	nodes []nodeError
	scale plot.Scale
}

// nodeError is the largest error of a node's outputs: the root mean square of the error, divided by
// that of the value. If the layers were compared, it is the local error, which excludes errors that
// come from the node's inputs.
type nodeError struct {
	known, failed, noise bool
	x                    float64 // the error; NaN if there is only a word
	word                 string  // shown instead of the number
}

// at returns the error of a row's node, or the zero value if none is known.
func (e *nodeErrors) at(w *wiring, row int) nodeError {
	k, i := w.outline.at(row)
	if e == nil || k != kindNode || w.outline.place != e.place || i >= len(e.nodes) {
		return nodeError{}
	}
	return e.nodes[i]
}

// mark returns a sign for failed errors, and another for errors that quantization explains, so that
// the verdict can be seen without colors.
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

// errorStep returns the position of a row's error on the color scale, which is the same for all
// rows. It is -1 if the row has no error.
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

// swatchWidth is the number of cells that show a step, including the gap before them.
const swatchWidth = 3

// swatch returns cells in the color of a position on a color scale, or blanks if it is -1. Without
// colors it uses characters.
func swatch(ws *workspace, step int) string {
	if step < 0 {
		return cells.Blanks(swatchWidth)
	}
	if ws.o.Settings.ASCII || ws.styles.Heat[theme.HeatSteps-1] == "" {
		return " " + strings.Repeat(plot.Shades[step], swatchWidth-1)
	}
	return " " + ws.styles.Heat[step].On(cells.Blanks(swatchWidth-1))
}
