package scope

import (
	"iter"
	"strings"
)

// parts are the names between the slashes of a path; empty ones are left out.
func parts(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for part := range strings.SplitSeq(path, "/") {
			if part != "" && !yield(part) {
				return
			}
		}
	}
}

// relative is a name without that of what it is in, where it starts with it.
func relative(around, name string) string {
	if around == "" {
		return name
	}
	if rest, ok := strings.CutPrefix(name, around); ok && len(rest) > 1 && rest[0] == '.' {
		return rest[1:]
	}
	return name
}
