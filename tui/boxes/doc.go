// Package boxes draws a small layered graph as boxes that lines join: what lies
// around one node, from what it depends on above to what depends on it below. It
// knows boxes, layers and edges, and nothing of models or colours: a drawing is
// lines of an exact width, in spans that say what they are.
//
// Every row has its place whatever the boxes say: a layer is as high as any other
// of its kind, and the lines between two layers have a fixed room that grows only
// where they could not be told apart otherwise. So a drawing that is replaced by
// that of a neighbour changes little on the screen.
package boxes

import "lathe/tui/cells"

// Graph is what is drawn: layers from top to bottom, and the edges downwards
// between them.
type Graph struct {
	Layers []Layer
	// Centre is the layer whose only box the drawing is about. That box is as wide
	// as the drawing, so that lines to its neighbours are straight.
	Centre int
	Edges  []Edge
}

// Layer is boxes beside each other.
type Layer struct {
	Boxes []Box
	More  int    // boxes that there are besides
	Empty string // what stands there if there is no box
}

// Box is one box. Its text is safe to print.
type Box struct {
	Title string // what gives way last
	Name  string // shortened from the front
	Note  string // a line below both, in the centre alone
}

// Edge is a line from a box to one of a layer further down.
type Edge struct {
	From, To At
	Label    string // shown beside the line where there is room
}

// At is the position of a box.
type At struct{ Layer, Box int }

// nowhere is the position of what belongs to no box.
var nowhere = At{-1, -1}

// Picture is a drawing.
type Picture struct {
	Lines [][]Span // each of the drawing's width
	// Rects are where the boxes stand, by layer. Boxes that found no room are left
	// out, and counted among those that there are besides.
	Rects [][]cells.Rect
	// Undrawn is how many edges between boxes that show found no way.
	Undrawn int
}

// Span is a piece of a line that looks the same throughout.
type Span struct {
	Text string
	Part Part
	At   At // the box that it is a part of; of a negative layer for none
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
	More // how much there is besides
)

// Widths, in cells. A box of leastBox shows most operators and has room for the
// lines that can end at it; one wider than mostBox would put its text far from its
// neighbours'.
const (
	leastBox = 12
	mostBox  = 60
	mostSide = 6 // boxes beside each other
)

// Capacity is how many boxes at most a layer shows in a drawing of w cells.
func Capacity(w int) int { return max(1, min((w+1)/(leastBox+1), mostSide)) }

// Least is the width below which there is nothing to draw.
const Least = 24

// Draw draws a graph in w cells. Edges that do not lead downwards, or to boxes that
// are not there, are no edges.
func Draw(g Graph, w int) Picture {
	if w < Least {
		return Picture{}
	}
	d := &drawing{graph: g, w: w}
	d.thread()
	for !d.lay() { // an edge that finds no way is left out, and the others try again
	}
	for i := range d.layers {
		if i > 0 {
			d.drawGap(i - 1)
		}
		d.drawLayer(i)
	}
	return d.picture
}
