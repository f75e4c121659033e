package tui

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// costs writes the cost of a node including its bodies and functions.
func (d *description) costs(row int) {
	c := d.ws.types.costs.Load()
	if c.known() == nil || d.ws.wiring == nil {
		return
	}
	_, i := d.ws.outline.at(row)
	t := d.ws.wiring.within(row)
	d.head("cost")
	// All costs are on one line. Those whose text has nearly the same length for all nodes come
	// first, so that the others move little while the cursor moves.
	words := []string{"writes " + totalText(t.Written, text.Bytes), "reads " + totalText(t.Read, text.Bytes)}
	if !t.MACs.Known.Is(0) || t.MACs.Left > 0 {
		words = append(words, totalText(t.MACs, text.Count)+" MACs")
	}
	if per, ok := c.Node(d.ws.outline.place, i).Intensity(); ok && per > 0 {
		words = append(words, fmt.Sprintf("%.2g op/byte", per))
	}
	for _, line := range cells.WrapWords(strings.Join(words, ", "), d.w) {
		d.add(theme.Plain, line)
	}
}

// facts returns the cost of the whole model.
func (c *costs) facts() []fact {
	total := c.Total()
	out := []fact{
		{"MACs", totalText(total.MACs, text.Count)},
		{"reads", totalText(total.Read, text.Bytes)},
		{"writes", totalText(total.Written, text.Bytes)},
		{"activations", c.peakText()},
	}
	var given []string
	for _, s := range slices.Sorted(maps.Keys(c.sizes)) {
		given = append(given, cells.Label(s)+" = "+text.Count(c.sizes[s]))
	}
	if len(given) > 0 {
		out = append(out, fact{"with", strings.Join(given, ", ")})
	}
	return out
}

// totalText formats a sum. If the sum has unknown parts, it says of how many nodes.
func totalText(s cost.Sum, write func(int64) string) string {
	out := sizeText(s.Known, write)
	if !s.Known.Known() {
		out = "an expression too long to show; give the symbols sizes to get a number"
	}
	if s.Left > 0 {
		out = "at least " + out + "; not known of " + text.Plural(s.Left, "node")
	}
	return out
}

// peakText describes the peak memory of activations.
func (c *costs) peakText() string {
	var missing *cost.MissingError
	switch {
	case errors.As(c.lineErr, &missing):
		return "the peak needs sizes of " + cells.Prose(graphops.QuoteNames(missing.Symbols))
	case c.lineErr != nil:
		return cells.Prose(c.lineErr.Error())
	}
	out := text.Bytes(c.line.Peak)
	if c.line.Unknown > 0 {
		out = "at least " + text.Bytes(c.line.Peak)
	}
	if n := len(c.line.At); n > 0 {
		at := c.line.At[n-1]
		out += ", at " + newOutline(nil, at.Place).called(inputRows(at.Place)+at.Node)
	}
	if c.line.Unknown > 0 {
		out += "; the size of " + text.Plural(c.line.Unknown, "value") + " is not known"
	}
	return out
}
