package quant

import "lathe/graphops"

// Operators returns the operators that dynamic quantization rewrites, sorted by domain and name.
func Operators() []graphops.Op {
	return graphops.SortOps(func(yield func(graphops.Op) bool) {
		for name, f := range families {
			if !yield(graphops.Op{Domain: f.domain, Name: name}) {
				return
			}
		}
	})
}
