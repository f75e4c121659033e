package proof

import (
	"maps"

	"lathe/graphops"
)

// Operators lists the operators that compute across axes, by domain and name.
func Operators() []graphops.Op { return graphops.ParseOps(maps.Keys(mixed)) }
