package sandbox

import (
	"fmt"
	"os"
	"strings"

	"github.com/elastic/go-seccomp-bpf"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"lathe/session/ort/ep"
	"lathe/session/ort/wire"
)

// maxFile limits each file that a worker writes: a graph, weights, a profile, a model from the client.
// It is larger than any of these and keeps an endless one from filling a large disk.
const maxFile = 256 << 30

// Begin limits this process before it loads foreign code. What the process inherited and does not
// need is closed, and from now on no other program starts, no connection is made, and no file is
// written outside the folder for temporary files. With Require, a missing part is an error. With Off,
// nothing happens.
//
// The handler of SIGSYS must be in place, because refused system calls raise that signal.
func Begin(mode Mode) (*Box, error) {
	b := &Box{off: mode == Off, self: -1}
	if b.off {
		return b, nil
	}
	landlocked := hasLandlock()
	if !landlocked {
		b.Missing = append(b.Missing, "Landlock, which limits access to files")
	}
	filtered := seccomp.Supported()
	if !filtered {
		b.Missing = append(b.Missing, "seccomp, which limits system calls")
	}
	if mode == Require && len(b.Missing) > 0 {
		return nil, fmt.Errorf("--sandbox=require: this system lacks %s", strings.Join(b.Missing, ", and "))
	}
	if err := closeInherited(); err != nil {
		return nil, err
	}
	if err := forbidDumps(); err != nil {
		return nil, fmt.Errorf("forbidding core dumps: %w", err)
	}
	if err := limitFiles(maxFile); err != nil {
		return nil, err
	}
	if landlocked {
		if err := b.begin(); err != nil {
			return nil, err
		}
	}
	if !filtered {
		return b, nil
	}
	return b, filter(policy(true, everyCall()...))
}

// hasLandlock reports whether the kernel has Landlock and it is switched on.
func hasLandlock() bool {
	version, err := ll.LandlockGetABIVersion()
	return err == nil && version > 0
}

// begin limits writing. Everything can be read, because the model is not known yet.
func (b *Box) begin() (err error) {
	if b.self, err = unix.Open("/proc/self", unix.O_PATH|unix.O_CLOEXEC, 0); err != nil {
		return fmt.Errorf("opening this process's folder: %w", err)
	}
	r := &rules{}
	r.add(reading, "/")
	r.add(device, "/dev")
	r.add(writing, os.TempDir(), "/dev/shm")
	return r.apply()
}

// Narrow limits this process to what one model needs. library is the path of the runtime, scratch the
// folder of the worker's own files, or "". A later call must need no more than the first one, or it
// returns a NotCoveredError. Without allow, the model is Lathe's own and nothing changes.
func (b *Box) Narrow(library, scratch string, allow *wire.Allow) error {
	if b.off || allow == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.allowed != nil {
		if !b.allowed.Covers(allow) {
			return NotCoveredError{}
		}
		return nil
	}
	if hasLandlock() {
		r, err := rulesFor(library, scratch, allow)
		if err != nil {
			return err
		}
		defer r.release()
		if err := r.apply(); err != nil {
			return err
		}
	}
	b.allowed = allow
	if !seccomp.Supported() {
		return nil
	}
	var calls []string
	for _, name := range allow.Providers {
		if name != ep.CPU {
			calls = append(calls, additionOf(name).calls...)
		}
	}
	return filter(policy(false, calls...))
}
