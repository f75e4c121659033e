package workspace

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"lathe/graphops/filter"
	"lathe/session/text"
	"lathe/tui/cells"
)

// Reason says in words why a filter cannot be used. It does not search for similar names while the
// filter is incomplete, because that takes long.
func Reason(err error) string {
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

// Summary says what is highlighted and how many rows it is, or what is wrong with the filter.
func (f *Found) Summary(row int) string {
	if f.Err != nil { // the text quotes what is wrong
		return "filter: " + f.why
	}
	if f.Query != "" {
		return cells.Cut(fmt.Sprintf("%q", cells.Prose(f.Query)), maxSubject) + " " + f.Position(row)
	}
	if f.Known && len(f.Rows)+f.Elsewhere() == 0 {
		return f.emptiness()
	}
	return f.Asked.What + ": " + f.Position(row)
}

// emptiness says that nothing was found.
func (f *Found) emptiness() string {
	if f.Query == "" {
		return f.Asked.None
	}
	return fmt.Sprintf("nothing matches %q", cells.Prose(f.Query))
}

// slowSearch is how long a search takes before its time is shown.
const slowSearch = 400 * time.Millisecond

// searching says that a search is running, and for how long if it is slow.
func (f *Found) searching() string {
	if _, elapsed, _ := f.search.Progress(); elapsed >= slowSearch {
		return "searching, " + text.Elapsed(elapsed)
	}
	return "searching"
}

// Position returns which match a row is and how many there are, as in "match 3 of 12". While a
// search runs it says that instead.
func (f *Found) Position(row int) string {
	switch {
	case !f.IsOn():
		return ""
	case f.Err != nil:
		return f.why
	case !f.Known:
		return f.searching()
	}
	out := f.ordinal(row)
	if n := f.Elsewhere(); n > 0 {
		out += ", " + text.Count(int64(n)) + " in other bodies"
	}
	return out
}

// Brief is Position in a few cells, as in "3/12". It is "" while that is not known.
func (f *Found) Brief(row int) string {
	if !f.IsOn() || f.Err != nil || !f.Known {
		return ""
	}
	all := text.Count(int64(len(f.Rows)))
	if i, ok := slices.BinarySearch(f.Rows, int32(row)); ok {
		return text.Count(int64(i+1)) + "/" + all
	}
	return all
}

// ordinal returns the number of a row among the highlighted ones, or only their number if the row
// is not one of them.
func (f *Found) ordinal(row int) string {
	one, many := "match", "matches"
	if f.Query == "" {
		one, many = "row", "rows"
	}
	switch i, ok := slices.BinarySearch(f.Rows, int32(row)); {
	case ok:
		return fmt.Sprintf("%s %s of %s", one, text.Count(int64(i+1)), text.Count(int64(len(f.Rows))))
	case len(f.Rows) == 0:
		return "no " + one
	case len(f.Rows) == 1:
		return "1 " + one
	default:
		return text.Count(int64(len(f.Rows))) + " " + many
	}
}
