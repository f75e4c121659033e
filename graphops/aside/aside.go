package aside

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Start calls f in another goroutine. The function that it returns waits for the result, and may be
// called several times, or never.
func Start[T any](f func() (T, error)) (wait func() (T, error)) {
	done := make(chan outcome[T], 1)
	go func() {
		var o outcome[T]
		defer func() {
			if p := recover(); p != nil {
				o.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			done <- o
		}()
		o.value, o.err = f()
	}()
	return sync.OnceValues(func() (T, error) {
		o := <-done
		if o.panicked != "" {
			panic(o.panicked)
		}
		return o.value, o.err
	})
}

// outcome is what became of a call.
type outcome[T any] struct {
	value    T
	err      error
	panicked string // what it panicked with, and where
}
