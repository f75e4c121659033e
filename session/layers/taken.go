package layers

import (
	"bytes"
	"os"
	"strconv"

	"lathe/graphops"
)

// taken is how much memory this process took, as far as the system tells.
type taken struct{ before, peak int64 }

func (t *taken) begin() { t.before = ownMemory() }

// look is called when much is in memory.
func (t *taken) look() { t.peak = max(t.peak, ownMemory()-t.before) }

// most is what this process and what runs the models took beyond what they have without
// one.
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

// ownMemory is what this process has in memory that is no file's, 0 where the system does
// not tell.
func ownMemory() int64 {
	pages, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(pages) // in pages: all, resident, of that shared, …
	if err != nil || len(fields) < 3 {
		return 0
	}
	resident, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	return (resident - shared) * int64(os.Getpagesize())
}
