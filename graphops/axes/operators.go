package axes

import (
	"maps"
	"slices"

	"lathe/graphops"
)

// Operators returns the operators with inputs that hold sizes, or rows that correspond to rows of
// the data, sorted by domain and name.
func Operators() []graphops.Operator {
	return graphops.ParseOperators(slices.Values(slices.Concat(slices.Collect(maps.Keys(sized)), slices.Collect(maps.Keys(stacking)))))
}
