package graphops

import "iter"

// NearestNames are up to three of the candidates that are most like name,
// closest first, for messages about a name that does not exist.
func NearestNames(name string, candidates iter.Seq[string]) []string {
	return nearestNames(name, candidates)
}
