package look

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops/check"
	"lathe/session/text"
)

// fixChain records the commands that were printed so far, and what they change. A user can paste
// them one after the other, because each command reads the file that the one before it wrote.
type fixChain struct {
	told  []string // the printed fixes, by fixKey
	count int      // number of commands
	moved bool     // positions of nodes may have changed
	gone  []string // names that no longer exist
}

// keepsPositions are the steps that do not change positions of nodes.
var keepsPositions = []string{"annotate", "attribute", "metadata", "rename"}

// fix writes the command of a fix unless an earlier line does the same.
func (c *checkWriter) fix(f *check.Fix) {
	if f == nil || slices.Contains(c.fixes.told, fixKey(f)) {
		return
	}
	command := c.r.commandAfter(f, c.fixes.count)
	if command == "" {
		return
	}
	c.fixes.told = append(c.fixes.told, fixKey(f))
	if c.fixes.moved && namesPosition(f) || c.fixes.namesGone(f) {
		c.line(under + "after the commands above, lathe check reports what is left")
		return
	}
	c.fixes.count++
	c.fixes.gone = append(c.fixes.gone, takesAway(f)...)
	c.fixes.moved = c.fixes.moved || !slices.Contains(keepsPositions, f.Step)
	c.p.Line("%s%s", under, text.CleanLine(command)) // not wrapped, so that it can be copied
}

// takesAway returns the names of nodes and values that do not exist any more after a fix.
func takesAway(f *check.Fix) []string {
	if !slices.Contains([]string{"bypass", "delete", "rename"}, f.Step) {
		return nil
	}
	var out []string
	for _, s := range f.Options {
		name, _, _ := strings.Cut(s.Value, "=")
		if s.Option != "in" && name != "" {
			out = append(out, name)
		}
	}
	return out
}

// namesGone reports whether a fix uses a name that an earlier fix removed.
func (c *fixChain) namesGone(f *check.Fix) bool {
	return slices.ContainsFunc(f.Options, func(s check.Setting) bool {
		name, _, _ := strings.Cut(s.Value, "=")
		return slices.Contains(c.gone, name) || slices.Contains(c.gone, s.Value)
	})
}

func fixKey(f *check.Fix) string { return fmt.Sprintf("%q", *f) }

// namesPosition reports whether a fix may name a node by its position, such as #3.
func namesPosition(f *check.Fix) bool {
	return slices.ContainsFunc(f.Options, func(s check.Setting) bool { return strings.Contains(s.Value, "#") })
}
