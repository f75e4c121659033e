package aside

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestStart returns the result as often as it is asked for.
func TestStart(t *testing.T) {
	wait := Start(func() (int, error) { return 7, io.EOF })
	for range 2 {
		if n, err := wait(); n != 7 || !errors.Is(err, io.EOF) {
			t.Errorf("got %d, %v", n, err)
		}
	}
}

// TestPanic raises a panic where the result is asked for, with the place where it happened, and
// nowhere else.
func TestPanic(t *testing.T) {
	wait := Start(func() (int, error) { return divided(1, 0), nil })
	Start(func() (int, error) { return divided(1, 0), nil }) // nobody asks
	defer func() {
		p, _ := recover().(string)
		if !strings.Contains(p, "divide by zero") || !strings.Contains(p, "aside.divided") {
			t.Errorf("got %q", p)
		}
	}()
	_, _ = wait()
}

//go:noinline
func divided(a, b int) int { return a / b }
