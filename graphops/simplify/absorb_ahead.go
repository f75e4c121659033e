package simplify

import (
	"cmp"
	"io"
	"sync"
)

const (
	// aheadFrom is the size from which a constant is computed in parallel with writing it.
	aheadFrom = 256 << 10
	// aheadParts is the number of parts that may be computed in advance.
	aheadParts = 2
)

// ahead writes to to the n bytes that produce writes. For large constants, produce runs in another
// goroutine, so that the next part is computed while one is written. The goroutine has ended when
// ahead returns.
func ahead(to io.Writer, n int64, produce func(w io.Writer) error) error {
	if n < aheadFrom {
		return produce(to)
	}
	p := &parts{full: make(chan []byte, aheadParts), free: make(chan []byte, aheadParts+1), refused: make(chan struct{})}
	done := make(chan error, 1)
	go func() {
		err := produce(p)
		close(p.full)
		done <- err
	}()
	var refusal error
	for b := range p.full {
		if refusal == nil {
			if _, refusal = to.Write(b); refusal != nil {
				close(p.refused)
			}
		}
		p.free <- b
	}
	err := <-done
	for range len(p.free) {
		part := <-p.free
		spareParts.Put(&part)
	}
	return cmp.Or(refusal, err)
}

// spareParts contains *[]byte buffers for reuse by the next constant.
var spareParts sync.Pool

// parts passes what is written to it to another goroutine.
type parts struct {
	full, free chan []byte
	refused    chan struct{} // closed when no more is needed
	made       int
}

// Write implements io.Writer.
func (p *parts) Write(b []byte) (int, error) {
	var part []byte
	if p.made < cap(p.free) {
		p.made++
		if spare, ok := spareParts.Get().(*[]byte); ok {
			part = *spare
		}
	} else {
		part = <-p.free
	}
	select {
	case <-p.refused:
		return 0, io.ErrClosedPipe
	default:
	}
	p.full <- append(part[:0], b...)
	return len(b), nil
}
