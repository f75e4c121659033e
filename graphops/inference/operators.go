package inference

import (
	"maps"

	"lathe/graphops"
)

// Operators lists the operators that keep parameters in some of their inputs, by name.
func Operators() []graphops.Operator { return graphops.ParseOperators(maps.Keys(parameters)) }
