package inference

import (
	"maps"

	"lathe/graphops"
)

// Operators returns the operators of layers that have parameters, sorted by name.
func Operators() []graphops.Op { return graphops.ParseOps(maps.Keys(parameters)) }
