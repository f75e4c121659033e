package steps

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops/check"
	"lathe/session/text"
)

// fixChain is the commands that were told so far. They can be pasted one after the
// other: each reads what the one before has written.
type fixChain struct {
	told  []string // what was told, by fixKey
	count int      // of commands
	moved bool     // nodes may have other positions than in the model
	gone  []string // names that are not there any more
}

// keepsPositions are the steps that leave every node where it is.
var keepsPositions = []string{"annotate", "attribute", "metadata", "rename"}

// fix writes the command of a fix, if no line before does the same.
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
	c.p.Line("%s%s", under, text.CleanLine(command)) // whole, to be copied
}

// takesAway lists the names that a fix leaves no more of.
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

// namesGone reports whether a fix names what an earlier one took away.
func (c *fixChain) namesGone(f *check.Fix) bool {
	return slices.ContainsFunc(f.Options, func(s check.Setting) bool {
		name, _, _ := strings.Cut(s.Value, "=")
		return slices.Contains(c.gone, name) || slices.Contains(c.gone, s.Value)
	})
}

func fixKey(f *check.Fix) string { return fmt.Sprintf("%q", *f) }

// namesPosition reports whether a fix may name a node by its position, as #3.
func namesPosition(f *check.Fix) bool {
	return slices.ContainsFunc(f.Options, func(s check.Setting) bool { return strings.Contains(s.Value, "#") })
}
