// Package boxes draws a small layered graph as boxes joined by lines. The workbench uses it for the
// neighbourhood of one node: what it depends on is above, and what depends on it is below. The
// package knows boxes, layers and edges, but no models and no colors. A drawing consists of lines
// of an exact width, divided into spans that say what they are, so that the caller can choose the
// styles.
//
// The height of a drawing hardly depends on its text. All layers have the same height.
// The space between two layers is fixed, and grows only if the lines would otherwise touch. So
// little changes on the screen when the drawing of one node replaces that of its neighbour.
package boxes

import "lathe/tui/cells"

// Graph is the graph to draw: layers of boxes from top to bottom, and edges. Every edge leads
// downwards.
type Graph struct {
	Layers []Layer
	// Centre is the index of the layer with the box of the selected node. That box is as wide as
	// the drawing, so that most lines to its neighbours can be straight.
	Centre int
	Edges  []Edge
}

// Layer is a row of boxes.
type Layer struct {
	Boxes []Box
	More  int    // number of further boxes that are not listed
	Empty string // the text shown if there are no boxes
}

// Box is one box. Its text is safe to print.
type Box struct {
	Title string // keeps its full length as long as possible
	Name  string // shortened from the front
}

// Edge is a line from a box to a box of a lower layer. It may pass layers between them.
type Edge struct {
	From, To At
	Label    string // shown beside the line if there is room
}

// At is the position of a box.
type At struct{ Layer, Box int }

// nowhere is the position of a span that belongs to no box.
var nowhere = At{-1, -1}

// Picture is a drawing.
type Picture struct {
	Lines [][]Span // each of the drawing's width
	// Rects has the rectangles of the boxes, by layer. Boxes without room are missing at the end of
	// their layer; the drawing shows how many more there are.
	Rects [][]cells.Rect
	// Undrawn is the number of edges between shown boxes for which there was no room.
	Undrawn int
}

// Span is a piece of a line in one style.
type Span struct {
	Text string
	Part Part
	At   At // the box that the span belongs to; its layer is negative if it belongs to none
}

// Part says what a span is.
type Part uint8

// The parts of a drawing.
const (
	Blank Part = iota
	Line       // between boxes
	Frame      // around a box
	Title
	Name
	Label
	More // the number of further boxes
)

// Widths, in cells. A box of leastBox cells has room for the names of most operators and for the
// lines that end at it. A box wider than mostBox would have its text too far from that of its
// neighbours.
const (
	leastBox = 12
	mostBox  = 60
	mostSide = 6 // boxes in a row
)

// boxHeight is the height of every box, in lines: two sides and its text.
const boxHeight = 3

// Capacity returns the maximum number of boxes that a layer shows in a drawing of w cells.
func Capacity(w int) int { return max(1, min((w+1)/(leastBox+1), mostSide)) }

// Least is the minimum width of a drawing.
const Least = 24

// Draw draws a graph in w cells. Edges that do not lead downwards, or that lead to missing boxes,
// are ignored.
func Draw(g Graph, w int) Picture {
	if w < Least {
		return Picture{}
	}
	d := &drawing{graph: g, w: w}
	d.thread()
	for !d.lay() { // an edge without room is left out, and the others are tried again
	}
	for i := range d.layers {
		if i > 0 {
			d.drawGap(i - 1)
		}
		d.drawLayer(i)
	}
	return d.picture
}
