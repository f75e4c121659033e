//go:build unix

package machine

import (
	"os"
	"syscall"
	"time"
)

// began is when this process started. Counters.Seconds of its readings is the time since then.
var began = time.Now()

// Here returns a description of this machine and a reading of its counters, including the processor
// time of this process.
func Here() State {
	root := os.DirFS("/")
	s := State{ReadEnvironment(root), readCounters(root)}
	s.Counters.Seconds = Number(time.Since(began).Seconds())
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) == nil {
		s.Counters.Own = Number(float64(use.Utime.Nano()+use.Stime.Nano()) / 1e9)
	}
	return s
}
