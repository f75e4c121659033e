package half

import (
	"context"
	"fmt"
	"io"
	"sync"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// tally has the changes of the numbers of one constant, which the first conversion of all of them
// finds out. So a weight need not be read for the report if the result is saved anyway.
type tally struct {
	mu    sync.Mutex
	known bool
	found tensor.Narrowed
}

func (t *tally) set(found tensor.Narrowed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.found = true, found
}

func (t *tally) get() (found tensor.Narrowed, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.found, t.known
}

// source is the original of a converted constant.
type source struct {
	tensor  *graphops.Tensor
	by      tensor.Narrowing
	changes *tally
}

// converted returns the numbers in the target type, computed each time they are read.
func (s source) converted(data graphops.Payload) graphops.Payload {
	n := data.Len() / 4
	return graphops.TransformPayload(2*n, func(w io.Writer) error {
		found, err := s.by.Write(w, data.Reader(), n)
		if err == nil {
			s.changes.set(found)
		}
		return err
	})
}

// Count completes Weights with the numbers that changed by more than rounding. It does not read the
// weights that were counted while the result was saved or run. progress, if not nil, is
// called with the number of bytes read so far, and with the total.
func (r *Report) Count(ctx context.Context, progress func(done, total int64)) error {
	m := &meter{ctx: ctx, hear: progress}
	for _, w := range r.Weights {
		if _, known := w.source.changes.get(); !known {
			m.total += 4 * w.Elements
		}
	}
	for i := range r.Weights {
		if err := r.Weights[i].count(m); err != nil {
			return fmt.Errorf("weight %q: %w", r.Weights[i].Name, err)
		}
	}
	return ctx.Err()
}

func (w *Weight) count(m *meter) error {
	found, known := w.source.changes.get()
	if !known {
		data, err := w.source.tensor.Data()
		if err != nil {
			return err
		}
		m.src = data.Reader()
		if found, err = w.source.by.Count(m, data.Len()/4); err != nil {
			return err
		}
		w.source.changes.set(found)
	}
	w.Narrowed = found
	return nil
}

// meter is a reader that reports progress, and fails when the context is cancelled.
type meter struct {
	ctx         context.Context
	src         io.Reader
	done, total int64
	hear        func(done, total int64)
}

// Read implements io.Reader.
func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.src.Read(p)
	m.done += int64(n)
	if m.hear != nil {
		m.hear(m.done, m.total)
	}
	return n, err
}
