package inputs

import (
	"fmt"
	"slices"
	"strings"
)

// columns makes a choice for each position along the last axis. It is for inputs in which each
// column has its own meaning, such as the corners of boxes.
func (c chooser) columns(real Fill) choice {
	var numbers []func() float64
	var words []func() string
	var what, why []string
	for _, a := range c.allowed.Columns {
		one := c
		one.allowed, one.shape = a, c.shape[:len(c.shape)-1]
		pick := one.choose(real)
		numbers, words = append(numbers, pick.numbers), append(words, pick.words)
		what, why = append(what, pick.what), append(why, pick.why)
	}
	out := choice{what: byColumn(what), why: byColumn(why)}
	if c.allowed.Why != "" { // one node decides about all columns
		out.what, out.why = "boxes", c.allowed.Why
	}
	if words[0] != nil {
		out.words = inTurn(words)
	} else {
		out.numbers = inTurn(numbers)
	}
	return out
}

// inTurn returns a function that calls the functions of a list one after the other. After the last
// one it begins again with the first.
func inTurn[T any](list []func() T) func() T {
	at := -1
	return func() T {
		at = (at + 1) % len(list)
		return list[at]()
	}
}

// byColumn combines the descriptions of the columns. If they are not all equal, it names for each
// description the first column that has it.
func byColumn(list []string) string {
	const most = 3
	distinct := slices.Clone(list)
	slices.Sort(distinct)
	if distinct = slices.Compact(distinct); len(distinct) == 1 {
		return distinct[0]
	}
	var parts []string
	for i, s := range list {
		if s != "" && slices.Index(list, s) == i {
			parts = append(parts, fmt.Sprintf("%s in column %d", s, i))
		}
	}
	if n := len(parts); n > most {
		parts = append(parts[:most], fmt.Sprintf("%d more", n-most))
	}
	return strings.Join(parts, "; ")
}
