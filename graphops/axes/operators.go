package axes

import (
	"maps"
	"slices"

	"lathe/graphops"
)

// Operators lists the operators with inputs that hold sizes, or rows beside those of
// the data, by domain and name.
func Operators() []graphops.Operator {
	return graphops.ParseOperators(slices.Values(slices.Concat(slices.Collect(maps.Keys(sized)), slices.Collect(maps.Keys(stacking)))))
}
