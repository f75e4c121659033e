package inference

import (
	"maps"

	"lathe/graphops"
)

// Operators returns the operators of layers that have parameters, sorted by name.
func Operators() []graphops.Operator { return graphops.ParseOperators(maps.Keys(parameters)) }
