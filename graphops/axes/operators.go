package axes

import (
	"maps"
	"slices"

	"lathe/graphops"
)

// Operators returns the operators for which this package has rules: those with inputs that hold
// sizes (sized), and those with inputs that have as many rows as the data (stacking). They are
// sorted by domain and name.
func Operators() []graphops.Op {
	return graphops.ParseOps(slices.Values(slices.Concat(slices.Collect(maps.Keys(sized)), slices.Collect(maps.Keys(stacking)))))
}
