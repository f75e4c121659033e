package simplify

import (
	"fmt"

	"lathe/graphops/rewrite"
)

// Report says what was done to a model.
type Report struct {
	Before, After Size
	// Passes are all passes that ran, in order, including those that found nothing.
	Passes   []*PassReport
	Warnings []string
}

// Size is the size of a model.
type Size struct {
	Nodes        int // in the main graph, bodies and functions
	Initializers int
	Bytes        int64 // of the file, including external data; 0 if unknown
	Ops          map[string]int
}

// PassReport says what a pass did.
type PassReport struct {
	Pass
	Changes []Change
	Refused []Refusal
}

// Change is one change of a pass.
type Change struct {
	// Sites are the nodes of the original model that were removed, changed or replaced.
	Sites *rewrite.Sites
	Text  string
}

// Refusal is a node where a pattern was almost found.
type Refusal struct {
	Site rewrite.Site
	Why  string
}

// counted returns "1 node" or "3 nodes".
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
