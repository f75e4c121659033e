package opschema

import (
	_ "embed"
	"strings"
	"sync"

	"lathe/graphops"
)

//go:embed sums.txt
var sumText string

// summing has what adds up, true of Fourier transforms.
var summing = sync.OnceValue(func() map[operator]bool {
	found := map[operator]bool{}
	for line := range strings.Lines(sumText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		for _, name := range words[1:] {
			name, transforms := strings.CutSuffix(name, "*")
			found[operator{graphops.NormalDomain(words[0]), name}] = transforms
		}
	}
	return found
})

// Sums reports whether an operator adds up many elements, or multiplies many, so that
// the last digits of what it gives depend on the order. It is false of an operator that
// nothing is known of.
func Sums(domain, op string) bool {
	_, sums := summing()[operator{graphops.NormalDomain(domain), op}]
	return sums
}

// Transforms reports whether an operator is a Fourier transform: every element is a sum of
// the same terms, each times a number of magnitude 1. So the rounding error of all of
// them is one of the size of the largest, and of the root mean square, which a transform
// keeps but for a factor (Parseval).
func Transforms(domain, op string) bool {
	return summing()[operator{graphops.NormalDomain(domain), op}]
}
