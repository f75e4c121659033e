package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"lathe/graphops"
)

const (
	// lazyPercent is GOGC while memory use is small: the heap may grow by this percentage before a
	// garbage collection.
	lazyPercent = 400
	// lazyLive is the live heap, in bytes, at which GOGC returns to 100. With lazyPercent, a
	// command stays below 160 MB up to there.
	lazyLive = 32 << 20
	// largeLive is the live heap at which GOGC becomes largePercent. A heap of that size mostly has
	// elements of tensors, which a collection does not look at. So collections stay cheap, and memory
	// hardly exceeds what is in use.
	largeLive    = 256 << 20
	largePercent = 25
	// manyNodes is the number of nodes from which on the structure of a model, and not its tensors,
	// is most of a heap. A collection looks at all of it and frees little. So GOGC stays at
	// lazyPercent up to structureLive.
	manyNodes     = 50_000
	structureLive = 512 << 20
)

// hasManyNodes is set once the command has opened a model with manyNodes.
var hasManyNodes atomic.Bool

// noteNodes notes how many nodes the model of a command has. m is nil for a command without a model.
func noteNodes(m *graphops.Model) {
	if m != nil && len(m.Graph().Nodes()) >= manyNodes {
		hasManyNodes.Store(true)
	}
}

// collectLazily makes garbage collections rarer in a command of one step as long as the heap is
// small, and more frequent when it is large. The garbage is freed when the command ends anyway, and
// collecting it would cost a tenth of the command's time. A GOGC variable in the environment has
// priority.
func collectLazily(args []string) {
	if len(args) == 0 || !beginsStep(commandOf(args[0])) || os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(lazyPercent)
	afterCollection(func() bool {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if live[0].Value.Kind() != metrics.KindUint64 {
			debug.SetGCPercent(100)
			return false
		}
		debug.SetGCPercent(percentAt(live[0].Value.Uint64(), hasManyNodes.Load()))
		return true
	})
}

// percentAt returns GOGC for a live heap of this size.
func percentAt(live uint64, manyNodes bool) int {
	switch {
	case live < lazyLive, manyNodes && live < structureLive:
		return lazyPercent
	case live < largeLive, manyNodes:
		return 100
	}
	return largePercent
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
