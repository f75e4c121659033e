package graphops

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Operator names an operator: its domain, which is "" for the standard, and its type.
type Operator struct{ Domain, Name string }

// ParseOperator reads the name of an operator that may have its domain in front, as in
// "Gelu", "com.microsoft::Gelu" or "com.microsoft.Gelu". A type has no dot.
func ParseOperator(s string) Operator {
	domain, name, ok := strings.Cut(s, "::")
	if !ok {
		at := strings.LastIndexByte(s, '.')
		domain, name = s[:max(at, 0)], s[at+1:]
	}
	return Operator{NormalDomain(domain), name}
}

// SortOperators returns each of some operators once, by domain and then by name.
func SortOperators(list iter.Seq[Operator]) []Operator {
	return slices.Compact(slices.SortedFunc(list, func(a, b Operator) int {
		return cmp.Or(strings.Compare(a.Domain, b.Domain), strings.Compare(a.Name, b.Name))
	}))
}

// ParseOperators reads names as [ParseOperator] does. It returns each operator once, sorted.
func ParseOperators(names iter.Seq[string]) []Operator {
	return SortOperators(func(yield func(Operator) bool) {
		for s := range names {
			if !yield(ParseOperator(s)) {
				return
			}
		}
	})
}
