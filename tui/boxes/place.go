package boxes

import (
	"fmt"

	"lathe/tui/cells"
)

// drawing is the state while a graph is drawn.
type drawing struct {
	graph   Graph
	w       int
	edges   []Edge // the edges that lead downwards
	layers  []layer
	picture Picture
}

// layer is where the boxes of a layer are, and where lines end at them.
type layer struct {
	boxes []slot
	more  int
	room  int // for the boxes and the number of further ones
	// above and below have the columns in which lines end at the upper and the lower side of the
	// boxes.
	above, below []int
	gap          gap // to the next layer
}

// slot holds the columns of a box.
type slot struct{ x, w int }

// inner returns the columns from and up to but without to, at which an edge may reach the box: all
// but its corners.
func (s slot) inner() (from, to int) { return s.x + 1, s.x + s.w - 1 }

// thread selects the edges to draw. It drops those that do not lead downwards. It keeps only a few
// that pass layers, because those leave less room for boxes.
func (d *drawing) thread() {
	long := 0
	for _, e := range d.graph.Edges {
		switch {
		case e.From.Layer >= e.To.Layer || !d.graph.holds(e.From) || !d.graph.holds(e.To):
			continue
		case e.isLong() && long == mostLong(d.w):
			d.picture.Undrawn++
			continue
		case e.isLong():
			long++
		}
		d.edges = append(d.edges, e)
	}
}

// mostLong returns how many edges may pass layers in a drawing of w cells.
func mostLong(w int) int { return min(mostSide, (w-Least)/2) }

// lay decides where boxes and lines are. It returns false if there was no room for an edge; that
// edge is dropped, and the caller tries again.
func (d *drawing) lay() bool {
	d.layers = nil
	for i := range d.graph.Layers {
		d.place(i)
	}
	for i := range max(len(d.layers)-1, 0) {
		if !d.lead(i) {
			return false
		}
	}
	return true
}

func (g Graph) holds(a At) bool {
	return a.Layer >= 0 && a.Layer < len(g.Layers) && a.Box >= 0 && a.Box < len(g.Layers[a.Layer].Boxes)
}

// column returns the column at the right in which an edge passes layers. Each such edge has its own
// column.
func (d *drawing) column(edge int) int {
	k := 0
	for _, e := range d.edges[:edge] {
		if e.isLong() {
			k++
		}
	}
	return d.w - 2 - 2*k
}

func (e Edge) isLong() bool { return e.To.Layer-e.From.Layer > 1 }

// crosses reports whether an edge passes a layer.
func (e Edge) crosses(layer int) bool { return e.From.Layer < layer && layer < e.To.Layer }

// halfBox is the width from which a single box takes only half of the layer. It then stays in place
// when a second box appears beside it.
const halfBox = 22

// place decides where the boxes of a layer are. They get equal widths. Room is left at the right
// for edges that pass the layer, and for the number of boxes that are not shown.
func (d *drawing) place(i int) {
	l := d.graph.Layers[i]
	right := d.w
	for k, e := range d.edges {
		if e.crosses(i) {
			right = min(right, d.column(k)-2)
		}
	}
	room := right
	n, more := fit(len(l.Boxes), l.More, right)
	if more > 0 {
		right -= cells.Width(moreText(more)) + 1
	}
	out := layer{more: more, room: room}
	parts := n
	if n == 1 && i != d.graph.Centre && (right+1)/2 > halfBox {
		parts = 2
	}
	for k := range n {
		from, to := k*(right+1)/parts, (k+1)*(right+1)/parts-1
		w := to - from
		if i != d.graph.Centre {
			w = min(w, mostBox)
		}
		out.boxes = append(out.boxes, slot{from + (to-from-w)/2, w})
	}
	d.layers = append(d.layers, out)
}

// fit returns how many of n boxes are shown in w cells, and how many are not shown. more is the
// number of boxes that the caller has already left out.
func fit(n, more, w int) (shown, besides int) {
	for shown = min(n, Capacity(w)); shown > 1; shown-- {
		besides = more + n - shown
		room := w
		if besides > 0 {
			room -= cells.Width(moreText(besides)) + 1
		}
		if shown*(leastBox+1)-1 <= room {
			return shown, besides
		}
	}
	return shown, more + n - shown
}

func moreText(n int) string { return fmt.Sprintf("+%d more", n) }

// drawLayer draws the boxes of a layer and the lines that pass it.
func (d *drawing) drawLayer(i int) {
	l := &d.layers[i]
	top := len(d.picture.Lines)
	var rows [boxHeight]row
	rects := make([]cells.Rect, len(l.boxes))
	for k, s := range l.boxes {
		rects[k] = cells.Rect{X: s.x, Y: top, W: s.w, H: boxHeight}
		d.drawBox(&rows, At{i, k}, s)
	}
	switch {
	case l.more > 0:
		rows[1].add(l.end()+1, moreText(l.more), More, nowhere)
	case len(l.boxes) == 0:
		rows[1].add(0, cells.Cut(d.graph.Layers[i].Empty, l.room), More, nowhere)
	}
	for k, e := range d.edges {
		if e.crosses(i) && d.shows(e.From) && d.shows(e.To) {
			for y := range rows {
				rows[y].add(d.column(k), cells.Corners[cells.Up|cells.Down], Line, nowhere)
			}
		}
	}
	for _, r := range rows {
		d.picture.Lines = append(d.picture.Lines, r.spans(d.w))
	}
	d.picture.Rects = append(d.picture.Rects, rects)
}

// end returns the column after the last box.
func (l *layer) end() int {
	if len(l.boxes) == 0 {
		return -1
	}
	s := l.boxes[len(l.boxes)-1]
	return s.x + s.w
}
