package aside

import (
	"strings"
	"testing"
)

// TestStart returns the result as often as it is asked for.
func TestStart(t *testing.T) {
	wait := Start(func() int { return 7 })
	if a, b := wait(), wait(); a != 7 || b != 7 {
		t.Errorf("got %d and %d", a, b)
	}
}

// TestPanic raises a panic where the result is asked for, with the place where it happened, and
// nowhere else.
func TestPanic(t *testing.T) {
	wait := Start(func() int { return divided(1, 0) })
	Start(func() int { return divided(1, 0) }) // nobody asks
	defer func() {
		p, _ := recover().(string)
		if !strings.Contains(p, "divide by zero") || !strings.Contains(p, "aside.divided") {
			t.Errorf("got %q", p)
		}
	}()
	wait()
}

//go:noinline
func divided(a, b int) int { return a / b }
