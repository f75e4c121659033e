package bounds

import (
	"maps"
	"slices"

	"lathe/graphops"
)

// Operators lists, for the documentation, the operators that this package knows: those that limit
// the values of an input, and those through which it follows an input.
func Operators() []graphops.Op {
	return graphops.ParseOps(slices.Values(slices.Concat(
		slices.Collect(maps.Keys(rules())), slices.Collect(maps.Keys(functions)),
		slices.Collect(maps.Keys(passes)), slices.Collect(maps.Keys(selections)))))
}
