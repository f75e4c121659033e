package tensor

import (
	"errors"
	"fmt"
	"io"
)

const (
	// transposeBuffer is the number of integers that are computed before they are written. A larger
	// buffer needs fewer passes over the matrix, because each fill of the buffer reads all rows.
	transposeBuffer = 16 << 20
	// tileRows is the number of rows that are transposed together. In the result, they fill one
	// cache line.
	tileRows = 64
	// narrowRow is the number of columns up to which several whole rows are read at once, even if
	// only some of their columns are needed.
	narrowRow = 1024
)

// QuantizeTransposed quantizes a float32 matrix like Quantize and writes its transpose. by has one
// Affine for the whole matrix, or one for each row of src, which is a column of the output. Except
// for one byte per row, the memory it needs does not depend on the size of the matrix.
func QuantizeTransposed(dst io.Writer, src io.ReaderAt, rows, cols int64, to DType, by []Affine) error {
	if to.Bits() != 8 {
		return fmt.Errorf("a transposed matrix cannot be quantized to %s, expected i8 or u8", to)
	}
	c := OneChannel
	if len(by) != 1 {
		c.Count = rows
	}
	q, err := newQuantizer(to, c, by)
	if err != nil || rows == 0 {
		return err
	}
	t := transposer{quantizer: q, src: src, rows: rows, cols: cols}
	width := min(max(transposeBuffer/rows, 1), cols)
	out := make([]byte, width*rows)
	for first := int64(0); first < cols; first += width {
		t.width = min(width, cols-first)
		if err := t.columns(out, first); err != nil {
			return err
		}
		if _, err := dst.Write(out[:t.width*rows]); err != nil {
			return err
		}
	}
	return nil
}

type transposer struct {
	*quantizer
	src        io.ReaderAt
	rows, cols int64
	width      int64 // columns being processed
	raw, codes []byte
}

// columns computes t.width columns of the matrix, from column first on, as rows of out.
func (t *transposer) columns(out []byte, first int64) error {
	if t.codes == nil {
		t.codes = make([]byte, tileRows*t.width)
		t.raw = make([]byte, 4*max(t.width, tileRows*min(t.cols, narrowRow)))
	}
	for row := int64(0); row < t.rows; row += tileRows {
		n := min(tileRows, t.rows-row)
		if err := t.tile(row, n, first); err != nil {
			return fmt.Errorf("rows %d to %d of %d: %w", row, row+n, t.rows, err)
		}
		for column := range t.width {
			codes := t.codes[column:]
			for i := range n {
				out[column*t.rows+row+i] = codes[i*t.width]
			}
		}
	}
	return nil
}

// tile quantizes n rows, from the given row on, of the columns that start with first.
func (t *transposer) tile(row, n, first int64) error {
	if t.cols <= narrowRow {
		if err := t.read(n*t.cols, row*t.cols); err != nil {
			return err
		}
		for i := range n {
			t.quantizeRow(i, row+i, t.raw[4*(i*t.cols+first):])
		}
		return nil
	}
	for i := range n {
		if err := t.read(t.width, (row+i)*t.cols+first); err != nil {
			return err
		}
		t.quantizeRow(i, row+i, t.raw)
	}
	return nil
}

// read reads n numbers, starting with the one that has position at in the matrix.
func (t *transposer) read(n, at int64) error {
	raw := t.raw[:4*n]
	k, err := t.src.ReadAt(raw, 4*at)
	switch {
	case k == len(raw):
		return nil
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}

// quantizeRow quantizes the numbers in raw, which belong to the given row of the matrix, into line
// i of the tile.
func (t *transposer) quantizeRow(i, row int64, raw []byte) {
	t.round.At(row%t.channels.Count).Codes(t.codes[i*t.width:][:t.width], raw)
}
