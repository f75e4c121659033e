package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
)

// fixAt returns the fix that runs a step inside a place. pairs has names of the step's options and
// their values alternately.
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

// fixNode returns the fix that runs a step on one node. The node is identified by its index,
// because names need not be unique and may contain characters that a command line cannot express.
func fixNode(n site, step string, pairs ...string) *Fix {
	return fixAt(n.place, step, append([]string{"node", fmt.Sprintf("#%d", n.index)}, pairs...)...)
}

// setAttribute returns the step that sets an attribute of a node: "axis=1".
func setAttribute(n site, setting string) *Fix { return fixNode(n, "attribute", "set", setting) }

// renaming returns the fix that renames a value or node, or nil if a command line cannot express
// it: the old name ends at the first "=", "#" starts an index, and no argument may contain a NUL.
func renaming(p *graphops.Place, option, from, to string) *Fix {
	if from == "" || strings.ContainsAny(from, "=\x00") || option == "value" && strings.HasPrefix(from, "#") {
		return nil
	}
	return fixAt(p, "rename", option, from+"="+to)
}

// numbering creates unused names by appending numbers. It remembers the last number for each name,
// because many copies of one name may need a number.
type numbering map[string]int

// free returns an unused name that starts with the given one. taken reports whether a name is in
// use.
func (from numbering) free(name string, taken func(string) bool) string {
	for i := max(from[name], 2); ; i++ {
		if c := name + "_" + strconv.Itoa(i); !taken(c) {
			from[name] = i
			return c
		}
	}
}

// declaring returns the step that declares a value as a tensor; nil if the type is unknown, if a
// command line cannot express it, and in functions, whose values can differ between calls.
func declaring(p *graphops.Place, name string, t graphops.Type) *Fix {
	if name == "" || strings.ContainsAny(name, "=\x00") || t.Kind != graphops.TypeTensor || !t.Elem.Valid() || p.Function != nil {
		return nil
	}
	return fixAt(p, "annotate", "value", name+"="+t.Declaration())
}
