package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// lazyPercent is GOGC while memory use is small: the heap may grow by this percentage before a
	// garbage collection.
	lazyPercent = 400
	// lazyLive is the live heap, in bytes, at which GOGC returns to 100. With lazyPercent, a
	// command stays below 160 MB up to there.
	lazyLive = 32 << 20
)

// collectLazily makes garbage collections rarer in a command of one step, as long as the heap is
// small. The garbage is freed when the command ends anyway, and collecting it would cost a tenth of
// the command's time. A GOGC variable in the environment has priority.
func collectLazily(args []string) {
	if len(args) == 0 || !beginsStep(commandOf(args[0])) || os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(lazyPercent)
	afterCollection(func() bool {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if live[0].Value.Kind() == metrics.KindUint64 && live[0].Value.Uint64() < lazyLive {
			return true
		}
		debug.SetGCPercent(100)
		return false
	})
}

// afterCollection calls f after each garbage collection until f returns true.
func afterCollection(f func() bool) {
	type sentinel struct{ at *int }
	runtime.SetFinalizer(&sentinel{new(int)}, func(*sentinel) {
		if f() {
			afterCollection(f)
		}
	})
}
