//go:build cgo && soak

package quantization

import "lathe/graphops/calibration"

// accuracyWays are dynamic, and static with every method. Three of the methods run each sample
// twice.
func accuracyWays() []*Quantization {
	ways := []*Quantization{{Mode: "dynamic"}}
	for _, method := range calibration.Methods() {
		ways = append(ways, &Quantization{Mode: "static", rangeFlags: rangeFlags{Calibration: string(method)}})
	}
	return ways
}
