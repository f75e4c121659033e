package ort

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
)

func TestIsAboutMemory(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("shapes do not fit"), false},
		{errors.New("Failed to allocate memory for requested buffer of size 7"), true},
		{fmt.Errorf("running: %w", &CrashError{Signal: syscall.SIGKILL}), true},
		{&CrashError{Signal: syscall.SIGSEGV}, false},
	} {
		if got := IsAboutMemory(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}
