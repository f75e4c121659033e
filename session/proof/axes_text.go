package proof

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
)

// Text describes the result of the proof for one axis: the sizes that were tried, and whether each
// row is the same as when only that row is run.
func (a *Axis) Text() string {
	if len(a.Sizes) == 0 {
		return fmt.Sprintf("%s: %s", a.Symbol, a.Note)
	}
	at := fmt.Sprintf("at %s=%s", a.Symbol, numbersOf(a.Sizes))
	switch a.Items {
	case ItemsEqual:
		return at + " " + a.equalRows()
	case ItemsDiffer:
		if slices.Equal(a.Sizes, a.Differ) {
			return fmt.Sprintf("%s rows differ from those run alone: %s", at, a.Note)
		}
		return fmt.Sprintf("%s it runs and the outputs have the declared shapes, at %s=%s rows differ from those run alone: %s", at, a.Symbol, numbersOf(a.Differ), a.Note)
	case ItemsAlike:
		return fmt.Sprintf("%s it runs and the outputs have the declared shapes, %s", at, a.Note)
	default:
		if a.Lost != "" {
			return fmt.Sprintf("%s it runs, %s", at, a.Note)
		}
		return fmt.Sprintf("%s it runs and the outputs have the declared shapes, rows are not compared with those run alone: %s", at, a.Note)
	}
}

// equalRows returns a phrase that names the outputs whose rows are the same as when each row is run
// alone, and the outputs that were not compared.
func (a *Axis) equalRows() string {
	what := "every row is the same as when run alone"
	if len(a.Unchecked) > 0 {
		var names []string
		for _, u := range a.Unchecked {
			names = append(names, fmt.Sprintf("%q: %s", u.Output, u.Why))
		}
		what = fmt.Sprintf("every row of %s is the same as when run alone, except for rows that were not compared: %s", graphops.QuoteNames(a.Outputs), strings.Join(names, ", "))
	}
	if len(a.Interleaved) > 0 {
		what += fmt.Sprintf(", the rows of %s are interleaved and not in one block for each item", graphops.QuoteNames(a.Interleaved))
	}
	off := "no difference"
	if a.MaxDifference != 0 {
		off = fmt.Sprintf("largest difference %.1g", a.MaxDifference)
	}
	if a.Note != "" {
		off += "; " + a.Note
	}
	return fmt.Sprintf("%s (%s)", what, off)
}

// numbersOf joins numbers as "2 and 5".
func numbersOf(list []int64) string {
	var words []string
	for _, n := range list {
		words = append(words, fmt.Sprint(n))
	}
	return strings.Join(words, " and ")
}
