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

// TestPercent makes collections rare for small heaps and for those of large graphs, and frequent for
// heaps of tensors.
func TestPercent(t *testing.T) {
	for _, c := range []struct {
		live      uint64
		manyNodes bool
		want      int
	}{
		{1 << 20, false, lazyPercent},
		{100 << 20, false, 100},
		{300 << 20, false, largePercent},
		{1 << 20, true, lazyPercent},
		{300 << 20, true, lazyPercent},
		{600 << 20, true, 100},
	} {
		if got := percentAt(c.live, c.manyNodes); got != c.want {
			t.Errorf("%d bytes, many nodes: %v: %d, expected %d", c.live, c.manyNodes, got, c.want)
		}
	}
}
