package cost

import "lathe/graphops"

// Operators returns the operators with a formula, sorted by domain and name.
func Operators() []graphops.Operator {
	return graphops.SortOperators(func(yield func(graphops.Operator) bool) {
		for o := range formulas {
			if !yield(graphops.Operator{Domain: o.domain, Name: o.name}) {
				return
			}
		}
	})
}
