package static

import "lathe/graphops"

// Operators lists the operators whose values static quantization turns into integers in
// the QDQ format, by domain and name.
func Operators() []graphops.Operator { return keysOf(rules) }

// IntegerOperators lists the operators that static quantization replaces in the QOperator
// format, by domain and name.
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
