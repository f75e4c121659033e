package command

import (
	"runtime"
	"testing"
	"time"
)

// TestAfterCollection checks that afterCollection calls its function after each garbage collection
// until the function returns false.
func TestAfterCollection(t *testing.T) {
	asked := make(chan struct{}, 10)
	left := 3
	afterCollection(func() bool {
		left--
		asked <- struct{}{}
		return left > 0
	})
	for i := range 3 {
		runtime.GC()
		select {
		case <-asked:
		case <-time.After(10 * time.Second):
			t.Fatalf("asked %d times", i)
		}
	}
	runtime.GC()
	select {
	case <-asked:
		t.Error("asked after it said that that was enough")
	case <-time.After(50 * time.Millisecond):
	}
}
