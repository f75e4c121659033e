package tensor

import (
	"fmt"
	"slices"
)

// Window is a rectangle of a matrix.
type Window struct {
	Row, Column   int64 // of the first element
	Rows, Columns int64
}

// maxWindow is the maximum number of elements of a window, far more than fit on a screen.
const maxWindow = 1 << 20

// Window reads a rectangle of a view. It returns a tensor with two axes and the same element type.
// Parts outside of the matrix are left out. Elements that are not needed are skipped, unless they
// are so few that reading them is faster.
func (s Stored) Window(v View, w Window) (Tensor, error) {
	scan, err := newScanner(s)
	if err != nil {
		return Tensor{}, err
	}
	if w, err = w.within(v, s.Shape); err != nil {
		return Tensor{}, err
	}
	p := newPatch(s.DType, w)
	err = w.lines(v, s.Shape, func(l line) error {
		if err := scan.elements(p.run, l.first, l.stride, int(l.n)); err != nil {
			return err
		}
		p.place(l)
		return nil
	})
	return p.tensor(), err
}

// Window is like Stored.Window, for a tensor in memory, which may have strings.
func (t Tensor) Window(v View, w Window) (Tensor, error) {
	if t.DType != String {
		s, err := t.Stored()
		if err != nil {
			return Tensor{}, err
		}
		return s.Window(v, w)
	}
	if err := t.Check(); err != nil {
		return Tensor{}, err
	}
	w, err := w.within(v, t.Shape)
	if err != nil {
		return Tensor{}, err
	}
	out := make([]string, w.Rows*w.Columns)
	err = w.lines(v, t.Shape, func(l line) error {
		for i := range l.n {
			out[l.to+i*l.step] = t.Strings[l.first+i*l.stride]
		}
		return nil
	})
	return FromStrings(out, w.Rows, w.Columns), err
}

// within returns the part of the window that is inside the matrix of a view.
func (w Window) within(v View, shape []int64) (Window, error) {
	if err := v.Check(shape); err != nil {
		return w, err
	}
	for axis := range shape {
		if v.reduces(axis) {
			return w, fmt.Errorf("axis %d has no index; to show single elements, give one index of every other axis", axis)
		}
	}
	if w.Row < 0 || w.Column < 0 || w.Rows < 0 || w.Columns < 0 {
		return w, fmt.Errorf("a window of %d×%d elements from row %d, column %d on; none of these can be negative", w.Rows, w.Columns, w.Row, w.Column)
	}
	rows, columns := v.Size(shape)
	if slices.Contains(shape, 0) {
		rows, columns = 0, 0
	}
	w.Rows = min(w.Rows, max(0, rows-w.Row))
	w.Columns = min(w.Columns, max(0, columns-w.Column))
	if w.Columns > 0 && w.Rows > maxWindow/w.Columns {
		return w, fmt.Errorf("a window of %d×%d elements, at most %d can be shown at a time", w.Rows, w.Columns, maxWindow)
	}
	return w, nil
}

// line is a sequence of n equally spaced elements of a tensor, with their positions in the tensor
// (first, stride) and in the window (to, step).
type line struct {
	first, stride int64
	to, step      int64
	n             int64
}

// lines splits a window into lines and calls do for each. Lines go along the later of the two axes,
// so that their elements are close together in the tensor. Their first elements have ascending
// positions.
func (w Window) lines(v View, shape []int64, do func(line) error) error {
	if w.Rows == 0 || w.Columns == 0 {
		return nil
	}
	by := strides(shape)
	base := int64(0)
	for axis, at := range v.At {
		if axis != v.Down && axis != v.Across {
			base += at * by[axis]
		}
	}
	down, across := int64(0), int64(0)
	if v.Down != NoAxis {
		down = by[v.Down]
	}
	if v.Across != NoAxis {
		across = by[v.Across]
	}
	base += w.Row*down + w.Column*across
	count, outer, jump := w.Rows, down, w.Columns
	l := line{stride: across, step: 1, n: w.Columns}
	if v.Down > v.Across {
		count, outer, jump = w.Columns, across, 1
		l = line{stride: down, step: w.Columns, n: w.Rows}
	}
	for i := range count {
		l.first, l.to = base+i*outer, i*jump
		if err := do(l); err != nil {
			return err
		}
	}
	return nil
}

// patch collects the elements of a window. Lines may be added in any order.
type patch struct {
	dtype DType
	Window
	run   []byte // the elements of one line
	cells []byte // all elements; those smaller than a byte have a byte each
}

func newPatch(d DType, w Window) *patch {
	size := int64(max(d.Bits(), 8) / 8)
	return &patch{d, w, make([]byte, size*max(w.Rows, w.Columns)), make([]byte, size*w.Rows*w.Columns)}
}

func (p *patch) place(l line) {
	width := p.dtype.Bits()
	if width < 8 {
		for i := range l.n {
			p.cells[l.to+i*l.step] = unpack(p.run, int(i), width)
		}
		return
	}
	size := int64(width / 8)
	for i := range l.n {
		copy(p.cells[(l.to+i*l.step)*size:], p.run[i*size:][:size])
	}
}

func (p *patch) tensor() Tensor {
	t := Tensor{DType: p.dtype, Shape: []int64{p.Rows, p.Columns}, Data: p.cells}
	if width := p.dtype.Bits(); width < 8 {
		t.Data = make([]byte, (len(p.cells)*width+7)/8)
		for i, code := range p.cells {
			pack(t.Data, i, width, code)
		}
	}
	return t
}

// Texts writes all elements in the form of ParseLiteral, with strings in quotes.
func (t Tensor) Texts() ([]string, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	return t.items()
}
