package graph

import (
	"math"

	"lathe/graphops"
	"lathe/tui/cells"
	"lathe/tui/plot"
	"lathe/tui/theme"
)

// ErrorColumn is the column of the list that shows the error of each node.
const ErrorColumn = "error"

// NodeErrors are the errors of the nodes of a main graph, as the last validation measured them.
// They are immutable.
type NodeErrors struct {
	Place *graphops.Place
	Nodes []NodeError
	Scale plot.Scale
}

// NodeError is the largest error of a node's outputs: the root mean square of the error, divided by
// that of the value. If the layers were compared, it is the local error, which excludes errors that
// come from the node's inputs.
type NodeError struct {
	Known, Failed, Noise bool
	X                    float64 // the error; NaN if there is only a word
	Word                 string  // shown instead of the number
}

// At returns the error of a row's node, or the zero value if none is known.
func (e *NodeErrors) at(w *Wiring, row int) NodeError {
	k, i := w.Outline.At(row)
	if e == nil || k != KindNode || w.Outline.Place != e.Place || i >= len(e.Nodes) {
		return NodeError{}
	}
	return e.Nodes[i]
}

// mark returns a sign for failed errors, and another for errors that quantization explains, so that
// the verdict can be seen without colors.
func (n NodeError) mark() string {
	switch {
	case n.Failed:
		return "✗"
	case n.Noise:
		return "~"
	}
	return " "
}

func (w *Wiring) errorText(row int) string {
	n := w.Types.Errors.Load().at(w, row)
	switch {
	case !n.Known:
		return ""
	case n.Word != "":
		return n.mark() + " " + cells.Label(n.Word)
	}
	return n.mark() + cells.FitRight(Brief(n.X), errorDigits)
}

// errorDigits is the width of an error's number.
const errorDigits = 8

func (w *Wiring) errorNumber(row int) float64 {
	n := w.Types.Errors.Load().at(w, row)
	switch {
	case !n.Known:
		return -1
	case math.IsNaN(n.X):
		return math.Inf(1)
	}
	return n.X
}

// errorStep returns the position of a row's error on the color scale, which is the same for all
// rows. It is -1 if the row has no error.
func (w *Wiring) errorStep(row int) int {
	e := w.Types.Errors.Load()
	n := e.at(w, row)
	switch {
	case !n.Known || n.X == 0:
		return -1
	case !(n.X <= e.Scale.High):
		return theme.HeatSteps - 1
	case e.Scale.Low == e.Scale.High && n.Failed:
		return theme.HeatSteps - 1
	}
	return e.Scale.Step(n.X)
}

// SwatchWidth is the number of cells that show a step, including the gap before them.
const SwatchWidth = 3
