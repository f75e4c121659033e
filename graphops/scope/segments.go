package scope

import (
	"iter"
	"strings"
)

// parts yields the names between the slashes of a path. It leaves out empty ones.
func parts(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for part := range strings.SplitSeq(path, "/") {
			if part != "" && !yield(part) {
				return
			}
		}
	}
}

// relative returns a name without the name of the enclosing scope at its start: for features and
// features.1 it returns 1.
func relative(around, name string) string {
	if around == "" {
		return name
	}
	if rest, ok := strings.CutPrefix(name, around); ok && len(rest) > 1 && rest[0] == '.' {
		return rest[1:]
	}
	return name
}
