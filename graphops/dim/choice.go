package dim

import (
	"cmp"
	"slices"
)

// Max returns the larger of d and e.
func (d Dim) Max(e Dim) Dim { return choose(maxOf, d, e) }

// Min returns the smaller of d and e.
func (d Dim) Min(e Dim) Dim { return choose(minOf, d, e) }

// choose returns the maximum or minimum of d and e. It leaves out arguments that can never be the
// result because another argument is always at least as large, or as small.
func choose(k kind, d, e Dim) Dim {
	if f, ok := faulty(d, e); ok {
		return f
	}
	args := arguments(k, d, e)
	for i := 0; i < len(args); i++ {
		loses := func(by Dim) bool {
			if k == maxOf {
				return by.AtLeast(args[i])
			}
			return args[i].AtLeast(by)
		}
		for j := range args {
			if j != i && loses(args[j]) {
				args = slices.Delete(args, i, i+1)
				i--
				break
			}
		}
	}
	if len(args) == 1 {
		return args[0]
	}
	return call(k, args...)
}

// arguments returns the arguments for a maximum, minimum or broadcast of dims. If one of dims is
// already the same function, its arguments are used instead of it. Each argument occurs once,
// sorted by its key.
func arguments(k kind, dims ...Dim) []Dim {
	var out []Dim
	for _, d := range dims {
		if a := d.atom(); a != nil && a.kind == k {
			out = append(out, a.args...)
		} else {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b Dim) int { return cmp.Compare(keyOf(a), keyOf(b)) })
	return slices.CompactFunc(out, Dim.Equal)
}

// Chooses reports whether d is a maximum, minimum or broadcast, and e is one of its arguments.
func (d Dim) Chooses(e Dim) bool {
	a := d.atom()
	return a != nil && functions[a.kind] != "" && slices.ContainsFunc(a.args, e.Equal)
}

// MinBeside returns what remains of a minimum without its argument e. ok is false if d is not a
// minimum with the argument e and at least one other.
func (d Dim) MinBeside(e Dim) (other Dim, ok bool) {
	a := d.atom()
	if a == nil || a.kind != minOf {
		return Dim{}, false
	}
	var rest []Dim
	for _, arg := range a.args {
		if arg.Equal(e) {
			ok = true
			continue
		}
		rest = append(rest, arg)
	}
	if !ok || len(rest) == 0 {
		return Dim{}, false
	}
	return minOf.of(rest), true
}

// WhereAtMost returns d simplified under the assumption that e is at most most: in a minimum,
// arguments that cannot be the smallest under that assumption are removed.
func (d Dim) WhereAtMost(e, most Dim) Dim {
	if e.AtLeast(most) {
		return d
	}
	return d.replace(func(a *atom) (Dim, bool) {
		if a.kind != minOf {
			return Dim{}, false
		}
		kept := slices.DeleteFunc(slices.Clone(a.args), func(arg Dim) bool {
			return arg.AtLeast(most) && slices.ContainsFunc(a.args, func(less Dim) bool { return !less.Equal(arg) && e.AtLeast(less) })
		})
		if len(kept) == len(a.args) || len(kept) == 0 {
			return Dim{}, false
		}
		return minOf.of(kept), true
	})
}

// Broadcast returns the size that results from broadcasting axes of the sizes d and e. ok is false
// if they cannot be broadcast for any sizes of the symbols.
func (d Dim) Broadcast(e Dim) (out Dim, ok bool) {
	if f, bad := faulty(d, e); bad {
		return f, true
	}
	switch {
	case d.Equal(e) || e.Is(1):
		return d, true
	case d.Is(1), d.isNotNegative(e):
		return e, true
	case e.isNotNegative(d):
		return d, true
	case d.p == nil && e.p == nil:
		return Dim{}, false
	}
	dlo, dhi := d.Bounds()
	elo, ehi := e.Bounds()
	switch {
	case dlo > 1 && elo > 1 && (dlo > ehi || elo > dhi):
		return Dim{}, false
	case d.p == nil || dlo > 1 && e.p != nil:
		return d, true
	case e.p == nil || elo > 1:
		return e, true
	}
	// If two sizes can be broadcast, the result is the larger one, unless one of them is 0.
	switch {
	case elo >= 1 && d.AtLeast(e):
		return d, true
	case dlo >= 1 && e.AtLeast(d):
		return e, true
	}
	args := arguments(broadcastOf, d, e)
	if len(args) == 1 {
		return args[0], true
	}
	return call(broadcastOf, args...), true
}

// AtLeast reports whether it is certain that d is at least e for all sizes of the symbols.
func (d Dim) AtLeast(e Dim) bool {
	looks := maxLooks
	return d.Sub(e).notNegative(maxSplits, &looks)
}

// maxSplits is the maximum nesting of replacements of a maximum or minimum in notNegative. maxLooks
// is the maximum number of sums that it considers in total, because a sum with many maxima has very
// many replacements.
const (
	maxSplits = 4
	maxLooks  = 128
)

// notNegative reports whether it is certain that a sum is at least 0. It uses the bounds of the
// sum. If they are not sufficient, it replaces a maximum or minimum by each of its arguments. A sum
// with +max or -min is the largest of the results, so one of them must be at least 0. A sum with
// +min or -max is the smallest, so all of them must be.
func (d Dim) notNegative(splits int, looks *int) bool {
	*looks--
	if lo, _ := d.Bounds(); lo >= 0 || splits == 0 || *looks <= 0 {
		return lo >= 0
	}
	for i, t := range d.asTerms() {
		if len(t.mono) != 1 || t.mono[0].kind != maxOf && t.mono[0].kind != minOf {
			continue
		}
		rest := fromTerms(slices.Delete(slices.Clone(d.p.terms), i, i+1))
		any := (t.mono[0].kind == maxOf) == (t.coef > 0)
		found := false
		for _, arg := range t.mono[0].args {
			if found = rest.Add(arg.Mul(Number(t.coef))).notNegative(splits-1, looks); found == any {
				break
			}
		}
		if found {
			return true
		}
	}
	return false
}

// isNotNegative reports whether d is the maximum of 0 and e. If both are sizes of axes, they are equal,
// because no axis has a negative size.
func (d Dim) isNotNegative(e Dim) bool {
	a := d.atom()
	return a != nil && a.kind == maxOf && len(a.args) == 2 && slices.ContainsFunc(a.args, e.Equal) && slices.ContainsFunc(a.args, func(arg Dim) bool { return arg.Is(0) })
}
