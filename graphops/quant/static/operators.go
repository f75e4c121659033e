package static

import "lathe/graphops"

// Operators returns the operators whose values static quantization turns into integers in QDQ
// format, sorted by domain and name.
func Operators() []graphops.Op { return keysOf(rules) }

// IntegerOperators returns the operators that static quantization replaces in QOperator format,
// sorted by domain and name.
func IntegerOperators() []graphops.Op { return keysOf(operatorRules) }

func keysOf[T any](table map[string]T) []graphops.Op {
	return graphops.SortOps(func(yield func(graphops.Op) bool) {
		for name := range table {
			if !yield(graphops.Op{Domain: domainOf(name), Name: name}) {
				return
			}
		}
	})
}
