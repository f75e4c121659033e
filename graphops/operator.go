package graphops

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Operator identifies an operator by its domain, which is empty for the standard operators, and its
// name.
type Operator struct{ Domain, Name string }

// ParseOperator parses an operator name with an optional domain, such as "Gelu",
// "com.microsoft::Gelu" or "com.microsoft.Gelu". In the last form the last dot ends the domain,
// because names of operators contain no dot.
func ParseOperator(s string) Operator {
	domain, name, ok := strings.Cut(s, "::")
	if !ok {
		at := strings.LastIndexByte(s, '.')
		domain, name = s[:max(at, 0)], s[at+1:]
	}
	return Operator{NormalDomain(domain), name}
}

// SortOperators returns each operator once, sorted by domain and name.
func SortOperators(list iter.Seq[Operator]) []Operator {
	return slices.Compact(slices.SortedFunc(list, func(a, b Operator) int {
		return cmp.Or(strings.Compare(a.Domain, b.Domain), strings.Compare(a.Name, b.Name))
	}))
}

// ParseOperators parses names as [ParseOperator] does. It returns each operator once, sorted.
func ParseOperators(names iter.Seq[string]) []Operator {
	return SortOperators(func(yield func(Operator) bool) {
		for s := range names {
			if !yield(ParseOperator(s)) {
				return
			}
		}
	})
}
