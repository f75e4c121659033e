// Package boxes draws a small layered graph as boxes joined by lines: the neighborhood of one node,
// with what it depends on above and what depends on it below. It knows boxes, layers and edges, but
// no models or colors: a drawing consists of lines of an exact width, in spans that say what they
// are.
//
// The position of a row does not depend on the text of the boxes: all layers of a kind have the
// same height, and the space between two layers is fixed and grows only if the lines could not be
// told apart otherwise. So little changes on the screen when a neighbor's drawing replaces a
// drawing.
package boxes

import "lathe/tui/cells"

// Graph is what is drawn: layers from top to bottom, and the edges between them, which lead
// downwards.
type Graph struct {
	Layers []Layer
	// Centre is the layer whose only box is the subject of the drawing. That box is as wide as the
	// drawing, so that lines to its neighbors are straight.
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
	Title string // shortened last
	Name  string // shortened from the front
	Note  string // a line below both, in the centre alone
}

// Edge is a line from a box to a box of a lower layer.
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
	// Rects holds the rectangles of the boxes, by layer. Boxes for which there is no room are left
	// out and counted with the further boxes.
	Rects [][]cells.Rect
	// Undrawn is the number of edges between shown boxes for which there was no room.
	Undrawn int
}

// Span is a piece of a line in one style.
type Span struct {
	Text string
	Part Part
	At   At // the box that it is a part of; its layer is negative for none
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
	Note
	Label
	More // the number of further boxes
)

// Widths, in cells. A box of leastBox cells shows most operators and has room for the lines that
// can end at it; the text of a box wider than mostBox would be too far from its neighbors'.
const (
	leastBox = 12
	mostBox  = 60
	mostSide = 6 // boxes in a row
)

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
