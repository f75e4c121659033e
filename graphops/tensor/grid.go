package tensor

import (
	"fmt"
	"slices"
)

// Grid is a matrix of numbers reduced to cells, for a heat map. All cells cover the same number of
// rows and columns.
type Grid struct {
	Rows, Columns int   // number of cells
	Down, Across  int64 // rows and columns of the matrix in each cell; those at the ends may have fewer
	Cells         []Cell
}

// Cell summarizes the numbers of a tensor in one cell of a Grid. Of complex numbers it summarizes
// the magnitudes.
type Cell struct {
	Min, Max, Mean float64 // of finite numbers; 0 if there are none
	Finite         int64
	Other          int64 // NaN and infinities
}

// AbsMax returns the largest magnitude of the finite numbers.
func (c Cell) AbsMax() float64 { return max(c.Max, -c.Min) }

// MaxCells is the maximum number of cells of a Grid, far more than fit on a screen.
const MaxCells = 1 << 20

// Grid reduces a view of the tensor to at most the given number of rows and columns of cells. It
// reads only the indices that the view selects. Along reduced axes it reads everything.
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

// scanned returns a scanner for reading the elements of a grid. It returns an error if the view or
// the number of cells is invalid.
func (s Stored) scanned(v View, rows, columns int) (*scanner, error) {
	if s.DType == String {
		return nil, fmt.Errorf("a heat map needs numbers, but these elements are strings; show single elements instead")
	}
	scan, err := newScanner(s)
	if err != nil {
		return nil, err
	}
	if err := v.Check(s.Shape); err != nil {
		return nil, err
	}
	if rows < 1 || columns < 1 || rows > MaxCells/columns {
		return nil, fmt.Errorf("a grid has %d×%d cells, expected at least 1×1 and at most %d cells", rows, columns, MaxCells)
	}
	return scan, nil
}

// gridAxis is an axis of the tensor to iterate over. down says that a step along it goes to the
// next row of the matrix, and across that it goes to the next column. On a reduced axis neither is
// set.
type gridAxis struct {
	length, stride int64
	down, across   bool
}

// gridPlace is a position in the tensor, and the row and column of the matrix to which it belongs.
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

// gridder computes the cells of a grid.
type gridder struct {
	scan    *scanner
	axes    []gridAxis // from the outermost to the innermost
	base    int64      // the first element of the view
	g       Grid
	cells   []gridCell
	wide    bool // their sum may exceed the range of float64
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

// addAxis appends an axis to iterate over. If it and the previous one are reduced and can be
// traversed as one axis, they are merged.
func (b *gridder) addAxis(a gridAxis) {
	if n := len(b.axes); n > 0 && !a.down && !a.across {
		if outer := &b.axes[n-1]; !outer.down && !outer.across && outer.stride == a.length*a.stride {
			outer.length, outer.stride = outer.length*a.length, a.stride
			return
		}
	}
	b.axes = append(b.axes, a)
}

// cellsOf divides a number of rows or columns into at most n cells of equal size.
func cellsOf(length int64, n int) (cells int, size int64) {
	size = (length-1)/int64(n) + 1
	return int((length-1)/size) + 1, size
}

// walk visits all elements of the view. It calls b.line for each line along the innermost axis. The
// recursion is as deep as the number of axes.
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

// numbersOf reads the elements along an axis and adds them to their cells.
func (b *gridder) numbersOf(a gridAxis, p gridPlace) error {
	components := b.scan.DType.Components()
	for at := int64(0); at < a.length; {
		n := int(min(a.length-at, int64(chunkNumbers/components)))
		if err := b.scan.elements(b.raw, p.element+at*a.stride, a.stride, n); err != nil {
			return err
		}
		xs := b.numbers[:n*components]
		if err := decodeFloat64(xs, b.scan.DType, b.raw); err != nil {
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

// share distributes successive numbers along an axis to cells. For each cell it calls give with the
// range of the numbers in that cell and the place of the first of them.
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
