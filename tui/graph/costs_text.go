package graph

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/session/text"
	"lathe/tui/cells"
)

// Fact is a line of a name and a text, safe to print.
type Fact struct{ Name, What string }

// Facts returns the cost of the whole model.
func (c *Costs) Facts() []Fact {
	total := c.Total()
	out := []Fact{
		{"MACs", TotalText(total.MACs, text.Count)},
		{"reads", TotalText(total.Read, text.Bytes)},
		{"writes", TotalText(total.Written, text.Bytes)},
		{"activations", c.peakText()},
	}
	var given []string
	for _, s := range slices.Sorted(maps.Keys(c.Sizes)) {
		given = append(given, cells.Label(s)+" = "+text.Count(c.Sizes[s]))
	}
	if len(given) > 0 {
		out = append(out, Fact{"with", strings.Join(given, ", ")})
	}
	return out
}

// TotalText formats a sum. If the sum has unknown parts, it says of how many nodes.
func TotalText(s cost.Sum, write func(int64) string) string {
	out := SizeText(s.Known, write)
	if !s.Known.Known() {
		out = "an expression too long to show; give the symbols sizes to get a number"
	}
	if s.Left > 0 {
		out = "at least " + out + "; not known of " + text.Plural(s.Left, "node")
	}
	return out
}

// peakText describes the peak memory of activations.
func (c *Costs) peakText() string {
	var missing *cost.MissingError
	switch {
	case errors.As(c.LineErr, &missing):
		return "the peak needs sizes of " + cells.Prose(graphops.QuoteNames(missing.Symbols))
	case c.LineErr != nil:
		return cells.Prose(c.LineErr.Error())
	}
	out := text.Bytes(c.Line.Peak)
	if c.Line.Unknown > 0 {
		out = "at least " + text.Bytes(c.Line.Peak)
	}
	if n := len(c.Line.At); n > 0 {
		at := c.Line.At[n-1]
		out += ", at " + NewOutline(nil, at.Place).Called(InputRows(at.Place)+at.Node)
	}
	if c.Line.Unknown > 0 {
		out += "; the size of " + text.Plural(c.Line.Unknown, "value") + " is not known"
	}
	return out
}
