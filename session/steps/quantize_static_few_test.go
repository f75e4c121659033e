//go:build cgo && !soak

package steps

// hostileWays are those of TestQuantizeStaticHostile.
func hostileWays() []hostileWay { return staticWays() }
