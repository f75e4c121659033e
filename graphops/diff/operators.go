package diff

import (
	"maps"
	"slices"

	"lathe/graphops"
)

// Operators returns the operators for which this package has rules of its own: those whose two
// inputs may be swapped, and those with attributes that may follow from shapes. They are sorted by
// name.
func Operators() []graphops.Op {
	return graphops.ParseOps(slices.Values(slices.Concat(slices.Collect(maps.Keys(commutative)), slices.Collect(maps.Keys(implied)))))
}
