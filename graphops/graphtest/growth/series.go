package growth

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"
)

// A Series measures how the time of something grows with its size.
type Series struct {
	Few, Many int
	Run       func(k int)

	few, many time.Duration
}

// SkipRaced skips a test under the race detector, which takes time, too. .ci/test runs such tests
// separately.
func SkipRaced(t testing.TB) {
	t.Helper()
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("measures time, which the race detector takes, too")
	}
}

// Limits of a series.
const (
	factor = 2                      // how much longer each element may take if there are many
	slack  = 100 * time.Millisecond // what a collection of garbage may add to a short run
	tries  = 4
)

// Measure runs both sizes, and again if the times do not look linear, and returns the series. The
// least time of each size counts. Time is that of the processor, which other processes on the
// machine hardly affect.
func (s *Series) Measure() *Series {
	s.few, s.many = math.MaxInt64, math.MaxInt64
	for range tries {
		s.few, s.many = min(s.few, s.once(s.Few)), min(s.many, s.once(s.Many))
		if s.IsLinear() {
			break
		}
	}
	return s
}

// IsLinear reports whether an element of many takes at most twice as long as one of few.
func (s *Series) IsLinear() bool {
	return s.many <= time.Duration(factor*s.Many/s.Few)*s.few+slack
}

func (s *Series) String() string {
	each := func(d time.Duration, k int) float64 { return float64(d) / float64(k) / float64(time.Microsecond) }
	return fmt.Sprintf("%.2f µs each for %d, %.2f µs each for %d", each(s.few, s.Few), s.Few, each(s.many, s.Many), s.Many)
}

func (s *Series) once(k int) time.Duration {
	start := processorTime()
	s.Run(k)
	return processorTime() - start
}

// processorTime is the time that this process has used processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // only wrong arguments make it fail
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
