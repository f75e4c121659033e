package search

import (
	"cmp"
	"slices"
)

// Front has the trials for which no other one is both smaller and more exact, the smallest first.
type Front []Trial

// FrontOf returns the front of some trials. Failures are not in it.
func FrontOf(targets []Target, trials []Trial) (out Front) {
	sorted := slices.Clone(trials)
	slices.SortStableFunc(sorted, func(a, b Trial) int {
		return cmp.Or(cmp.Compare(a.Outcome.Bytes, b.Outcome.Bytes), cmp.Compare(Load(targets, &a.Outcome), Load(targets, &b.Outcome)),
			slices.Compare(a.Assignment, b.Assignment))
	})
	for _, t := range sorted {
		if t.Outcome.Failed != "" {
			continue
		}
		if len(out) == 0 || Load(targets, &t.Outcome) < Load(targets, &out[len(out)-1].Outcome) {
			out = append(out, t)
		}
	}
	return out
}

// Best returns the index of the smallest point that meets all targets, and whether there is one.
// Otherwise it returns that of the nearest one: the smallest that keeps the limits on errors, or if none
// does, that with the smallest error. original is the size of the original.
func (f Front) Best(targets []Target, original int64) (at int, met bool) {
	at = slices.IndexFunc(f, func(t Trial) bool { return Load(targets, &t.Outcome) <= 1 })
	if at < 0 {
		return len(f) - 1, false
	}
	for _, t := range targets {
		if t.Measure == Size && float64(f[at].Outcome.Bytes) > t.Bound*float64(original) {
			return at, false
		}
	}
	return at, true
}
