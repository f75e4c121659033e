package tensor

import (
	"runtime"
	"sync"
)

const (
	// float32Chunk is the number of float32s read at once to find their range or to quantize them.
	float32Chunk = 1 << 16
	// smallPart is the smallest part for which a separate goroutine is worthwhile.
	smallPart = 1 << 14
	// manyChannels is the number of channels from which there is only one part, because each part
	// needs a range for all channels.
	manyChannels = 1 << 16
)

// parts returns the number of parts into which the work on a chunk is divided.
func parts(channels int64) int {
	if channels >= manyChannels {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), float32Chunk/smallPart)
}

// sideBySide calls f concurrently with several parts [lo,hi) of n elements, and returns the error
// of the first part with one.
func sideBySide(n, parts int, f func(part, lo, hi int) error) error {
	if parts = min(parts, n/smallPart); parts <= 1 {
		return f(0, 0, n)
	}
	errs := make([]error, parts)
	var wait sync.WaitGroup
	for i := range parts {
		wait.Go(func() { errs[i] = f(i, n*i/parts, n*(i+1)/parts) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
