package tensor

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
)

const (
	// float32Chunk is the number of float32s that are read at a time. A chunk and its result fit into
	// the second-level cache.
	float32Chunk = 1 << 16
	// mostWorkers bounds the memory for chunks. One core reads and writes at most as much as a few
	// of them convert.
	mostWorkers = 8
	// manyChannels is the number of channels from which only one worker finds ranges. Each worker
	// needs a range for all channels.
	manyChannels = 1 << 16
)

// workersFor returns how many chunks of n numbers are processed at a time. There is one more than
// processors, because one of them usually waits to read or write.
func workersFor(n int64) int {
	chunks := (n + float32Chunk - 1) / float32Chunk
	return int(max(min(int64(runtime.GOMAXPROCS(0)+1), mostWorkers, chunks), 1))
}

// chunkBuffers are kept for later calls, because a model has many weights.
var chunkBuffers = sync.Pool{New: func() any { return new(chunkBuffer) }}

type chunkBuffer struct{ raw, out [4 * float32Chunk]byte }

// chunk is a part of n float32s.
type chunk struct {
	at   int64  // position of the first number
	raw  []byte // the numbers, still encoded
	room []byte // for the result, as long as raw
}

// eachFloat32 calls f with successive parts of n float32s, and the position of the first in each
// part.
func eachFloat32(src io.Reader, n int64, f func(at int64, raw []byte) error) error {
	s := chunkStream{src: src, n: n}
	return s.run(1, func(_ int, c chunk) ([]byte, error) { return nil, f(c.at, c.raw) })
}

// scanFloat32 is eachFloat32 with several parts at a time. worker is below workers, and two calls
// with the same worker do not overlap. If several calls fail, it returns the error of the first part.
func scanFloat32(src io.Reader, n int64, workers int, f func(worker int, at int64, raw []byte) error) error {
	s := chunkStream{src: src, n: n}
	return s.run(workers, func(worker int, c chunk) ([]byte, error) { return nil, f(worker, c.at, c.raw) })
}

// convertFloat32 reads n float32s and writes what f makes of each part, in their order. f may use the
// room of the chunk for its result. Reading, f and writing overlap.
func convertFloat32(dst io.Writer, src io.Reader, n int64, f func(worker int, c chunk) ([]byte, error)) error {
	s := chunkStream{src: src, n: n, dst: dst}
	return s.run(workersFor(n), f)
}

// chunkStream reads float32s in chunks that several workers process. Only one of them reads at a
// time, and only one writes.
type chunkStream struct {
	src io.Reader
	n   int64
	dst io.Writer // nil if there are no results

	reading sync.Mutex
	at      int64         // of the next chunk
	last    chan struct{} // closed when the chunk that was read last is finished

	err error // of the first chunk that failed; only the worker whose turn it is uses it
}

// run starts workers and returns the error of the first chunk that fails. Chunks after that are not
// written.
func (s *chunkStream) run(workers int, f func(worker int, c chunk) ([]byte, error)) error {
	s.last = make(chan struct{})
	close(s.last)
	var wait sync.WaitGroup
	for i := range workers - 1 {
		wait.Go(func() { s.work(i+1, f) })
	}
	s.work(0, f)
	wait.Wait()
	return s.err
}

func (s *chunkStream) work(worker int, f func(worker int, c chunk) ([]byte, error)) {
	buffer := chunkBuffers.Get().(*chunkBuffer)
	defer chunkBuffers.Put(buffer)
	for {
		c, before, after, err := s.read(buffer)
		if after == nil {
			return
		}
		var out []byte
		if err == nil {
			out, err = f(worker, c)
		}
		<-before // the turn of this chunk
		if s.err == nil && err == nil && s.dst != nil {
			_, err = s.dst.Write(out)
		}
		if s.err == nil && err != nil {
			s.err = err
			s.stop()
		}
		close(after)
	}
}

// read reads the next chunk. before is closed when the chunk before it is finished, and the caller
// closes after. after is nil if there are no more chunks.
func (s *chunkStream) read(buffer *chunkBuffer) (c chunk, before <-chan struct{}, after chan<- struct{}, err error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.at >= s.n {
		return chunk{}, nil, nil, nil
	}
	size := 4 * min(s.n-s.at, float32Chunk)
	c = chunk{s.at, buffer.raw[:size], buffer.out[:size]}
	finished := make(chan struct{})
	before, after, s.last = s.last, finished, finished
	if _, err = io.ReadFull(s.src, c.raw); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		err = fmt.Errorf("%d of the tensor's %d numbers are missing: %w", s.n-s.at, s.n, err)
		s.at = s.n
		return c, before, after, err
	}
	s.at += size / 4
	return c, before, after, nil
}

// stop lets no worker read another chunk.
func (s *chunkStream) stop() {
	s.reading.Lock()
	defer s.reading.Unlock()
	s.at = s.n
}
