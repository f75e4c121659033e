package quant

import "lathe/graphops"

// Operators returns the operators that dynamic quantization rewrites, sorted by domain and name.
func Operators() []graphops.Operator {
	return graphops.SortOperators(func(yield func(graphops.Operator) bool) {
		for name, f := range families {
			if !yield(graphops.Operator{Domain: f.domain, Name: name}) {
				return
			}
		}
	})
}
