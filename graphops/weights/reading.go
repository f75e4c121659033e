package weights

import (
	"context"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Progress is called with the number of bytes that a pass has read and the total number. It is
// called in the goroutine that started the pass. It may be nil.
type Progress func(done, total int64)

// stepBytes is the number of bytes after which a pass checks its context again.
const stepBytes = 1 << 20

// meter counts the bytes that a pass reads, reports progress, and checks the context.
type meter struct {
	ctx         context.Context
	progress    Progress
	done, total int64
	next        int64 // when to check the context again
}

func newMeter(ctx context.Context, total int64, progress Progress) *meter {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	return &meter{ctx: ctx, progress: progress, total: total}
}

// read counts n more bytes. It returns an error if the context is cancelled.
func (m *meter) read(n int64) error {
	m.done += n
	if m.done < m.next {
		return nil
	}
	m.next = m.done + stepBytes
	m.progress(min(m.done, m.total), m.total) // gaps that are read count too
	return m.ctx.Err()
}

// content has the elements of a numeric tensor while a pass reads them.
type content struct {
	tensor.Stored
	payload graphops.Payload
	close   func()
}

// open prepares the elements of a numeric tensor for reading. It reads none of them.
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

// stream returns a reader of all elements in order.
func (c *content) stream() io.Reader { return io.NewSectionReader(c.Data, 0, c.payload.Len()) }

// counted is an io.ReaderAt that counts the bytes that are read.
type counted struct {
	io.ReaderAt
	meter *meter
}

// ReadAt reads in steps, so that a long read can be cancelled.
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

// pass opens a numeric tensor and calls do with its elements. elements is the number of elements
// that do will read, which determines the total for progress.
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
