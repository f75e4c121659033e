package inference

import (
	"maps"

	"lathe/graphops"
)

// Operators returns the operators with parameters among their inputs, sorted by name.
func Operators() []graphops.Operator { return graphops.ParseOperators(maps.Keys(parameters)) }
