package machine

import (
	"fmt"
	"strings"

	"lathe/session/text"
)

// GPU is what the driver reports about a device at one moment. Null means that it does not report
// the value.
type GPU struct {
	Name   string `json:"name"`
	UUID   string `json:"uuid"`
	Driver string `json:"driver"`
	// SM and Memory are the present clock rates, in MHz, of the streaming multiprocessors and of
	// the memory. MaxSM and MaxMemory are their maximums.
	SM        *Number `json:"sm_mhz"`
	MaxSM     *Number `json:"max_sm_mhz"`
	Memory    *Number `json:"memory_mhz"`
	MaxMemory *Number `json:"max_memory_mhz"`
	Watts     *Number `json:"power_watts"`
	MaxWatts  *Number `json:"power_limit_watts"`
	Celsius   *Number `json:"temperature_celsius"`
	// Slowed are the reasons why the clock rates are below their maximum. It does not include
	// idling and limits that an administrator has set.
	Slowed []string `json:"slowed,omitempty"`
	// Total is the size of the device's memory and Used the part in use, in bytes. Own is the part
	// of Used that belongs to the reading process.
	Used  *int64 `json:"used_bytes"`
	Total *int64 `json:"total_bytes"`
	Own   *int64 `json:"own_bytes"`
	// Busy is the fraction of the driver's last sampling interval in which a kernel of any process
	// ran.
	Busy *Number `json:"busy"`
	// Shared is set if the device is divided into several (MIG) and this process uses one of them.
	Shared bool `json:"shared"`
}

// String describes the device and its state, without unknown values.
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
