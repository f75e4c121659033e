package tensor

import (
	"fmt"
	"slices"
)

// Grid is a matrix of numbers reduced to cells of equal size, for a heat map.
type Grid struct {
	Rows, Columns int   // of cells
	Down, Across  int64 // rows and columns of the matrix that a cell takes in; those at the ends fewer
	Cells         []Cell
}

// Cell is the part of a tensor that one cell of a Grid takes in. A complex number
// counts by its magnitude.
type Cell struct {
	Min, Max, Mean float64 // of finite numbers; 0 where there is none
	Finite         int64
	Other          int64 // NaN and infinities
}

// AbsMax is the largest magnitude among the finite numbers.
func (c Cell) AbsMax() float64 { return max(c.Max, -c.Min) }

// MaxCells is how many cells a Grid may have: far more than fit a screen.
const MaxCells = 1 << 20

// Grid reduces a view to at most so many rows and columns of cells. Only the
// indices that the view asks for are read; axes that it reduces are taken in whole.
func (s Stored) Grid(v View, rows, columns int) (Grid, error) {
	scan, err := s.scanned(v, rows, columns)
	if err != nil || slices.Contains(s.Shape, 0) {
		return Grid{}, err
	}
	b := newGridder(scan, v, rows, columns)
	b.line = b.numbersOf
	if err := b.walk(b.axes, gridPlace{element: b.base}); err != nil {
		return Grid{}, err
	}
	return b.grid(), nil
}

// scanned reads what a grid of a view asks for.
func (s Stored) scanned(v View, rows, columns int) (*scanner, error) {
	if s.DType == String {
		return nil, fmt.Errorf("a heat map is made of numbers, these elements are strings; look at them one by one")
	}
	scan, err := newScanner(s)
	if err != nil {
		return nil, err
	}
	if err := v.Check(s.Shape); err != nil {
		return nil, err
	}
	if rows < 1 || columns < 1 || rows > MaxCells/columns {
		return nil, fmt.Errorf("a grid of %d×%d cells, expected 1×1 to %d in all", rows, columns, MaxCells)
	}
	return scan, nil
}

// gridAxis is an axis that is walked along, and what a step does to the place.
type gridAxis struct {
	length, stride int64
	down, across   bool
}

// gridPlace is an element and its row and column in the matrix.
type gridPlace struct{ element, row, column int64 }

func (a gridAxis) step(p gridPlace, by int64) gridPlace {
	p.element += by * a.stride
	if a.down {
		p.row += by
	}
	if a.across {
		p.column += by
	}
	return p
}

// gridder fills the cells of a grid.
type gridder struct {
	scan    *scanner
	axes    []gridAxis // from the outermost on
	base    int64      // the first element of the view
	g       Grid
	cells   []gridCell
	wide    bool // numbers of more than 32 bits
	line    func(a gridAxis, p gridPlace) error
	raw     []byte
	numbers [chunkNumbers]float64
}

func newGridder(scan *scanner, v View, rows, columns int) *gridder {
	b := &gridder{scan: scan, wide: scan.DType.Bits()/scan.DType.Components() > 32, raw: make([]byte, chunkNumbers*8)}
	by := strides(scan.Shape)
	for axis, length := range scan.Shape {
		a := gridAxis{length, by[axis], axis == v.Down, axis == v.Across}
		switch {
		case !a.down && !a.across && !v.reduces(axis):
			b.base += v.At[axis] * by[axis]
		case length > 1:
			b.addAxis(a)
		}
	}
	if len(b.axes) == 0 { // a single element
		b.axes = []gridAxis{{length: 1, stride: 1}}
	}
	height, width := v.Size(scan.Shape)
	b.g.Rows, b.g.Down = cellsOf(height, rows)
	b.g.Columns, b.g.Across = cellsOf(width, columns)
	b.cells = make([]gridCell, b.g.Rows*b.g.Columns)
	return b
}

// addAxis appends an axis. Two that are reduced and lie side by side are one.
func (b *gridder) addAxis(a gridAxis) {
	if n := len(b.axes); n > 0 && !a.down && !a.across {
		if outer := &b.axes[n-1]; !outer.down && !outer.across && outer.stride == a.length*a.stride {
			outer.length, outer.stride = outer.length*a.length, a.stride
			return
		}
	}
	b.axes = append(b.axes, a)
}

// cellsOf shares out a length among at most n cells of equal size.
func cellsOf(length int64, n int) (cells int, size int64) {
	size = (length-1)/int64(n) + 1
	return int((length-1)/size) + 1, size
}

// walk visits every element of the view, a line along the innermost axis at a time.
// Its depth is the number of axes.
func (b *gridder) walk(axes []gridAxis, p gridPlace) error {
	if len(axes) == 1 {
		return b.line(axes[0], p)
	}
	for i := range axes[0].length {
		if err := b.walk(axes[1:], axes[0].step(p, i)); err != nil {
			return err
		}
	}
	return nil
}

// numbersOf takes in the elements along an axis.
func (b *gridder) numbersOf(a gridAxis, p gridPlace) error {
	components := b.scan.DType.Components()
	for at := int64(0); at < a.length; {
		n := int(min(a.length-at, int64(chunkNumbers/components)))
		if err := b.scan.elements(b.raw, p.element+at*a.stride, a.stride, n); err != nil {
			return err
		}
		xs := b.numbers[:n*components]
		if err := DecodeFloat64(xs, b.scan.DType, b.raw); err != nil {
			return err
		}
		if components == 2 {
			xs = lengths(xs)
		}
		b.share(a, a.step(p, at), len(xs), func(cell, from, to int, _ gridPlace) { b.cells[cell].add(xs[from:to], b.wide) })
		at += int64(n)
	}
	return nil
}

// share shares out so many numbers that lie along an axis among the cells that they
// belong to: those from one up to another lie in a cell, the first of them at a place.
func (b *gridder) share(a gridAxis, p gridPlace, numbers int, give func(cell, from, to int, at gridPlace)) {
	for from := 0; from < numbers; {
		n := int64(numbers - from)
		if a.down {
			n = min(n, b.g.Down-p.row%b.g.Down)
		}
		if a.across {
			n = min(n, b.g.Across-p.column%b.g.Across)
		}
		give(int(p.row/b.g.Down*int64(b.g.Columns)+p.column/b.g.Across), from, from+int(n), p)
		from += int(n)
		p = a.step(p, n)
	}
}

func (b *gridder) grid() Grid {
	b.g.Cells = make([]Cell, len(b.cells))
	for i := range b.cells {
		b.g.Cells[i] = b.cells[i].cell()
	}
	return b.g
}
