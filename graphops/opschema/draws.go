package opschema

import (
	_ "embed"
	"strings"
	"sync"

	"lathe/graphops"
)

//go:embed draws.txt
var drawText string

// Draws says when an operator draws numbers at random.
type Draws uint8

// When an operator draws.
const (
	DrawsNever      Draws = iota // or nothing is known of it
	DrawsAlways                  // in every run
	DrawsInTraining              // where its input training_mode is true
)

var drawing = sync.OnceValue(func() map[operator]Draws {
	words := map[string]Draws{"always": DrawsAlways, "training": DrawsInTraining}
	found := map[operator]Draws{}
	for line := range strings.Lines(drawText) {
		if f := strings.Fields(line); len(f) > 2 && words[f[0]] != DrawsNever {
			for _, name := range f[2:] {
				found[operator{graphops.NormalDomain(f[1]), name}] = words[f[0]]
			}
		}
	}
	return found
})

// DrawsOf tells when an operator draws numbers at random. Attributes or inputs called
// seed make what it draws the same in every session of one runtime.
func DrawsOf(domain, op string) Draws {
	return drawing()[operator{graphops.NormalDomain(domain), op}]
}
