package ort

import (
	"regexp"
	"sync"
)

// whenUsed returns a regular expression that is compiled at its first use. Most runs of the program
// and all workers never need these expressions, and compiling them all takes a tenth of a worker's
// start time.
func whenUsed(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
