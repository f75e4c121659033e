//go:build cgo && !soak

package quantization

// hostileWays are the ways of TestQuantizeStaticHostile.
func hostileWays() []hostileWay { return staticWays() }

// dataWays are the ways of TestQuantizeStaticOnHostileData.
func dataWays() []*Quantization {
	var out []*Quantization
	for _, format := range []string{"qdq", "qoperator"} {
		for _, method := range []string{"minmax", "entropy"} {
			out = append(out, &Quantization{staticFlags: staticFlags{Format: format}, rangeFlags: rangeFlags{Calibration: method}})
		}
	}
	return out
}
