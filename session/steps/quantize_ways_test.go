//go:build cgo && !soak

package steps

// accuracyWays are the ways of TestIntegersKeepAccuracy: static by default alone.
func accuracyWays() []*Quantize { return []*Quantize{{Mode: "static"}} }
