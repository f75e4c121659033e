package boxes

import (
	"slices"
	"strings"

	"lathe/tui/cells"
)

// The vertical sides of a box. The box in the centre has heavy lines.
const (
	side      = "│"
	heavySide = "┃"
)

// titleWidth is the minimum width of a title that a name follows. It makes names begin in the same
// column for most operators.
const titleWidth = 8

// drawBox draws a box into the rows of its layer.
func (d *drawing) drawBox(rows *[boxHeight]row, at At, s slot) {
	box, edge := d.graph.Layers[at.Layer].Boxes[at.Box], side
	l := d.layers[at.Layer]
	if at.Layer == d.graph.Centre {
		edge = heavySide
	}
	rows[0].add(s.x, border(s, l.above, cells.Up), Frame, at)
	rows[2].add(s.x, border(s, l.below, cells.Down), Frame, at)
	title, name := texts(box, s.w-4)
	rows[1].add(s.x, edge, Frame, at)
	rows[1].add(s.x+2, title, Title, at)
	rows[1].add(s.x+2+cells.Width(title), name, Name, at)
	rows[1].add(s.x+s.w-1, edge, Frame, at)
}

// texts returns what a box shows of its title and its name in w cells.
func texts(b Box, w int) (title, name string) {
	title = cells.Cut(b.Title, w)
	if w >= 3*titleWidth {
		title = cells.Fit(title, max(cells.Width(title), titleWidth))
	}
	room := w - cells.Width(title) - 1
	if room < leastName || b.Name == "" {
		return title, ""
	}
	return title + " ", cells.CutFront(b.Name, room)
}

// leastName is the shortest part of a name that is worth showing, in cells.
const leastName = 5

// border draws the upper or lower line of a box. Lines to other boxes join it in the columns in
// ports.
func border(s slot, ports []int, direction int) string {
	var b strings.Builder
	for x := s.x; x < s.x+s.w; x++ {
		bits := cells.Left | cells.Right
		switch {
		case x == s.x:
			bits = cells.Right | opposite(direction)
		case x == s.x+s.w-1:
			bits = cells.Left | opposite(direction)
		case slices.Contains(ports, x):
			bits |= direction
		}
		b.WriteString(cells.Corners[bits])
	}
	return b.String()
}

func opposite(direction int) int {
	if direction == cells.Up {
		return cells.Down
	}
	return cells.Up
}

// row is a line of the drawing, as pieces in any order.
type row struct{ pieces []piece }

type piece struct {
	Span
	x int
}

func (r *row) add(x int, text string, p Part, at At) {
	if text != "" {
		r.pieces = append(r.pieces, piece{Span{text, p, at}, x})
	}
}

// spans returns the pieces from left to right with blanks between them, in w cells.
func (r *row) spans(w int) []Span {
	slices.SortStableFunc(r.pieces, func(a, b piece) int { return a.x - b.x })
	var out []Span
	x := 0
	for _, p := range r.pieces {
		if p.x > x {
			out = append(out, Span{cells.Blanks(p.x - x), Blank, nowhere})
		}
		out = append(out, p.Span)
		x = p.x + cells.Width(p.Text)
	}
	if x < w {
		out = append(out, Span{cells.Blanks(w - x), Blank, nowhere})
	}
	return out
}
