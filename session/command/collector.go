package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// lazyPercent is by how much memory may grow before it is looked through, while it is small.
	lazyPercent = 400
	// lazyLive is the size of what is in use, in bytes, from which on it may only double: with
	// lazyPercent a command stays below 160 MB for that.
	lazyLive = 32 << 20
)

// collectLazily has a command of one step look for unused memory less often while it uses
// little: what it leaves behind ends with it, and looking costs a tenth of its time. GOGC is
// obeyed where it is set.
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

// afterCollection calls f after each collection until it says that that was enough.
func afterCollection(f func() bool) {
	type sentinel struct{ at *int }
	runtime.SetFinalizer(&sentinel{new(int)}, func(*sentinel) {
		if f() {
			afterCollection(f)
		}
	})
}
