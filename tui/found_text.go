package tui

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"lathe/graphops/filter"
	"lathe/session/text"
	"lathe/tui/cells"
)

// reason says in words why a filter cannot be used. It does not search for similar names while the
// filter is incomplete, because that takes long.
func reason(err error) string {
	if err == nil {
		return ""
	}
	var fault *filter.Error
	if errors.As(err, &fault) && fault.Unfinished {
		return cells.Prose(fault.Brief())
	}
	return cells.Prose(err.Error())
}

// maxSubject is the largest width of the filter in the status line, in cells.
const maxSubject = 50

// summary says what is highlighted and how many rows it is, or what is wrong with the filter.
func (f *found) summary(row int) string {
	if f.err != nil { // the text quotes what is wrong
		return "filter: " + f.why
	}
	if f.query != "" {
		return cells.Cut(fmt.Sprintf("%q", cells.Prose(f.query)), maxSubject) + " " + f.position(row)
	}
	if f.known && len(f.rows)+f.elsewhere() == 0 {
		return f.emptiness()
	}
	return f.asked.what + ": " + f.position(row)
}

// emptiness says that nothing was found.
func (f *found) emptiness() string {
	if f.query == "" {
		return f.asked.none
	}
	return fmt.Sprintf("nothing matches %q", cells.Prose(f.query))
}

// slowSearch is how long a search takes before its time is shown.
const slowSearch = 400 * time.Millisecond

// searching says that a search is running, and for how long if it is slow.
func (f *found) searching() string {
	if _, elapsed, _ := f.search.Progress(); elapsed >= slowSearch {
		return "searching, " + text.Elapsed(elapsed)
	}
	return "searching"
}

// position returns which match a row is and how many there are, as in "match 3 of 12". While a
// search runs it says that instead.
func (f *found) position(row int) string {
	switch {
	case !f.isOn():
		return ""
	case f.err != nil:
		return f.why
	case !f.known:
		return f.searching()
	}
	out := f.ordinal(row)
	if n := f.elsewhere(); n > 0 {
		out += ", " + text.Count(int64(n)) + " in other bodies"
	}
	return out
}

// ordinal returns the number of a row among the highlighted ones, or only their number if the row
// is not one of them.
func (f *found) ordinal(row int) string {
	one, many := "match", "matches"
	if f.query == "" {
		one, many = "row", "rows"
	}
	switch i, ok := slices.BinarySearch(f.rows, int32(row)); {
	case ok:
		return fmt.Sprintf("%s %s of %s", one, text.Count(int64(i+1)), text.Count(int64(len(f.rows))))
	case len(f.rows) == 0:
		return "no " + one
	case len(f.rows) == 1:
		return "1 " + one
	default:
		return text.Count(int64(len(f.rows))) + " " + many
	}
}
