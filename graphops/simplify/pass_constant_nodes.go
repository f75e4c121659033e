package simplify

import (
	"fmt"

	"lathe/graphops/rewrite"
)

// constantNodes reports the Constant nodes that became initializers. The change itself happens in
// rewrite.Load.
var constantNodes = &pass{
	name:   "constant-nodes",
	title:  "Constant nodes become initializers",
	reason: "a runtime converts the tensor of a Constant to an initializer",
	model: func(j *job) error {
		if sites := j.m.Lifted(); len(sites) > 0 {
			j.didAt(sites, counted(len(sites), "Constant node became an initializer", "Constant nodes became initializers"))
		}
		return nil
	},
}

// didAt is like did, for a change of the given original nodes.
func (j *job) didAt(sites []rewrite.Site, text string) {
	j.changed = true
	j.now.Changes = append(j.now.Changes, Change{Sites: rewrite.NewSites(sites...), Text: text})
}

var unusedConstants = &pass{
	name:   "unused-constants",
	title:  "constants that nothing reads are removed",
	reason: "nothing reads them; an input's default value is kept",
	graph: func(j *job, g *rewrite.Graph) error {
		if gone := g.DropUnused(); len(gone) > 0 {
			j.did(toldUnused(gone))
		}
		return nil
	},
}

func toldUnused(gone []string) string {
	if len(gone) == 1 {
		return fmt.Sprintf("constant %q, which nothing reads", gone[0])
	}
	return fmt.Sprintf("%d constants that nothing reads, %q the first of them", len(gone), gone[0])
}
