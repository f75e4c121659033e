package layers

import (
	"bytes"
	"os"
	"strconv"

	"lathe/graphops"
)

// taken records how much more memory this process used during a comparison than before it, in bytes,
// as far as the system reports it.
type taken struct{ before, peak int64 }

func (t *taken) begin() { t.before = ownMemory() }

// look is called when much is in memory.
func (t *taken) look() { t.peak = max(t.peak, ownMemory()-t.before) }

// most returns the additional memory of this process and of the runners during the comparison.
func (t *taken) most(on ...graphops.Runner) int64 {
	total, counted := t.peak, map[graphops.Runner]bool{}
	for _, r := range on {
		if m, tells := r.(interface{ Took() int64 }); tells && !counted[r] {
			counted[r] = true
			total += m.Took()
		}
	}
	return total
}

// ownMemory returns the memory of this process without pages of files, or 0 if the system does not
// report it.
func ownMemory() int64 {
	pages, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(pages) // counts of pages: total, resident, shared part of resident, …
	if err != nil || len(fields) < 3 {
		return 0
	}
	resident, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	return (resident - shared) * int64(os.Getpagesize())
}
