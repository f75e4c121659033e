package layers

import (
	"bytes"
	"os"
	"strconv"

	"lathe/graphops/execution"
)

// taken records by how many bytes the memory of this process grew during a comparison. It records 0
// if the system does not report memory.
type taken struct{ before, peak int64 }

func (t *taken) begin() { t.before = ownMemory() }

// look measures the memory. It is called when much of it is in use.
func (t *taken) look() { t.peak = max(t.peak, ownMemory()-t.before) }

// most returns by how many bytes the memory of this process and of the runners grew during the
// comparison.
func (t *taken) most(on ...execution.Runner) int64 {
	total, counted := t.peak, map[execution.Runner]bool{}
	for _, r := range on {
		if m, tells := r.(interface{ Took() int64 }); tells && !counted[r] {
			counted[r] = true
			total += m.Took()
		}
	}
	return total
}

// ownMemory returns the resident memory of this process in bytes, without pages that are shared or
// belong to files. It is 0 if the system does not report it.
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
