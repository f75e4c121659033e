package evaluate

import (
	"io"

	"lathe/graphops/tensor"
)

// pieces writes parts of a tensor one after the other through a buffer.
type pieces struct {
	w   io.Writer
	buf []byte
}

// gather writes, for each row of the data, the pieces with the indices in list. rows is the number
// of rows, and row and piece are sizes in bytes.
func (p *pieces) gather(from io.ReaderAt, rows, row, piece int64, list []int64) error {
	for i := range rows {
		for _, k := range list {
			if err := p.add(from, i*row+k*piece, piece); err != nil {
				return err
			}
		}
	}
	return nil
}

// gatherRead is like gather, but reads rows as a whole, and several small ones at once.
func (p *pieces) gatherRead(from io.ReaderAt, rows, row, piece int64, list []int64) error {
	together := min(max(1, inMemory/row), rows)
	buf := make([]byte, together*row)
	for i := int64(0); i < rows; i += together {
		n := min(together, rows-i)
		if got, err := from.ReadAt(buf[:n*row], i*row); int64(got) < n*row {
			return err
		}
		if err := p.gather(tensor.Memory(buf), n, row, piece, list); err != nil {
			return err
		}
	}
	return nil
}

// add writes n bytes of the data from offset at on.
func (p *pieces) add(from io.ReaderAt, at, n int64) error {
	for end := at + n; at < end; {
		if len(p.buf) == cap(p.buf) {
			if err := p.flush(); err != nil {
				return err
			}
		}
		to := len(p.buf)
		part := min(end-at, int64(cap(p.buf)-to))
		p.buf = p.buf[:to+int(part)]
		if got, err := from.ReadAt(p.buf[to:], at); int64(got) < part {
			return err
		}
		at += part
	}
	return nil
}

func (p *pieces) flush() error {
	_, err := p.w.Write(p.buf)
	p.buf = p.buf[:0]
	return err
}
