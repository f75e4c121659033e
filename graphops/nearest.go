package graphops

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// NearestNames returns up to three candidates that are similar to name by edit distance, the most
// similar first. It is for messages about a name that does not exist. Candidates that differ in
// more than a third of the characters are not similar enough.
func NearestNames(name string, candidates iter.Seq[string]) []string {
	type hit struct {
		name     string
		distance int
	}
	var best []hit
	limit := max(2, len(name)/3)
	for c := range candidates {
		if c == "" || c == name {
			continue
		}
		d := distance(name, c, limit)
		switch {
		case strings.EqualFold(c, name):
			d = 0
		case name != "" && strings.Contains(c, name):
			d = min(d, 1)
		case d > limit, d >= max(len(name), len(c)): // not one byte in common
			continue
		}
		best = append(best, hit{c, d})
		if len(best) > 64 {
			slices.SortStableFunc(best, func(a, b hit) int { return cmp.Compare(a.distance, b.distance) })
			best = best[:3]
			limit = best[2].distance
		}
	}
	slices.SortStableFunc(best, func(a, b hit) int { return cmp.Compare(a.distance, b.distance) })
	var out []string
	for _, h := range best {
		if len(out) < 3 && !slices.Contains(out, h.name) {
			out = append(out, h.name)
		}
	}
	return out
}

// distance returns the Levenshtein distance of a and b. If it exceeds limit, it returns limit+1.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal, least := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
			least = min(least, row[j+1])
		}
		if least > limit {
			return limit + 1
		}
	}
	return row[len(b)]
}

// UnknownNameError says that a graph has nothing with the given name. Nearest are similar names
// that exist.
type UnknownNameError struct {
	What    string // "output", "input"
	Name    string
	Nearest []string
}

func (e *UnknownNameError) Error() string {
	s := fmt.Sprintf("%s %q: the graph has none of that name", e.What, e.Name)
	if len(e.Nearest) > 0 {
		s += "; nearest names: " + QuoteNames(e.Nearest)
	}
	return s
}

// Lookup finds a value of the graph by name. If there is none, the error suggests similar names. In
// the error, what says what the name is for, such as "output".
func (x *Index) Lookup(what, name string) (ValueID, error) {
	id, ok := x.Value(name)
	if !ok || name == "" {
		return -1, &UnknownNameError{what, name, NearestNames(name, slices.Values(x.ids.names))}
	}
	return id, nil
}

// fewNames is the maximum number of names that a message lists.
const fewNames = 5

// QuoteNames formats names for a message: the first ones, and the number of the others. It
// returns "none" for an empty list.
func QuoteNames(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	quoted := make([]string, min(len(names), fewNames))
	for i := range quoted {
		quoted[i] = strconv.Quote(names[i])
	}
	s := strings.Join(quoted, ", ")
	if more := len(names) - fewNames; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
