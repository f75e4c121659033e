package blockwise

import (
	"context"
	"errors"
	"io"
)

// Matrix is a matrix of Rows×Cols numbers whose columns are quantized in blocks of adjacent rows, in
// the layout of MatMulNBits: codes are [Cols, blocks, bytes of a block], scales [Cols, blocks], and zero
// points [Cols, bytes of the zero points of a column].
type Matrix struct {
	Rule
	Rows, Cols int64
	// Turned says that Data has the columns one after the other, and not the rows.
	Turned bool
	Method Method
	// Iterations is how often HQQ moves the zero points. If it is 0, it is found by reading the matrix
	// once more.
	Iterations int
	// Fits are what the Method found for the blocks, column by column, if that is known.
	Fits []Fit
	Data io.ReaderAt
}

// Blocks returns the number of blocks of a column.
func (m Matrix) Blocks() int64 { return (m.Rows + m.Size - 1) / m.Size }

// BlockBytes returns the number of bytes of the codes of a block.
func (m Matrix) BlockBytes() int64 { return (m.Size + m.perByte() - 1) / m.perByte() }

// ZeroBytes returns the number of bytes of the zero points of a column. Those of HQQ have the type of
// the scales.
func (m Matrix) ZeroBytes() int64 {
	if m.Method == HQQ {
		return m.Blocks() * widths[m.Elem]
	}
	return (m.Blocks() + m.perByte() - 1) / m.perByte()
}

// Len implements Weight.
func (m Matrix) Len(part Part) int64 {
	switch {
	case part == Codes:
		return m.Cols * m.Blocks() * m.BlockBytes()
	case part == Scales:
		return m.Cols * m.Blocks() * widths[m.Elem]
	case m.Symmetric:
		return 0
	}
	return m.Cols * m.ZeroBytes()
}

// Write implements Weight.
func (m Matrix) Write(ctx context.Context, w io.Writer, part Part) error {
	m, _, err := m.settled(ctx, nil)
	if err != nil {
		return err
	}
	return m.each(ctx, panel{codes: part == Codes}, nil, func(p *panel) error {
		b := p.packed
		switch part {
		case Scales:
			b = m.encode(nil, p.scales)
		case ZeroPoints:
			b = p.zeroPoints()
		}
		_, err := w.Write(b)
		return err
	})
}

// Measure implements Weight.
func (m Matrix) Measure(ctx context.Context, keep bool, progress func(read int64)) (Measured, error) {
	var out Measured
	out.Error.Elements, out.Error.Worst = m.Rows*m.Cols, -1
	m, progress, err := m.settled(ctx, progress)
	if err != nil {
		return out, err
	}
	out.Iterations = m.Iterations
	err = m.each(ctx, panel{measures: true}, progress, func(p *panel) error {
		if keep {
			out.Scales = m.encode(out.Scales, p.scales)
			out.ZeroPoints = append(out.ZeroPoints, p.zeroPoints()...)
			out.Fits = append(out.Fits, p.fits...)
		}
		for i := range p.n {
			out.add(&p.errors[i], p.first+i)
		}
		return nil
	})
	out.finish(m.Cols)
	return out, err
}

// panelBytes is how many bytes of codes are held. Tests lower it.
var panelBytes int64 = 16 << 20

// panel is some adjacent columns of a matrix, and what they become.
type panel struct {
	codes, measures bool // what is computed besides scales and zero points
	settles         bool // only residues are computed

	m         Matrix
	src       *source
	first, n  int64 // columns
	tile      []float32
	tileRows  int64
	rowStride int64 // between the rows of a column in the tile
	colStride int64
	packed    []byte
	scales    []float32
	zeros     []byte
	errors    []blockErrors
	fits      []Fit                    // if the matrix has a Method other than Nearest
	residues  [][hqqIterations]float64 // sums of the errors of each column
}

// each computes the panels of the matrix in order.
func (m Matrix) each(ctx context.Context, p panel, progress func(int64), emit func(*panel) error) error {
	if err := errors.Join(m.check(), m.checkMethod()); err != nil || m.Rows == 0 {
		return err
	}
	p.m, p.src = m, &source{ctx: ctx, data: m.Data, elem: m.Elem, progress: progress}
	width := p.measure()
	for p.first = 0; p.first < m.Cols; p.first += width {
		p.n = min(width, m.Cols-p.first)
		if err := p.fill(); err != nil {
			return err
		}
		if err := emit(&p); err != nil {
			return err
		}
	}
	return nil
}

// leastWidth is the minimum number of columns of a panel, so that a read is not too short.
const leastWidth = 16

// measure chooses the size of panels and tiles, and returns the number of columns of a panel.
func (p *panel) measure() int64 {
	m := &p.m
	held := panelBytes / max(m.Blocks()*m.BlockBytes(), 1)
	if m.Turned {
		p.tileRows = min(m.Rows, max(tileElements/m.Size, 1)*m.Size)
		return min(m.Cols, max(min(held, tileElements/p.tileRows), 1))
	}
	width := min(m.Cols, max(min(held, tileElements/m.Size), leastWidth))
	p.tileRows = min(m.Rows, max(tileElements/(width*m.Size), 1)*m.Size)
	return width
}

// fill computes the columns of the panel.
func (p *panel) fill() error {
	m := &p.m
	p.scales = resized(p.scales, p.n*m.Blocks())
	p.zeros = resized(p.zeros, m.Len(ZeroPoints)/m.Cols*p.n)
	if p.codes {
		p.packed = resized(p.packed, p.n*m.Blocks()*m.BlockBytes())
	}
	p.errors = resized(p.errors, p.n)
	if m.Method != Nearest {
		p.fits = sized(p.fits, p.n*m.Blocks())
	}
	if p.settles {
		p.residues = resized(p.residues, p.n)
	}
	for row := int64(0); row < m.Rows; row += p.tileRows {
		rows := min(p.tileRows, m.Rows-row)
		if err := p.load(row, rows); err != nil {
			return err
		}
		sideBySide(p.n, p.n*rows, func(lo, hi int64) {
			s := m.solver()
			for c := lo; c < hi; c++ {
				p.column(s, c, row, rows)
			}
		})
	}
	if p.settles {
		return nil
	}
	return p.check()
}

// check returns an error for a block whose scale or zero point is not finite.
func (p *panel) check() error {
	for i, x := range p.scales {
		if p.m.Method == HQQ && isFinite(x) {
			x = p.m.stored(p.fits[i].zero)
		}
		if !isFinite(x) {
			column, block := p.first+int64(i)/p.m.Blocks(), int64(i)%p.m.Blocks()
			return &RangeError{Index: p.m.position(block*p.m.Size, column), Scale: x}
		}
	}
	return nil
}

// position returns the index of an element in the data.
func (m *Matrix) position(row, col int64) int64 {
	if m.Turned {
		return col*m.Rows + row
	}
	return row*m.Cols + col
}

// padding separates the rows of a tile. Otherwise the rows of a column compete for the same lines of the
// processor's cache if the number of columns is a power of two.
const padding = 16

// load reads the given rows of the panel into the tile.
func (p *panel) load(row, rows int64) error {
	m := &p.m
	if m.Turned {
		p.rowStride, p.colStride = 1, rows
		p.tile = sized(p.tile, p.n*rows)
		if rows == m.Rows {
			return p.src.read(p.tile, p.first*rows)
		}
		for c := range p.n {
			if err := p.src.read(p.tile[c*rows:(c+1)*rows], m.position(row, p.first+c)); err != nil {
				return err
			}
		}
		return nil
	}
	p.rowStride, p.colStride = p.n+padding, 1
	if p.n == m.Cols {
		p.rowStride = p.n
		p.tile = sized(p.tile, p.n*rows)
		return p.src.read(p.tile, row*m.Cols)
	}
	p.tile = sized(p.tile, p.rowStride*rows)
	for i := range rows {
		if err := p.src.read(p.tile[i*p.rowStride:][:p.n], m.position(row+i, p.first)); err != nil {
			return err
		}
	}
	return nil
}

// column quantizes the blocks of a column that begin in the tile.
func (p *panel) column(s *solver, c, row, rows int64) {
	m := &p.m
	var room [256]float32
	w := room[:]
	if m.Size > int64(len(room)) {
		w = make([]float32, m.Size)
	}
	for at := int64(0); at < rows; at += m.Size {
		n := min(m.Size, rows-at)
		if p.rowStride == 1 {
			w = p.tile[c*p.colStride+at:][:n]
		} else {
			w = w[:n]
			from := p.tile[at*p.rowStride+c:]
			for i := range w {
				w[i] = from[int64(i)*p.rowStride]
			}
		}
		switch block := (row + at) / m.Size; {
		case p.settles:
			s.hqq(s.pad(w), p.first+c, hqqIterations, &p.residues[c])
		case m.Method != Nearest:
			p.solved(s, w, c, block)
		default:
			p.block(w, c, block)
		}
	}
}

// zeroPoints returns the zero points of the panel as they are stored.
func (p *panel) zeroPoints() []byte {
	if p.m.Method != HQQ {
		return p.zeros
	}
	p.zeros = p.zeros[:0]
	for _, f := range p.fits {
		p.zeros = p.m.encode(p.zeros, []float32{p.m.stored(f.zero)})
	}
	return p.zeros
}

// block quantizes a block of a column.
func (p *panel) block(w []float32, c, block int64) {
	m := &p.m
	g := m.fit(bounds(w))
	p.scales[c*m.Blocks()+block] = g.scale
	if len(p.zeros) > 0 {
		m.putZero(p.zeros[c*m.ZeroBytes():(c+1)*m.ZeroBytes()], block, byte(g.zero))
	}
	if p.measures {
		m.measure(&p.errors[c], w, g, func(i int) int64 { return m.position(block*m.Size+int64(i), p.first+c) })
	}
	if !p.codes {
		return
	}
	at := (c*m.Blocks() + block) * m.BlockBytes()
	m.pack(p.packed[at:at+m.BlockBytes()], w, g)
	if rest := int64(len(w)) % m.perByte(); rest > 0 {
		p.leftOver(at, int64(len(w))/m.perByte(), rest, block)
	}
}

// leftOver fills the last byte of a column whose number of rows does not fill whole bytes. No kernel reads
// the rest of the byte. The reference leaves in it what the byte before has there, unless that byte
// belongs to blocks that another of its tasks computes. at is where the block begins, and full is how
// many of its bytes come before the last one.
func (p *panel) leftOver(at, full, rest, block int64) {
	if full == 0 && block%p.m.perByte() == 0 {
		return
	}
	at += full
	before := at - 1 // also in the block before, whose codes fill all of its bytes
	p.packed[at] |= p.packed[before] &^ (byte(1)<<(rest*int64(p.m.Bits)) - 1)
}

// putZero stores the zero point of a block. The last byte of a column may have room for more zero
// points than there are blocks; these are in the middle.
func (m *Matrix) putZero(zeros []byte, block int64, zero byte) {
	per := m.perByte()
	at, shift := block/per, int(block%per)*m.Bits
	if shift == 0 {
		filler := byte(m.middle())
		for i := m.Bits; i < 8; i += m.Bits {
			zeros[at] |= filler << i
		}
	}
	mask := byte(int(1)<<m.Bits-1) << shift
	zeros[at] = zeros[at]&^mask | zero<<shift
}

// resized returns n zeros, in the memory of list if it has room.
func resized[T any](list []T, n int64) []T {
	list = sized(list, n)
	clear(list)
	return list
}

// sized returns n elements with any content.
func sized[T any](list []T, n int64) []T {
	if int64(cap(list)) < n {
		return make([]T, n)
	}
	return list[:n]
}
