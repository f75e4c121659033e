package workspace

import (
	"strings"

	"lathe/session"
	"lathe/tui/cells"
)

// maxCallValues is how many values of an option are shown in one line.
const maxCallValues = 3

// CallText returns a step with its options in one line, safe to print.
func CallText(c session.Call) string {
	out := []string{cells.Label(c.Step)}
	for _, o := range c.Options {
		values := o.Values
		more := ""
		if len(values) > maxCallValues {
			values, more = values[:maxCallValues], cells.Ellipsis
		}
		labels := make([]string, len(values))
		for i, v := range values {
			labels[i] = cells.Label(v)
		}
		out = append(out, cells.Label(o.Name)+"="+strings.Join(labels, ",")+more)
	}
	return strings.Join(out, "  ")
}
