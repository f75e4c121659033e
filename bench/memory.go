package bench

import "fmt"

// Memory is the memory that a process uses which does nothing but load and run the model.
type Memory struct {
	Load     MemoryUse `json:"load"`      // after the session was created
	FirstRun MemoryUse `json:"first_run"` // after the first run
	Steady   MemoryUse `json:"steady"`    // after Runs more runs, when it stopped growing
	Runs     int       `json:"runs"`
	// Growth is the number of bytes by which each run still enlarged the process at the end of the
	// measurement. It is 0 if the process had stopped growing.
	Growth Number `json:"growth_bytes_per_run"`
	// Silent is the provider of a device whose memory neither the provider nor the driver reports;
	// empty if there is no such device.
	Silent string `json:"device_not_reported_by,omitempty"`
	// Decode divides the memory of a language model that generates; nil for single runs.
	Decode *DecodeMemory `json:"decode,omitempty"`
}

// MemoryUse is the memory of a process at one moment, in bytes. Null means not known.
type MemoryUse struct {
	Resident *int64 `json:"resident_bytes"` // of the process, including the runtime's library
	Peak     *int64 `json:"peak_bytes"`     // the maximum of Resident so far
	Arena    *int64 `json:"arena_bytes"`    // taken from the host by the runtime's allocator
	Device   *int64 `json:"device_bytes"`   // taken from a device by the runtime's allocator
	// DevicePeak is the maximum so far of the part of Device that was in use. Driver is the memory of
	// the process on the device as the driver reports it. It includes libraries and their workspace.
	DevicePeak *int64 `json:"device_peak_bytes"`
	Driver     *int64 `json:"driver_bytes"`
}

// A process counts as growing if each of the last GrowthLooks readings of its memory is at least
// growthLeast bytes above the one before. Fewer increases are normal, since an allocator takes
// memory from the system in large pieces.
const (
	GrowthLooks = 6
	growthLeast = 64 << 10
)

// Grows returns by how many bytes each run enlarged the process, or 0 if the process does not count
// as growing. looks are readings of its memory; between two of them there were runs runs.
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

// AddMemory adds the memory of the i-th run to the report.
func (r *Report) AddMemory(i int, m *Memory) {
	run := &r.Runs[i]
	run.Memory, run.PeakRSS, run.DeviceBytes = m, m.Steady.Peak, m.Steady.Device
	if m.Growth > 0 {
		run.Warnings = append(run.Warnings, Warning{Growing, fmt.Sprintf("every run takes %.0f bytes more memory, which is not released", float64(m.Growth))})
		run.Verdict = verdict(run.Warnings)
	}
}
