package shape

import (
	"maps"

	"lathe/graphops"
)

// Operators lists the operators that have a shape rule, by domain and name.
func Operators() []graphops.Op { return graphops.SortOps(maps.Keys(rules())) }
