package graphtest

import (
	"runtime"
	"testing"
	"time"
)

// NoMoreGoroutines fails a test if more goroutines than before are still running after ten
// seconds. It waits because a goroutine that has announced its end is counted until the
// scheduler has removed it.
func NoMoreGoroutines(t testing.TB, before int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		time.Sleep(5 * time.Millisecond)
	}
}
