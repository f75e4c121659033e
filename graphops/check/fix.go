package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
)

// fixAt is a step that works inside a place, with the names and values of its
// options in turn.
func fixAt(p *graphops.Place, step string, pairs ...string) *Fix {
	f := &Fix{Step: step}
	for _, hop := range p.Hops() {
		f.Options = append(f.Options, Setting{"in", hop})
	}
	for pair := range slices.Chunk(pairs, 2) {
		f.Options = append(f.Options, Setting{pair[0], pair[1]})
	}
	return f
}

// fixNode is a step that works on one node, which it names by its position: names
// may be shared, and hold what a command line cannot say.
func fixNode(n site, step string, pairs ...string) *Fix {
	return fixAt(n.place, step, append([]string{"node", fmt.Sprintf("#%d", n.index)}, pairs...)...)
}

// setAttribute is the step that sets an attribute of a node: "axis=1".
func setAttribute(n site, setting string) *Fix { return fixNode(n, "attribute", "set", setting) }

// renaming is a rename of one thing, or nil where a command line cannot say it:
// the old name ends at the first "=", "#" begins a position, and no argument holds
// a NUL.
func renaming(p *graphops.Place, option, from, to string) *Fix {
	if from == "" || strings.ContainsAny(from, "=\x00") || option == "value" && strings.HasPrefix(from, "#") {
		return nil
	}
	return fixAt(p, "rename", option, from+"="+to)
}

// numbering numbers names, and remembers for each how far its numbers are taken: what
// is taken stays so, and many names may be numbered.
type numbering map[string]int

// free is a name like the one given that is not taken.
func (from numbering) free(name string, taken func(string) bool) string {
	for i := max(from[name], 2); ; i++ {
		if c := name + "_" + strconv.Itoa(i); !taken(c) {
			from[name] = i
			return c
		}
	}
}

// declaring is the step that declares a value as a tensor; nil where the tensor is
// not known, where a command line cannot say it, and in functions, whose values
// differ from call to call.
func declaring(p *graphops.Place, name string, t graphops.Type) *Fix {
	if name == "" || strings.ContainsAny(name, "=\x00") || t.Kind != graphops.TypeTensor || !t.Elem.Valid() || p.Function != nil {
		return nil
	}
	return fixAt(p, "annotate", "value", name+"="+t.Declaration())
}
