package graphops

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Operator is an operator's domain, "" for the standard operators, and type.
type Operator struct{ Domain, Name string }

// ParseOperator parses an operator name with an optional domain, such as "Gelu",
// "com.microsoft::Gelu" or "com.microsoft.Gelu". A type contains no dot.
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
