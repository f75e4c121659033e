package detail

import (
	"fmt"
	"slices"

	"lathe/session/text"
	"lathe/tui/boxes"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// neighbourhood is the drawing of boxes in the detail pane, with a cursor.
type neighbourhood struct {
	surroundings
	Picture boxes.Picture
	Cursor  boxes.At
}

// newNeighbourhood draws the neighbours of a row in w cells, with the cursor on the row.
func newNeighbourhood(ws *workspace.Workspace, row, hops, w int) neighbourhood {
	s := surround(ws, row, hops, w)
	n := neighbourhood{surroundings: s, Picture: boxes.Draw(s.graph, w)}
	n.undrawn += n.Picture.Undrawn
	n.Cursor = n.home()
	return n
}

func (n *neighbourhood) home() boxes.At { return boxes.At{Layer: n.graph.Centre} }
func (n *neighbourhood) isHome() bool   { return n.Cursor == n.home() }

// IsDrawn reports whether there is a drawing.
func (n *neighbourhood) IsDrawn() bool { return len(n.Picture.Lines) > 0 }

// tells reports whether the drawing makes the list of neighbours in a direction superfluous: all
// rows one step away have boxes, and their order shows which input or reader they are.
func (n *neighbourhood) tells(to way) bool {
	if !n.IsDrawn() {
		return false
	}
	by := 1
	if to == upwards {
		by = -1
	}
	side, shown := n.sides[to], len(n.Picture.Rects[n.graph.Centre+by])
	if side.moved > 0 {
		shown += min(side.moved, len(n.Picture.Rects[n.graph.Centre+2*by]))
	}
	return shown == side.direct && !side.mixed
}

// Height is the number of lines of the drawing, including the line that describes the box at the
// cursor.
func (n *neighbourhood) Height() int {
	if !n.IsDrawn() {
		return 0
	}
	return len(n.Picture.Lines) + 1
}

// spot is the row that the box at the cursor shows.
func (n *neighbourhood) spot() graph.Spot { return n.spots[n.Cursor.Layer][n.Cursor.Box] }

// along returns the next or the previous box in reading order, or false.
func (n *neighbourhood) along(by int) (boxes.At, bool) {
	at := n.Cursor
	at.Box += by
	if at.Box >= 0 && at.Box < len(n.Picture.Rects[at.Layer]) {
		return at, true
	}
	for at.Layer += by; at.Layer >= 0 && at.Layer < len(n.Picture.Rects); at.Layer += by {
		if last := len(n.Picture.Rects[at.Layer]) - 1; last >= 0 {
			at.Box = 0
			if by < 0 {
				at.Box = last
			}
			return at, true
		}
	}
	return n.Cursor, false
}

// across returns the box nearest to the cursor's in the next or previous layer with boxes, or
// false.
func (n *neighbourhood) across(by int) (boxes.At, bool) {
	from := n.Picture.Rects[n.Cursor.Layer][n.Cursor.Box]
	for layer := n.Cursor.Layer + by; layer >= 0 && layer < len(n.Picture.Rects); layer += by {
		best := boxes.At{Layer: -1}
		for k, r := range n.Picture.Rects[layer] {
			if best.Layer < 0 || apart(from, r) < apart(from, n.Picture.Rects[layer][best.Box]) {
				best = boxes.At{Layer: layer, Box: k}
			}
		}
		if best.Layer >= 0 {
			return best, true
		}
	}
	return n.Cursor, false
}

// apart returns twice the horizontal distance between the centres of two boxes. Doubling avoids
// halves of a cell.
func apart(a, b cells.Rect) int {
	d := 2*a.X + a.W - 2*b.X - b.W
	return max(d, -d)
}

// under returns the box at a position of the drawing, or false.
func (n *neighbourhood) under(x, y int) (boxes.At, bool) {
	for i, rects := range n.Picture.Rects {
		for k, r := range rects {
			if r.Holds(x, y) {
				return boxes.At{Layer: i, Box: k}, true
			}
		}
	}
	return boxes.At{}, false
}

// line draws a line of the drawing.
func (n *neighbourhood) line(ws *workspace.Workspace, i int, focused bool) string {
	if i == len(n.Picture.Lines) {
		return ws.Styles.Faint.On(n.caption(ws, focused))
	}
	line := ""
	for _, span := range slices.Backward(n.Picture.Lines[i]) {
		line = n.paint(ws.Styles, span, focused).Before(span.Text, line)
	}
	return line
}

// paint returns the style of a part of the drawing. The text of the box at the cursor is
// highlighted.
func (n *neighbourhood) paint(st theme.Styles, span boxes.Span, focused bool) theme.Paint {
	isText := span.Part == boxes.Title || span.Part == boxes.Name
	if focused && isText && span.At == n.Cursor {
		return st.Selected
	}
	switch span.Part {
	case boxes.Title:
		return st.Op
	case boxes.Name:
		return st.Name
	case boxes.Frame:
		if span.At == n.home() {
			return st.Node
		}
		return st.Frame
	case boxes.Line:
		return st.Frame
	case boxes.Blank:
		return ""
	default:
		return st.Faint
	}
}

// caption describes the box at the cursor in full, and says how much is not drawn.
func (n *neighbourhood) caption(ws *workspace.Workspace, focused bool) string {
	switch {
	case focused && !n.isHome():
		return n.Said(ws)
	case n.undrawn > 0:
		return text.Plural(n.undrawn, "edge") + " more not drawn"
	default:
		return ""
	}
}

// Said describes the box at the cursor: how it is connected to the selected row, its number among
// the boxes on its level, its operator and name.
func (n *neighbourhood) Said(ws *workspace.Workspace) string {
	op, name := spotText(ws, n.spot())
	what := "reads it"
	if n.Cursor.Layer < n.graph.Centre {
		what = "is read by it"
	}
	if away := n.Cursor.Layer - n.graph.Centre; away == 2 || away == -2 {
		what = "two steps away"
	}
	shown, more := len(n.Picture.Rects[n.Cursor.Layer]), ""
	if all := len(n.graph.Layers[n.Cursor.Layer].Boxes) + n.graph.Layers[n.Cursor.Layer].More; all > shown {
		more = fmt.Sprintf(", %d not drawn", all-shown)
	}
	return fmt.Sprintf("%s, %d of %d%s: %s %s", what, n.Cursor.Box+1, shown, more, op, name)
}
