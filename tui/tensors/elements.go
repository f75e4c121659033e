package tensors

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"lathe/graphops/tensor"
	"lathe/tui/cells"
	"lathe/tui/list"
)

// elementView is the part of a matrix that is on screen, with the cursor, and the elements that
// have been read.
type elementView struct {
	Rows, Columns list.Window
	begun         bool
	block         *block
	wide          int // the width of a column; it only grows, so that columns stay in place
}

// block is a part of a matrix that has been read. It is larger than the screen, so that most moves
// of the cursor read nothing.
type block struct {
	tensor.Window
	exact []string // at full precision, safe to print
	short []string // in a few digits
	wide  int      // the width of the widest text in short
}

// ElementsHead is the number of lines above the elements: the axes, the element at the cursor, the
// column numbers.
const ElementsHead = 3

// maxElement is the maximum width of a column, and minElement the minimum, which determines how
// many columns are read.
const (
	maxElement = 24
	minElement = 3
)

// fitElements adjusts the windows of rows and columns to the matrix and the space.
func (p *Pane) fitElements() {
	e, x := &p.Elements, p.shownAxes()
	if x == nil || p.nothing() != "" {
		return
	}
	rows, columns := x.Size(x.Shape)
	if !e.begun {
		e.begun = true
		e.Rows.Reset(int(rows), 0)
		e.Columns.Reset(int(columns), 0)
	}
	q, _ := p.elementsInquiry()
	if a := p.Passes.Answer(q); a != nil && a.Err == nil {
		e.block = a.Value.(*block)
		e.wide = max(e.wide, e.block.wide)
	}
	if h := max(p.bodyHeight()-ElementsHead, 1); h != e.Rows.Height {
		e.Rows.Resize(h)
	}
	if n := e.shownColumns(p.w - 2); n != e.Columns.Height {
		e.Columns.Resize(n)
	}
}

// RowHead returns the width of the row numbers.
func (e *elementView) RowHead() int { return len(strconv.Itoa(max(e.Rows.N-1, 0))) }

// ColumnWidth returns the width of an element, without the gap before it.
func (e *elementView) ColumnWidth() int {
	_, to := e.Columns.Visible()
	return max(e.wide, minElement, len(strconv.Itoa(to)))
}

func (e *elementView) shownColumns(w int) int {
	return max((w-e.RowHead())/(max(e.wide, minElement)+1), 1)
}

// elementsInquiry asks for the elements in view, and for as many on each side. As long as the
// elements in view have been read, it repeats the same inquiry.
func (p *Pane) elementsInquiry() (Inquiry, Work) {
	t, e, x := p.Current().TensorSource, &p.Elements, p.shownAxes()
	win := e.wanted(p.bodyHeight(), p.w)
	if e.block != nil && e.block.holds(e) {
		win = e.block.Window
	}
	v := tensor.View{Down: x.Down, Across: x.Across, At: slices.Clone(x.At)}
	q := Inquiry{t, fmt.Sprintf("window %s %v", x.Key(), win)}
	return q, func(ctx context.Context, _ func(done, total int64)) (any, error) {
		part, err := t.Window(ctx, v, win)
		if err != nil {
			return nil, err
		}
		return newBlock(part, win)
	}
}

// wanted returns the window to read: the elements in view, and as many on each side.
func (e *elementView) wanted(h, w int) tensor.Window {
	tall, broad := max(h, 1), max(w/(minElement+1), 1)
	from := func(top, n int) int64 { return int64(max(top-n, 0)) }
	return tensor.Window{
		Row: from(e.Rows.Top, tall), Column: from(e.Columns.Top, broad),
		Rows: int64(3 * tall), Columns: int64(3 * broad),
	}
}

// holds reports whether a block has all elements in view.
func (b *block) holds(e *elementView) bool {
	top, bottom := e.Rows.Visible()
	left, right := e.Columns.Visible()
	return int64(top) >= b.Row && int64(bottom) <= b.Row+b.Rows && int64(left) >= b.Column && int64(right) <= b.Column+b.Columns
}

// At returns the position of an element in a block, or -1 if it has not been read.
func (b *block) at(row, column int) int {
	r, c := int64(row), int64(column)
	if b == nil || r < b.Row || r >= b.Row+b.Rows || c < b.Column || c >= b.Column+b.Columns {
		return -1
	}
	return int((r-b.Row)*b.Columns + c - b.Column)
}

// newBlock formats the elements of a window. It remembers the window as it was requested, even if
// it reaches beyond the matrix. Otherwise the same window would be requested again.
func newBlock(part tensor.Tensor, asked tensor.Window) (*block, error) {
	b := &block{Window: asked}
	texts, err := part.Texts()
	if err != nil {
		return nil, err
	}
	rows, columns := int(part.Shape[0]), int(part.Shape[1])
	n := int(asked.Rows * asked.Columns)
	b.exact, b.short = make([]string, n), make([]string, n)
	for r := range rows {
		for c := range columns {
			i := r*int(asked.Columns) + c
			b.exact[i] = cells.Prose(texts[r*columns+c])
			b.short[i] = shortElement(b.exact[i], part.DType)
			b.wide = max(b.wide, cells.Width(b.short[i]))
		}
	}
	return b, nil
}

// shortElement formats a floating-point number with four significant digits. Other elements are cut
// to the width of a column.
func shortElement(exact string, d tensor.DType) string {
	switch d.Kind() {
	case tensor.KindFloat:
		if x, err := strconv.ParseFloat(exact, 64); err == nil {
			return strconv.FormatFloat(x, 'g', 4, 64)
		}
	case tensor.KindComplex:
		if x, err := strconv.ParseComplex(exact, 128); err == nil {
			s := strconv.FormatComplex(x, 'g', 4, 128)
			return s[1 : len(s)-1] // without the brackets
		}
	}
	return cells.Cut(exact, maxElement)
}

// Unread is shown for an element that has not been read yet.
const Unread = "·"

// table draws the elements that show.
func (p *Pane) table(w, h int) []string {
	st, e := p.ws.Styles, &p.Elements
	wide, head := e.ColumnWidth(), e.RowHead()
	left, right := e.Columns.Visible()
	numbers := cells.Blanks(head)
	for c := left; c < right; c++ {
		numbers += " " + cells.FitRight(strconv.Itoa(c), wide)
	}
	out := []string{
		st.Faint.On(cells.Cut(p.shownAxes().Brief(), w)), cells.Cut(p.element(), w), st.Faint.On(cells.Cut(numbers, w)),
	}
	top, bottom := e.Rows.Visible()
	for r := top; r < bottom && len(out) < h; r++ {
		line := st.Faint.On(cells.FitRight(strconv.Itoa(r), head))
		for c := left; c < right; c++ {
			s := Unread
			if i := e.block.at(r, c); i >= 0 {
				s = e.block.short[i]
			}
			s = cells.FitRight(s, wide)
			if r == e.Rows.Cursor && c == e.Columns.Cursor {
				s = p.cursorLooks().On(s)
			}
			line += " " + s
		}
		out = append(out, line)
	}
	return out
}

// element returns the element at the cursor at full precision.
func (p *Pane) element() string {
	e := &p.Elements
	value := Unread
	if i := e.block.at(e.Rows.Cursor, e.Columns.Cursor); i >= 0 {
		value = e.block.exact[i]
	}
	return p.shownAxes().index(int64(e.Rows.Cursor), int64(e.Columns.Cursor)) + " = " + value
}

func (p *Pane) saidElement() string {
	return fmt.Sprintf("%s, %s", p.element(), p.shownAxes())
}
