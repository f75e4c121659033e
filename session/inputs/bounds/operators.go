package bounds

import (
	"maps"
	"slices"

	"lathe/graphops"
)

// Operators lists the operators that limit the values of an input, or that pass its elements on, by
// domain and name.
func Operators() []graphops.Operator {
	return graphops.ParseOperators(slices.Values(slices.Concat(
		slices.Collect(maps.Keys(rules)), slices.Collect(maps.Keys(functions)),
		slices.Collect(maps.Keys(passes)), slices.Collect(maps.Keys(selections)))))
}
