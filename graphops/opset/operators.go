package opset

import "lathe/graphops"

// Operators returns the operators for which some version of the standard has a step, sorted by
// name.
func Operators() []graphops.Operator {
	return graphops.SortOperators(func(yield func(graphops.Operator) bool) {
		for at := range table() {
			if !yield(graphops.Operator{Name: at.op}) {
				return
			}
		}
	})
}
