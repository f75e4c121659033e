package sessiontest

import (
	"os"
	"runtime"
	"strings"
)

// HasExactSums reports whether this processor adds products of uint8 and int8 exactly. Processors of
// amd64 without VNNI add them in 16 bits, where they saturate.
func HasExactSums() bool {
	if runtime.GOARCH != "amd64" {
		return true
	}
	processor, err := os.ReadFile("/proc/cpuinfo")
	return err == nil && strings.Contains(string(processor), "vnni")
}
