package shape

import "lathe/graphops"

// Operators lists the operators that have a shape rule, by domain and name.
func Operators() []graphops.Op {
	return graphops.SortOps(func(yield func(graphops.Op) bool) {
		for o := range rules {
			if !yield(graphops.Op{Domain: o.domain, Name: o.op}) {
				return
			}
		}
	})
}
