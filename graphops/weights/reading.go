package weights

import (
	"context"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Progress is told how much of a pass is done, both in bytes, from the goroutine
// that called for the pass. It may be nil.
type Progress func(done, total int64)

// stepBytes is how much is read between two looks at the context.
const stepBytes = 1 << 20

// meter counts what a pass reads.
type meter struct {
	ctx         context.Context
	progress    Progress
	done, total int64
	next        int64 // when to look at the context again
}

func newMeter(ctx context.Context, total int64, progress Progress) *meter {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	return &meter{ctx: ctx, progress: progress, total: total}
}

// read counts n more bytes. An error is that of the context.
func (m *meter) read(n int64) error {
	m.done += n
	if m.done < m.next {
		return nil
	}
	m.next = m.done + stepBytes
	m.progress(min(m.done, m.total), m.total) // gaps that are read over count, too
	return m.ctx.Err()
}

// content is the elements of a tensor, opened for a pass.
type content struct {
	tensor.Stored
	payload graphops.Payload
	close   func()
}

// open finds the elements of a tensor of numbers without reading any.
func open(t *graphops.Tensor, m *meter) (*content, error) {
	p, err := t.Data()
	if err != nil {
		return nil, err
	}
	c := &content{tensor.Stored{DType: t.DType(), Shape: t.Dims()}, p, func() {}}
	at, ok := p.Reader().(io.ReaderAt)
	if !ok {
		f := newForward(p)
		at, c.close = f, f.close
	}
	c.Data = &counted{at, m}
	return c, nil
}

// stream reads all elements in order.
func (c *content) stream() io.Reader { return io.NewSectionReader(c.Data, 0, c.payload.Len()) }

// counted is a reader that a meter counts.
type counted struct {
	io.ReaderAt
	meter *meter
}

// ReadAt reads in pieces, so that a long read can be stopped as well.
func (c *counted) ReadAt(b []byte, offset int64) (int, error) {
	done := 0
	for done < len(b) {
		piece := b[done:min(len(b), done+stepBytes)]
		if err := c.meter.read(int64(len(piece))); err != nil {
			return done, err
		}
		n, err := c.ReaderAt.ReadAt(piece, offset+int64(done))
		done += n
		if err != nil && (n < len(piece) || done < len(b)) {
			return done, err
		}
	}
	return done, nil
}

// pass runs something over the elements of a tensor of numbers, of which it takes in
// so many.
func pass(ctx context.Context, t *graphops.Tensor, elements int64, progress Progress, do func(*content) error) error {
	size, err := t.DType().ByteLen(elements)
	if err != nil {
		return fmt.Errorf("tensor %q: %w", t.Name(), err)
	}
	m := newMeter(ctx, size, progress)
	c, err := open(t, m)
	if err != nil {
		return err
	}
	defer c.close()
	if err = ctx.Err(); err == nil {
		err = do(c)
	}
	if err == nil {
		err = c.payload.Unchanged()
	}
	if err != nil {
		return fmt.Errorf("tensor %q: %w", t.Name(), err)
	}
	m.progress(size, size)
	return nil
}
