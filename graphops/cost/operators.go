package cost

import (
	"maps"

	"lathe/graphops"
)

// Operators returns the operators with a formula, sorted by domain and name.
func Operators() []graphops.Op { return graphops.SortOps(maps.Keys(formulas())) }
