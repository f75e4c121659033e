package ort

import (
	"regexp"
	"sync"
)

// whenUsed is a regular expression that is compiled when it is first used. Most runs of the program,
// and all workers, read none of the texts that these are for; to compile all at the start takes a
// worker a tenth of the time until it greets.
func whenUsed(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
