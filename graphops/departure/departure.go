// Package departure names the points on which a result differs on purpose from what
// the reference makes of the same input. A package that has such points declares a
// constant for each, says there what the reference does, and explains them in a Table.
package departure

import (
	"maps"
	"slices"
)

// Departure is the code of such a point, of lower-case words with hyphens between them.
type Departure string

// Table says for each departure of a package, in a clause, what happens there.
type Table map[Departure]string

// All are the departures of the table, sorted.
func (t Table) All() []Departure { return slices.Sorted(maps.Keys(t)) }

// Explain is what happens at each of the departures, in their order.
func (t Table) Explain(list []Departure) []string {
	var told []string
	for _, d := range list {
		told = append(told, t[d])
	}
	return told
}

// Note is a list of departures, sorted, each once, with d among them.
func Note(list []Departure, d Departure) []Departure {
	if i, found := slices.BinarySearch(list, d); !found {
		return slices.Insert(list, i, d)
	}
	return list
}
