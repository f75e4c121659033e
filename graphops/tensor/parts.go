package tensor

import (
	"runtime"
	"sync"
)

const (
	// float32Chunk is how many float32s are read at a time to find their range or to
	// quantize them.
	float32Chunk = 1 << 16
	// smallPart is the least that is worth a goroutine of its own.
	smallPart = 1 << 14
	// manyChannels is from how many channels on there is one part, because each has
	// a range for all of them.
	manyChannels = 1 << 16
)

// parts is in how many parts the work on a chunk is done.
func parts(channels int64) int {
	if channels >= manyChannels {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), float32Chunk/smallPart)
}

// sideBySide calls f with each of several parts [lo,hi) of n elements, at the same time,
// and gives the error of the first part that has one.
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
