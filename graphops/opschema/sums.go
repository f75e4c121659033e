package opschema

import (
	_ "embed"
	"strings"
	"sync"

	"lathe/graphops"
)

//go:embed sums.txt
var sumText string

var summing = sync.OnceValue(func() map[operator]bool {
	found := map[operator]bool{}
	for line := range strings.Lines(sumText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		for _, name := range words[1:] {
			found[operator{graphops.NormalDomain(words[0]), name}] = true
		}
	}
	return found
})

// Sums reports whether an operator adds up many elements, or multiplies many, so that
// the last digits of what it gives depend on the order. It is false of an operator that
// nothing is known of.
func Sums(domain, op string) bool {
	return summing()[operator{graphops.NormalDomain(domain), op}]
}
