// Package departure declares the type for departures: points in which a result differs on purpose
// from that of a reference program. A package with departures declares a constant for each. The
// comment of the constant says what the reference does, and an entry in a Table says what happens
// instead.
package departure

import (
	"maps"
	"slices"
)

// Departure identifies one such point, in lower-case words with hyphens, such as "inverted-range".
type Departure string

// Table has, for each departure of a package, a clause that says what happens instead.
type Table map[Departure]string

// All returns the departures of the table, sorted.
func (t Table) All() []Departure { return slices.Sorted(maps.Keys(t)) }

// Explain returns the clauses for the departures in list, in the same order.
func (t Table) Explain(list []Departure) []string {
	var told []string
	for _, d := range list {
		told = append(told, t[d])
	}
	return told
}

// Note returns the sorted list with d added, unless it contains d already.
func Note(list []Departure, d Departure) []Departure {
	if i, found := slices.BinarySearch(list, d); !found {
		return slices.Insert(list, i, d)
	}
	return list
}
