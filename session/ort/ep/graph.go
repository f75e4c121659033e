package ep

import "strings"

// Graph says how a provider captures the work that a run gives to its device, so that later runs
// replay it at once. A replay reads and writes the memory of the run that was captured.
type Graph struct {
	Option string // the provider's option that switches this on; empty if it cannot capture
	// Before is how many runs ONNX Runtime makes before the one that it captures, all as a part of the
	// first run of a session, as of version 1.30.
	Before int64
	// Whole reports that every node has to run on the provider. Otherwise nodes may run on the CPU
	// if no value has to be copied to or from the device for them.
	Whole bool
}

// IsSet reports whether options of the provider switch its graph capture on.
func (g Graph) IsSet(options map[string]string) bool {
	switch strings.ToLower(options[g.Option]) {
	case "1", "true":
		return g.Option != ""
	}
	return false
}
