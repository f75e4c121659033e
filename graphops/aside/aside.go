package aside

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Start calls f in another goroutine. The function that it returns waits for the result, and may be
// called several times, or never.
func Start[T any](f func() T) (wait func() T) {
	done := make(chan outcome[T], 1)
	go func() {
		var o outcome[T]
		defer func() {
			if p := recover(); p != nil {
				o.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			done <- o
		}()
		o.value = f()
	}()
	return sync.OnceValue(func() T {
		o := <-done
		if o.panicked != "" {
			panic(o.panicked)
		}
		return o.value
	})
}

// outcome is what became of a call.
type outcome[T any] struct {
	value    T
	panicked string // what it panicked with, and where
}
