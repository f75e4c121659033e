package diff

import (
	"maps"
	"slices"

	"lathe/graphops"
)

// Operators returns the operators whose inputs may be swapped or whose attributes may follow from
// shapes, sorted by name.
func Operators() []graphops.Operator {
	return graphops.ParseOperators(slices.Values(slices.Concat(slices.Collect(maps.Keys(commutative)), slices.Collect(maps.Keys(implied)))))
}
