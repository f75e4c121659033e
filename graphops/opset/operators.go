package opset

import "lathe/graphops"

// Operators returns the operators for which some version of the standard has a step, sorted by
// name.
func Operators() []graphops.Op {
	return graphops.SortOps(func(yield func(graphops.Op) bool) {
		for at := range table() {
			if !yield(graphops.Op{Name: at.op}) {
				return
			}
		}
	})
}
