package weights

import (
	"errors"
	"fmt"
	"io"

	"lathe/graphops"
)

// forward is an io.ReaderAt for a payload that is computed while it is read. Offsets must be
// ascending. Bytes that are skipped are computed and discarded, so that they need no memory.
type forward struct {
	r    *io.PipeReader
	at   int64
	done chan struct{}
}

// errEnough stops the computation of a payload when no more of it is needed.
var errEnough = errors.New("enough was read")

func newForward(p graphops.Payload) *forward {
	r, w := io.Pipe()
	f := &forward{r: r, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		_, err := p.WriteTo(w)
		w.CloseWithError(err)
	}()
	return f
}

// ReadAt implements io.ReaderAt for ascending offsets.
func (f *forward) ReadAt(b []byte, offset int64) (int, error) {
	if offset < f.at {
		return 0, fmt.Errorf("byte %d cannot be read after byte %d: these elements are computed in order", offset, f.at)
	}
	skipped, err := io.CopyN(io.Discard, f.r, offset-f.at)
	f.at += skipped
	if err != nil {
		return 0, err
	}
	n, err := io.ReadFull(f.r, b)
	f.at += int64(n)
	return n, err
}

// close stops the computation and waits for its end.
func (f *forward) close() {
	f.r.CloseWithError(errEnough)
	<-f.done
}
