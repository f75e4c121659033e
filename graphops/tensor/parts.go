package tensor

import (
	"runtime"
	"sync"
)

const (
	// float32Chunk is the number of float32s that are read at a time to find their range or to
	// quantize them.
	float32Chunk = 1 << 16
	// smallPart is the smallest number of elements for which a separate goroutine is worthwhile.
	smallPart = 1 << 14
	// manyChannels is the number of channels from which a chunk is not divided among goroutines.
	// Each of them would need a range for all channels.
	manyChannels = 1 << 16
)

// parts returns the number of parts into which a chunk is divided, to be processed concurrently.
func parts(channels int64) int {
	if channels >= manyChannels {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), float32Chunk/smallPart)
}

// sideBySide divides n elements into parts [lo,hi) and calls f for all of them concurrently. If
// several calls fail, it returns the error of the first part.
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
