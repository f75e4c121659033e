package dim

import (
	"cmp"
	"slices"
)

// Max is the larger one.
func (d Dim) Max(e Dim) Dim { return choose(maxOf, d, e) }

// Min is the smaller one.
func (d Dim) Min(e Dim) Dim { return choose(minOf, d, e) }

// choose keeps, of the arguments of a maximum or minimum, those that no other
// one always stands above or below.
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

// arguments are those of two Dims under a function of any number: what either
// is already such a function of, each once, in the order of their text.
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

// Broadcast is the size of an axis that two operands share; ok is false where no
// sizes that the symbols can stand for go together.
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
	args := arguments(broadcastOf, d, e)
	if len(args) == 1 {
		return args[0], true
	}
	return call(broadcastOf, args...), true
}

// AtLeast reports whether the Dim is never below e.
func (d Dim) AtLeast(e Dim) bool {
	lo, _ := d.Sub(e).Bounds()
	return lo >= 0
}
