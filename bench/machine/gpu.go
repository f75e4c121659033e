package machine

import (
	"fmt"
	"strings"

	"lathe/session/text"
)

// GPU is what the driver tells of a device. Null stands for what it does not tell.
type GPU struct {
	Name   string `json:"name"`
	UUID   string `json:"uuid"`
	Driver string `json:"driver"`
	// SM and Memory are clocks at the moment, and the most that each can be, in MHz.
	SM        *Number `json:"sm_mhz"`
	MaxSM     *Number `json:"max_sm_mhz"`
	Memory    *Number `json:"memory_mhz"`
	MaxMemory *Number `json:"max_memory_mhz"`
	Watts     *Number `json:"power_watts"`
	MaxWatts  *Number `json:"power_limit_watts"`
	Celsius   *Number `json:"temperature_celsius"`
	// Slowed are the reasons why the clocks are lower than they could be, those alone that
	// are no choice of whoever uses the device.
	Slowed []string `json:"slowed,omitempty"`
	// Used and Total are its memory in bytes, Own what of it the process that looks has.
	Used  *int64 `json:"used_bytes"`
	Total *int64 `json:"total_bytes"`
	Own   *int64 `json:"own_bytes"`
	// Busy is the share of the last moments in which a kernel ran, of any process.
	Busy *Number `json:"busy"`
	// Shared tells that the device is cut into several (MIG), of which this is one.
	Shared bool `json:"shared"`
}

// String tells what the device is and how it is, unknown things left out.
func (g GPU) String() string {
	parts := []string{text.Clean(g.Name)}
	add := func(format string, numbers ...*Number) {
		var values []any
		for _, n := range numbers {
			if n == nil {
				return
			}
			values = append(values, float64(*n))
		}
		parts = append(parts, fmt.Sprintf(format, values...))
	}
	if g.Driver != "" {
		parts = append(parts, "driver "+text.Clean(g.Driver))
	}
	add("%.0f of %.0f MHz", g.SM, g.MaxSM)
	add("%.0f of %.0f W", g.Watts, g.MaxWatts)
	add("%.0f °C", g.Celsius)
	if g.Used != nil && g.Total != nil {
		parts = append(parts, text.Bytes(*g.Used)+" of "+text.Bytes(*g.Total)+" in use")
	}
	if g.Shared {
		parts = append(parts, "cut into several (MIG)")
	}
	return strings.Join(parts, ", ")
}
