//go:build cgo && !soak

package quantization

// accuracyWays are the ways of TestIntegersKeepAccuracy: here only static with its defaults.
func accuracyWays() []*Quantization { return []*Quantization{{Mode: "static"}} }
