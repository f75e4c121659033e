package graphops

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Op identifies an operator by its domain, which is empty for the standard operators, and its
// name.
type Op struct{ Domain, Name string }

// String returns the name as ParseOp reads it, such as "Gelu" or "com.microsoft::Gelu".
func (o Op) String() string {
	if o.Domain == DefaultDomain {
		return o.Name
	}
	return o.Domain + "::" + o.Name
}

// ParseOp parses an operator name with an optional domain, such as "Gelu",
// "com.microsoft::Gelu" or "com.microsoft.Gelu". In the last form the last dot ends the domain,
// because names of operators contain no dot.
func ParseOp(s string) Op {
	domain, name, ok := strings.Cut(s, "::")
	if !ok {
		at := strings.LastIndexByte(s, '.')
		domain, name = s[:max(at, 0)], s[at+1:]
	}
	return Op{NormalDomain(domain), name}
}

// SortOps returns each operator once, sorted by domain and name.
func SortOps(list iter.Seq[Op]) []Op {
	return slices.Compact(slices.SortedFunc(list, func(a, b Op) int {
		return cmp.Or(strings.Compare(a.Domain, b.Domain), strings.Compare(a.Name, b.Name))
	}))
}

// ParseOps parses names as [ParseOp] does. It returns each operator once, sorted.
func ParseOps(names iter.Seq[string]) []Op {
	return SortOps(func(yield func(Op) bool) {
		for s := range names {
			if !yield(ParseOp(s)) {
				return
			}
		}
	})
}
