package dim

import (
	"cmp"
	"slices"
)

// Max returns the larger one.
func (d Dim) Max(e Dim) Dim { return choose(maxOf, d, e) }

// Min returns the smaller one.
func (d Dim) Min(e Dim) Dim { return choose(minOf, d, e) }

// choose removes arguments of a maximum or minimum that can never be the result because of another
// argument.
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

// arguments returns the arguments of two Dims under a function with any number of arguments. If a
// Dim is already the same function, its arguments are used. Each occurs once, in the order of their
// text.
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

// Chooses reports whether the Dim is a maximum, minimum or broadcast with e among its arguments.
func (d Dim) Chooses(e Dim) bool {
	a := d.atom()
	return a != nil && functions[a.kind] != "" && slices.ContainsFunc(a.args, e.Equal)
}

// MinBeside returns the remaining arguments of a minimum that contains e; ok is false if the Dim is
// not such a minimum.
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

// WhereAtMost simplifies the Dim under the assumption that e is at most most: minima lose arguments
// that cannot be the smallest.
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

// Broadcast returns the size of an axis that two operands share; ok is false if they cannot be
// broadcast for any sizes of the symbols.
func (d Dim) Broadcast(e Dim) (out Dim, ok bool) {
	if f, bad := faulty(d, e); bad {
		return f, true
	}
	switch {
	case d.Equal(e) || e.Is(1):
		return d, true
	case d.Is(1):
		return e, true
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
	// Of two sizes that can be broadcast, the result is the larger, unless the other one is 0.
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

// AtLeast reports whether the Dim is known never to be below e.
func (d Dim) AtLeast(e Dim) bool {
	looks := maxLooks
	return d.Sub(e).notNegative(maxSplits, &looks)
}

// maxSplits is the maximum number of maxima and minima that a comparison replaces at once. maxLooks
// is the maximum number of sums it considers in total, because a sum with many of them can be split
// in very many ways.
const (
	maxSplits = 4
	maxLooks  = 128
)

// notNegative reports whether a sum is known to be at least 0, from its bounds, or from its forms
// in which a maximum or minimum is replaced by each of its arguments. A sum that contains +max or
// -min is the largest of these forms, one with +min or -max the smallest.
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
