package shape

import "lathe/graphops"

// Operators lists the operators that have a shape rule, by domain and name.
func Operators() []graphops.Operator {
	return graphops.SortOperators(func(yield func(graphops.Operator) bool) {
		for o := range rules {
			if !yield(graphops.Operator{Domain: o.domain, Name: o.op}) {
				return
			}
		}
	})
}
