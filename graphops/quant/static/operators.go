package static

import "lathe/graphops"

// Operators returns the operators whose values static quantization turns into integers in QDQ
// format, sorted by domain and name.
func Operators() []graphops.Operator { return keysOf(rules) }

// IntegerOperators returns the operators that static quantization replaces in QOperator format,
// sorted by domain and name.
func IntegerOperators() []graphops.Operator { return keysOf(operatorRules) }

func keysOf[T any](table map[string]T) []graphops.Operator {
	return graphops.SortOperators(func(yield func(graphops.Operator) bool) {
		for name := range table {
			if !yield(graphops.Operator{Domain: domainOf(name), Name: name}) {
				return
			}
		}
	})
}
