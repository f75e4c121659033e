package opschema

import (
	_ "embed"
	"strings"
	"sync"

	"lathe/graphops"
)

//go:embed draws.txt
var drawText string

// Draws says when an operator generates random numbers.
type Draws uint8

// When an operator generates random numbers.
const (
	DrawsNever      Draws = iota // also for unknown operators
	DrawsAlways                  // in every run
	DrawsInTraining              // if its input training_mode is true
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

// DrawsOf returns when an operator generates random numbers. If the node has an attribute or input
// named seed, it generates the same numbers in each session of the same runtime.
func DrawsOf(domain, op string) Draws {
	return drawing()[operator{graphops.NormalDomain(domain), op}]
}
