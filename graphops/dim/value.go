package dim

import (
	"fmt"
	"slices"
)

// Eval returns the number that d is if the function size tells the sizes of the symbols. It returns
// an error if a symbol has no size, if d contains an unknown, or if the calculation overflows or
// divides by zero.
func (d Dim) Eval(size func(symbol string) (int64, bool)) (int64, error) {
	var missing string
	out := d.replace(func(a *atom) (Dim, bool) {
		if a.kind != symbol {
			return Dim{}, false
		}
		n, ok := size(a.name)
		if !ok {
			missing = a.name
		}
		return Number(n), ok
	})
	switch n, ok := out.Number(); {
	case ok:
		return n, nil
	case missing != "":
		return 0, fmt.Errorf("symbol %q has no size", missing)
	case out.Err() != nil:
		return 0, fmt.Errorf("%s: %w", d, out.Err())
	default:
		return 0, fmt.Errorf("%s is not known", d)
	}
}

// Subst returns d with symbols replaced by other expressions. A symbol stays if the bool of to is
// false. Symbols in the replacements are not replaced again.
func (d Dim) Subst(to func(symbol string) (Dim, bool)) Dim {
	return d.replace(func(a *atom) (Dim, bool) {
		if a.kind != symbol {
			return Dim{}, false
		}
		return to(a.name)
	})
}

// replace returns d with those atoms replaced for which to returns true, and calculates it again.
func (d Dim) replace(to func(*atom) (Dim, bool)) Dim {
	if d.p == nil || d.p.err != nil {
		return d
	}
	sum, changed := Dim{}, false
	for _, t := range d.p.terms {
		product := Number(t.coef)
		for _, a := range t.mono {
			x, ok := a.replaced(to)
			product, changed = product.Mul(x), changed || ok
		}
		sum = sum.Add(product)
	}
	if !changed {
		return d
	}
	return sum
}

func (a *atom) replaced(to func(*atom) (Dim, bool)) (Dim, bool) {
	if d, ok := to(a); ok {
		return d, true
	}
	args, changed := make([]Dim, len(a.args)), false
	for i, d := range a.args {
		args[i] = d.replace(to)
		changed = changed || !args[i].Equal(d)
	}
	if !changed {
		return ofAtom(a), false
	}
	return a.kind.of(args), true
}

// of returns the value of the function for two or more arguments.
func (k kind) of(args []Dim) Dim {
	out := args[0]
	for _, d := range args[1:] {
		switch k {
		case floorOf:
			out = out.FloorDiv(d)
		case maxOf:
			out = out.Max(d)
		case minOf:
			out = out.Min(d)
		case broadcastOf:
			shared, ok := out.Broadcast(d)
			if !ok {
				return fault(fmt.Errorf("sizes %s and %s cannot be broadcast", out, d))
			}
			out = shared
		}
	}
	return out
}

// Linear splits d into x*symbol+y for the symbol with the given name. ok is false if x or y would
// contain that symbol.
func (d Dim) Linear(name string) (x, y Dim, ok bool) {
	var with, without []term
	for _, t := range d.asTerms() {
		i := slices.IndexFunc(t.mono, func(a *atom) bool { return a.kind == symbol && a.name == name })
		if i < 0 {
			without = append(without, t)
			continue
		}
		with = append(with, term{t.coef, slices.Delete(slices.Clone(t.mono), i, i+1)})
	}
	x, y = collect(with), fromTerms(without)
	ok = d.Err() == nil
	for _, part := range []Dim{x, y} {
		part.Symbols(func(s string) { ok = ok && s != name })
	}
	return x, y, ok
}
