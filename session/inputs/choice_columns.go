package inputs

import (
	"fmt"
	"slices"
	"strings"
)

// columns chooses separately for each position along the last axis.
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
	if c.allowed.Why != "" { // one reader decides about all columns
		out.what, out.why = "boxes", c.allowed.Why
	}
	if words[0] != nil {
		out.words = inTurn(words)
	} else {
		out.numbers = inTurn(numbers)
	}
	return out
}

// inTurn calls the functions of a list one after the other and starts again.
func inTurn[T any](list []func() T) func() T {
	at := -1
	return func() T {
		at = (at + 1) % len(list)
		return list[at]()
	}
}

// byColumn describes the columns. If they differ, it names the first column of each description.
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
