// Package departure declares the type for departures: points in which a result differs on purpose
// from that of a reference program. A package with departures declares a constant for each, whose
// comment says what the reference does. Tests against the reference expect a difference where one is
// reported. The documents of the commands explain them; commands do not show them.
package departure

import "slices"

// Departure identifies one such point, in lower-case words with hyphens, such as "inverted-range".
type Departure string

// Note returns the sorted list with d added, unless it contains d already.
func Note(list []Departure, d Departure) []Departure {
	if i, found := slices.BinarySearch(list, d); !found {
		return slices.Insert(list, i, d)
	}
	return list
}
