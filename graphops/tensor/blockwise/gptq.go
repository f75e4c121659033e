package blockwise

import (
	"context"
	"fmt"
)

// Compensated is a matrix that was quantized with a Compensation.
type Compensated struct {
	Measured // with scales and zero points
	Codes    []byte
}

// Compensate quantizes the matrix row by row. What a row loses is made up for in the rows that are
// quantized after it, as GPTQ does. A block has the scale that the numbers have when its first row is
// quantized; if rows are quantized in another order than that of the matrix, it is the scale of the
// original numbers.
//
// It reads strips of columns, whose results do not depend on each other. The result is held in memory.
func (m Matrix) Compensate(ctx context.Context, by *Compensation, progress func(read int64)) (*Compensated, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.Method != Nearest || m.Turned || int64(by.n) != m.Rows {
		return nil, fmt.Errorf("a matrix of %d rows cannot be compensated with data of %d", m.Rows, by.n)
	}
	out := &Compensated{Codes: make([]byte, m.Len(Codes))}
	out.Error.Elements, out.Error.Worst = m.Rows*m.Cols, -1
	out.ZeroPoints = make([]byte, m.Len(ZeroPoints))
	scales := make([]float32, m.Cols*m.Blocks())
	lost := make([]blockErrors, m.Cols)
	src := &source{ctx: ctx, data: m.Data, elem: m.Elem, progress: progress}
	width := min(m.Cols, max(tileElements/m.Rows, leastWidth))
	tile := make([]float32, m.Rows*width)
	for first := int64(0); first < m.Cols; first += width {
		n := min(width, m.Cols-first)
		for row := range m.Rows {
			if err := src.read(tile[row*n:(row+1)*n], row*m.Cols+first); err != nil {
				return nil, err
			}
		}
		sideBySide(n, m.Rows*m.Rows*n, func(lo, hi int64) {
			s := strip{m: &m, by: by, tile: tile, stride: n, scales: scales, lost: lost, out: out}
			for ; lo < hi; lo += stripWidth {
				s.quantize(first, lo, min(stripWidth, hi-lo))
			}
		})
	}
	for i, x := range scales {
		if !isFinite(x) {
			return nil, &RangeError{Index: m.position(int64(i)%m.Blocks()*m.Size, int64(i)/m.Blocks()), Scale: x}
		}
	}
	out.Scales = m.encode(nil, scales)
	for i := range lost {
		out.add(&lost[i], int64(i))
	}
	out.finish(m.Cols)
	return out, nil
}

// stripWidth is how many columns are quantized at once, so that they stay in the cache of a processor.
const stripWidth = 32

// strip is some columns of a matrix while they are quantized.
type strip struct {
	m      *Matrix
	by     *Compensation
	tile   []float32 // rows of stride numbers
	stride int64
	scales []float32 // of the whole matrix
	lost   []blockErrors
	out    *Compensated

	first, n int64     // columns of the matrix
	left     int64     // the first column in the tile
	w        []float64 // rows of n numbers, in the order in which they are quantized
	errors   []float64 // of the rows of one step
	grids    []grid    // by block and column
	codes    []byte    // by column and row of the matrix
}

// quantize quantizes n columns from position left of the tile on, whose first column is that of the
// matrix.
func (s *strip) quantize(first, left, n int64) {
	m := s.m
	s.first, s.left, s.n = first+left, left, n
	s.w, s.errors = sized(s.w, m.Rows*n), sized(s.errors, m.Size*n)
	s.grids, s.codes = sized(s.grids, m.Blocks()*n), sized(s.codes, m.Rows*n)
	for i := range m.Rows {
		for c := range n {
			s.w[i*n+c] = float64(s.tile[s.row(i)*s.stride+left+c])
		}
	}
	if s.by.order != nil {
		for block := range m.Blocks() {
			s.fit(block, func(row, c int64) float32 { return s.tile[row*s.stride+left+c] })
		}
	}
	for from := int64(0); from < m.Rows; from += m.Size {
		to := min(from+m.Size, m.Rows)
		if s.by.order == nil {
			s.fit(from/m.Size, func(row, c int64) float32 { return float32(s.w[row*n+c]) })
		}
		for i := from; i < to; i++ {
			s.quantizeRow(i, from, to)
		}
		s.propagate(from, to)
	}
	for c := range n {
		s.store(c)
	}
}

// row returns the row of the matrix that is quantized as row i.
func (s *strip) row(i int64) int64 {
	if s.by.order == nil {
		return i
	}
	return int64(s.by.order[i])
}

// fit finds the grids of a block from the numbers that at returns. Rows that were multiplied with 0 only
// do not widen the range, unless there are no others.
func (s *strip) fit(block int64, at func(row, c int64) float32) {
	m := s.m
	var room, all [256]float32
	from, to := block*m.Size, min((block+1)*m.Size, m.Rows)
	for c := range s.n {
		alive, all := room[:0], all[:0]
		for row := from; row < to; row++ {
			x := at(row, c)
			if all = append(all, x); !s.by.dead[row] {
				alive = append(alive, x)
			}
		}
		if len(alive) == 0 {
			alive = all
		}
		s.grids[block*s.n+c] = m.fit(bounds(alive))
	}
}

// quantizeRow quantizes row i and changes the rows after it up to row to. from is the first row of the
// step.
func (s *strip) quantizeRow(i, from, to int64) {
	n, k := s.n, int64(s.by.n)
	row, full := s.row(i), s.m.full()
	upper := s.by.upper[i*k:]
	w, lost := s.w[i*n:(i+1)*n], s.errors[(i-from)*n:(i-from+1)*n]
	for c := range n {
		g := &s.grids[row/s.m.Size*n+c]
		code := g.code(float32(w[c]), full)
		s.codes[c*s.m.Rows+row] = code
		lost[c] = (w[c] - float64(g.scale)*(float64(code)-float64(g.zero))) / upper[i]
	}
	for j := i + 1; j < to; j++ {
		subtract(s.w[j*n:(j+1)*n], lost, upper[j])
	}
}

// propagate changes the rows from row to on by what the rows before it lost, from row from on.
func (s *strip) propagate(from, to int64) {
	n, k := s.n, int64(s.by.n)
	for j := to; j < k; j++ {
		w := s.w[j*n : (j+1)*n]
		i := from
		for ; i+4 <= to; i += 4 {
			e := s.errors[(i-from)*n:]
			p, q, r, t := e[:n], e[n:2*n], e[2*n:3*n], e[3*n:4*n]
			a, b, c, d := s.by.upper[i*k+j], s.by.upper[(i+1)*k+j], s.by.upper[(i+2)*k+j], s.by.upper[(i+3)*k+j]
			for x := range w {
				w[x] -= a*p[x] + b*q[x] + c*r[x] + d*t[x]
			}
		}
		for ; i < to; i++ {
			subtract(w, s.errors[(i-from)*n:(i-from+1)*n], s.by.upper[i*k+j])
		}
	}
}

// store packs the codes of a column, and measures what its numbers lost.
func (s *strip) store(c int64) {
	m := s.m
	column := s.first + c
	codes := s.codes[c*m.Rows : (c+1)*m.Rows]
	var room [256]float32
	for block := range m.Blocks() {
		from, g := block*m.Size, s.grids[block*s.n+c]
		list := codes[from:min(from+m.Size, m.Rows)]
		to := s.out.Codes[(column*m.Blocks()+block)*m.BlockBytes():][:m.BlockBytes()]
		w := room[:0]
		for i, code := range list {
			to[i*m.Bits/8] |= code << (i * m.Bits % 8)
			w = append(w, s.tile[(from+int64(i))*s.stride+s.left+c])
		}
		m.measureCodes(&s.lost[column], w, list, g, func(i int) int64 { return m.position(from+int64(i), column) })
		s.scales[column*m.Blocks()+block] = g.scale
		if !m.Symmetric {
			m.putZero(s.out.ZeroPoints[column*m.ZeroBytes():(column+1)*m.ZeroBytes()], block, byte(g.zero))
		}
	}
}
