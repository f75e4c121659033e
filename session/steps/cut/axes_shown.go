package cut

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session/proof"
	"lathe/session/text"
)

// writeProof writes the result of a proof in one line. The line begins with "proved" only if all
// items of all outputs were shown to be equal, at other sizes of every dynamic axis.
func writeProof(w io.Writer, p *proof.Axes) {
	if p == nil {
		return
	}
	at := ""
	if len(p.Sizes) > 0 {
		at = " at " + proof.FormatSizes(p.Sizes)
	}
	first := "equal to the original" + at
	if p.Whole() {
		first = "proved: bit-equal to the original" + at
	}
	line := []string{first}
	for _, a := range p.Freed {
		line = append(line, shown(a))
	}
	if len(p.Together) > 0 {
		line = append(line, fmt.Sprintf("the same at %s together", proof.FormatSizes(p.Together)))
	}
	fmt.Fprintln(w, text.CleanLine(strings.Join(line, "; ")))
}

// shown describes the result of the proof for one axis: the sizes that were tried, and whether each
// row is the same as when only that row is run.
func shown(a proof.Axis) string {
	if len(a.Sizes) == 0 {
		return fmt.Sprintf("%s: %s", a.Symbol, a.Note)
	}
	at := fmt.Sprintf("at %s=%s", a.Symbol, numbersOf(a.Sizes))
	switch a.Items {
	case proof.ItemsEqual:
		return at + " " + equalRows(a)
	case proof.ItemsDiffer:
		if slices.Equal(a.Sizes, a.Differ) {
			return fmt.Sprintf("%s rows differ from those run alone: %s", at, a.Note)
		}
		return fmt.Sprintf("%s it runs and the outputs have the declared shapes, at %s=%s rows differ from those run alone: %s", at, a.Symbol, numbersOf(a.Differ), a.Note)
	case proof.ItemsAlike:
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
func equalRows(a proof.Axis) string {
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
