package bench

import "fmt"

// Memory is what a model takes, in a process that does nothing else.
type Memory struct {
	Load     MemoryUse `json:"load"`      // the session is there
	FirstRun MemoryUse `json:"first_run"` // one run was made
	Steady   MemoryUse `json:"steady"`    // Runs more were made, until it grew no more
	Runs     int       `json:"runs"`
	// Growth is by how many bytes each run made the process larger in the end: more than 0
	// where it was still growing after the last look.
	Growth Number `json:"growth_bytes_per_run"`
}

// MemoryUse is what a process takes at a moment, in bytes. Null stands for what is not told.
type MemoryUse struct {
	Resident *int64 `json:"resident_bytes"` // of the process, the runtime's library in it
	Peak     *int64 `json:"peak_bytes"`     // the most that Resident has been
	Arena    *int64 `json:"arena_bytes"`    // that the runtime's allocator took from the host
	Device   *int64 `json:"device_bytes"`   // that it took from a device
}

// growthLooks is how many looks in a row must find the process larger for it to be told to
// grow, and growthLeast by how much each: an allocator takes memory in pieces for a while.
const (
	GrowthLooks = 6
	growthLeast = 64 << 10
)

// Grows is by how many bytes a run the process grew between looks that were so many runs
// apart, 0 where it came to rest.
func Grows(looks []MemoryUse, runs int) Number {
	if len(looks) <= GrowthLooks || runs < 1 {
		return 0
	}
	last := looks[len(looks)-GrowthLooks-1:]
	for i, l := range last[1:] {
		if l.Resident == nil || last[i].Resident == nil || *l.Resident < *last[i].Resident+growthLeast {
			return 0
		}
	}
	return Number(*last[GrowthLooks].Resident-*last[0].Resident) / Number(runs*GrowthLooks)
}

// AddMemory puts the memory of the i-th run into the report.
func (r *Report) AddMemory(i int, m *Memory) {
	run := &r.Runs[i]
	run.Memory, run.PeakRSS, run.DeviceBytes = m, m.Steady.Peak, m.Steady.Device
	if m.Growth > 0 {
		run.Warnings = append(run.Warnings, Warning{Growing, fmt.Sprintf("every run takes %.0f bytes more memory: something is not given back", float64(m.Growth))})
		run.Verdict = verdict(run.Warnings)
	}
}
