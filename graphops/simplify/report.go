package simplify

import (
	"fmt"

	"lathe/graphops/rewrite"
)

// Report tells what was done to a model.
type Report struct {
	Before, After Size
	// Passes are all passes that ran, in their order, those that found nothing
	// included.
	Passes   []*PassReport
	Warnings []string
}

// Size is how large a model is.
type Size struct {
	Nodes        int // in the main graph, bodies and functions
	Initializers int
	Bytes        int64 // of the file, external data included; 0 where that is not known
	Ops          map[string]int
}

// PassReport is what a pass did.
type PassReport struct {
	Pass
	Changes []Change
	Refused []Refusal
}

// Change is one thing that a pass did.
type Change struct {
	// Sites are nodes of the model as it was that were removed, changed or replaced.
	Sites []rewrite.Site
	Text  string
}

// Refusal is a node at which a pattern was almost found.
type Refusal struct {
	Site rewrite.Site
	Why  string
}

// counted is "1 node" or "3 nodes".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Changed reports whether anything was done.
func (r *Report) Changed() bool {
	for _, p := range r.Passes {
		if len(p.Changes) > 0 {
			return true
		}
	}
	return false
}
