package cost

import "lathe/graphops"

// Operators returns the operators with a formula, sorted by domain and name.
func Operators() []graphops.Op {
	return graphops.SortOps(func(yield func(graphops.Op) bool) {
		for o := range formulas {
			if !yield(graphops.Op{Domain: o.domain, Name: o.name}) {
				return
			}
		}
	})
}
