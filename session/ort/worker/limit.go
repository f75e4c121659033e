//go:build cgo

package worker

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"lathe/session/ort/wire"
)

// watchEvery is how often the memory in use is looked at. A machine fills some
// 200 MB in the time; a look takes 30 µs.
const watchEvery = 20 * time.Millisecond

// limiter keeps the process within a memory limit, in two ways. A request for too
// much at once fails inside the runtime, which says what it was for. What grows
// bit by bit ends the process.
type limiter struct {
	limit int64 // bytes on top of base; 0 for none
	base  usage // before the library was loaded
	set   bool  // the system refuses what is above
}

// usage is memory in bytes, as proc(5) counts it.
type usage struct {
	data     int64 // VmData: private and writable, touched or not
	resident int64 // RssAnon: private and in memory
}

func newLimiter(limit int64) (*limiter, error) {
	l := &limiter{limit: limit}
	if limit <= 0 {
		return l, nil
	}
	var err error
	l.base, err = memoryUsage()
	return l, err
}

// watch ends the process through end when the limit is passed.
func (l *limiter) watch(end func(reason string)) {
	if l.limit <= 0 {
		return
	}
	for range time.Tick(watchEvery) {
		now, err := memoryUsage()
		if err == nil && now.resident-l.base.resident > l.limit {
			end(fmt.Sprintf("it passed the memory limit of %d bytes, with %d in use", l.limit, now.resident-l.base.resident))
			return
		}
	}
}

// enforce has the system refuse what goes past the limit. Providers of devices
// reserve address space far beyond what they use, so that it is for the host
// alone.
func (l *limiter) enforce(providers []*wire.Provider) error {
	for _, p := range providers {
		if p.GetName() != cpu {
			return nil
		}
	}
	if l.limit <= 0 || l.set {
		return nil
	}
	l.set = true
	bound := uint64(l.base.data + l.limit)
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: bound, Max: bound}); err != nil {
		return fmt.Errorf("limiting memory to %d bytes: %w", l.limit, err)
	}
	return nil
}

// memoryUsage reads the process's own.
func memoryUsage() (usage, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return usage{}, fmt.Errorf("a memory limit needs the proc file system: %w", err)
	}
	var u usage
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		var kB int64
		if name != "VmData" && name != "RssAnon" {
			continue
		}
		if _, err := fmt.Sscanf(rest, "%d kB", &kB); err != nil {
			return u, fmt.Errorf("/proc/self/status: %q: %w", line, err)
		}
		if name == "VmData" {
			u.data = kB << 10
		} else {
			u.resident = kB << 10
		}
	}
	return u, nil
}

// peakMemory is the most that this process has had in memory, in bytes; 0 where the
// system does not tell.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kB int64
	if _, err := fmt.Sscanf(rest, "%d kB", &kB); err != nil {
		return 0
	}
	return kB << 10
}
