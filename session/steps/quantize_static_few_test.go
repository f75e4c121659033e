//go:build cgo && !soak

package steps

// hostileWays are the ways of TestQuantizeStaticHostile.
func hostileWays() []hostileWay { return staticWays() }

// dataWays are the ways of TestQuantizeStaticOnHostileData.
func dataWays() []*Quantize {
	var out []*Quantize
	for _, format := range []string{"qdq", "qoperator"} {
		for _, method := range []string{"minmax", "entropy"} {
			out = append(out, &Quantize{staticFlags: staticFlags{Format: format}, rangeFlags: rangeFlags{Calibration: method}})
		}
	}
	return out
}
