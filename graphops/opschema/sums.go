package opschema

import (
	_ "embed"
	"strings"
	"sync"

	"lathe/graphops"
)

//go:embed sums.txt
var sumText string

// summing has the operators in sums.txt. The value is true for those marked with a star, which are
// Fourier transforms.
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

// Sums reports whether an operator adds or multiplies many elements, so that the last digits of its
// result depend on the order of these operations. It is false for an unknown operator.
func Sums(domain, op string) bool {
	_, sums := summing()[operator{graphops.NormalDomain(domain), op}]
	return sums
}

// Transforms reports whether an operator is a Fourier transform. Every element of its result is a
// sum of the same terms, multiplied by numbers of magnitude 1. The rounding error of a small
// element is therefore as large as that of the largest one. The root mean square of the result has
// the same rounding error, because a transform preserves it up to a factor (Parseval's theorem).
func Transforms(domain, op string) bool {
	return summing()[operator{graphops.NormalDomain(domain), op}]
}
