//go:build cgo

package worker

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"lathe/session/ort/ep"
	"lathe/session/ort/wire"
	"lathe/session/text"
)

// watchEvery is the time between two checks of the memory in use. In that time a process can fill
// about 200 MB. A check takes 30 µs.
const watchEvery = 20 * time.Millisecond

// limiter enforces the memory limit in two ways. With enforce, the system refuses an allocation
// that is too large, and the runtime reports what it was for. With watch, the process is ended if
// its memory has grown beyond the limit in small steps.
type limiter struct {
	limit int64 // bytes on top of base; 0 for no limit
	base  usage // before the library was loaded

	mu  sync.Mutex
	old unix.Rlimit // the system's limit before it was lowered; zero while it is not lowered
}

// usage is the memory use of a process in bytes, by the counters that proc(5) describes.
type usage struct {
	data     int64 // VmData: private and writable, touched or not
	resident int64 // RssAnon: private and in memory
	whole    int64 // VmRSS: in memory, including files
	peak     int64 // VmHWM: the maximum of VmRSS
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

// watch checks the memory in use every watchEvery, and calls end when it exceeds the limit. It
// returns only then, or if there is no limit.
func (l *limiter) watch(end func(reason string)) {
	if l.limit <= 0 {
		return
	}
	for range time.Tick(watchEvery) {
		now, err := memoryUsage()
		if err == nil && now.resident-l.base.resident > l.limit {
			end(fmt.Sprintf("it passed the memory limit of %s, with %s in use", text.Bytes(l.limit), text.Bytes(now.resident-l.base.resident)))
			return
		}
	}
}

// enforce makes the system refuse allocations beyond the limit. If a provider other than cpu is
// requested, it removes that limit, because such providers reserve far more address space than they
// use. Then only watch enforces the limit.
func (l *limiter) enforce(providers []wire.Provider) error {
	if l.limit <= 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	hostAlone := !slices.ContainsFunc(providers, func(p wire.Provider) bool { return p.Name != ep.CPU })
	if set := l.old != (unix.Rlimit{}); set == hostAlone {
		return nil
	}
	if !hostAlone {
		old := l.old
		l.old = unix.Rlimit{}
		return setDataLimit(l.limit, old)
	}
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &l.old); err != nil {
		return fmt.Errorf("reading the system's memory limit: %w", err)
	}
	return setDataLimit(l.limit, unix.Rlimit{Cur: min(uint64(l.base.data+l.limit), l.old.Max), Max: l.old.Max})
}

func setDataLimit(limit int64, to unix.Rlimit) error {
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &to); err != nil {
		return fmt.Errorf("limiting memory to %s: %w", text.Bytes(limit), err)
	}
	return nil
}

// memoryUsage reads the memory use of this process from /proc/self/status.
func memoryUsage() (usage, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return usage{}, fmt.Errorf("reading the memory in use from the proc file system: %w", err)
	}
	var u usage
	fields := map[string]*int64{"VmData": &u.data, "RssAnon": &u.resident, "VmRSS": &u.whole, "VmHWM": &u.peak}
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		field := fields[name]
		if field == nil {
			continue
		}
		if _, err := fmt.Sscanf(rest, "%d kB", field); err != nil {
			return u, fmt.Errorf("/proc/self/status: %q: %w", line, err)
		}
		*field <<= 10
	}
	return u, nil
}
