// Package departure names the points in which a result differs on purpose from that of a reference
// program. A package with such points declares a constant for each, documents what the reference
// does, and describes in a Table what happens instead.
package departure

import (
	"maps"
	"slices"
)

// Departure is the code of such a point, in lower-case words with hyphens.
type Departure string

// Table describes, in a clause, what happens for each departure of a package.
type Table map[Departure]string

// All returns the departures of the table, sorted.
func (t Table) All() []Departure { return slices.Sorted(maps.Keys(t)) }

// Explain returns what happens for each of the departures, in their order.
func (t Table) Explain(list []Departure) []string {
	var told []string
	for _, d := range list {
		told = append(told, t[d])
	}
	return told
}

// Note returns the sorted list of departures with d added, unless it is there already.
func Note(list []Departure, d Departure) []Departure {
	if i, found := slices.BinarySearch(list, d); !found {
		return slices.Insert(list, i, d)
	}
	return list
}
