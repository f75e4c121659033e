package dim

import (
	"strconv"
	"strings"
	"sync/atomic"
)

// Limits for the size of an expression. A calculation whose result exceeds them returns an
// UnknownInteger.
const (
	MaxTerms     = 64
	maxArguments = 16 // of a maximum, minimum or broadcast
	MaxText      = 1024
)

// Dim is a size: a number, an expression in symbols, an unknown, or an error. The zero Dim is the
// number 0. Compare Dims with Equal, not with ==.
type Dim struct {
	n int64
	p *poly // nil for a number
}

// Number returns a size that is a number.
func Number(n int64) Dim { return Dim{n: n} }

// Symbol returns the size with the given name. The name may be any text.
func Symbol(name string) Dim {
	return ofAtom(&atom{kind: symbol, key: quoted(name), name: name})
}

var unknowns atomic.Uint64

// Unknown returns a new unknown size, which is at least 0. It equals only itself.
func Unknown() Dim { return newUnknown(unknown) }

// UnknownInteger returns a new unknown that may be negative, for elements of a tensor that are not
// sizes.
func UnknownInteger() Dim { return newUnknown(integer) }

func newUnknown(k kind) Dim {
	id := unknowns.Add(1)
	return ofAtom(&atom{kind: k, key: "?" + strconv.FormatUint(id, 10), open: true})
}

func ofAtom(a *atom) Dim {
	return Dim{p: &poly{terms: []term{{1, []*atom{a}}}, key: a.key, open: a.open}}
}

// Number returns the number if d is a number. Otherwise ok is false.
func (d Dim) Number() (n int64, ok bool) { return d.n, d.p == nil }

// Is reports whether the Dim is the number n.
func (d Dim) Is(n int64) bool { return d.p == nil && d.n == n }

// Known reports whether the Dim is a number or an expression without unknowns.
func (d Dim) Known() bool { return d.p == nil || !d.p.open && d.p.err == nil }

// Err returns the error if d is one; otherwise nil.
func (d Dim) Err() error {
	if d.p == nil {
		return nil
	}
	return d.p.err
}

// Equal reports whether two Dims have the same normal form, so that they are equal for all sizes of
// their symbols. An error equals nothing but itself.
func (d Dim) Equal(e Dim) bool {
	if d.p == nil || e.p == nil {
		return d.p == e.p && d.n == e.n
	}
	return d.p == e.p || d.p.err == nil && e.p.err == nil && d.p.key == e.p.key
}

// IsSymbol returns the name if d is just one symbol. Otherwise ok is false.
func (d Dim) IsSymbol() (name string, ok bool) {
	a := d.atom()
	if a == nil || a.kind != symbol {
		return "", false
	}
	return a.name, true
}

// IsUnknown reports whether d is just one unknown.
func (d Dim) IsUnknown() bool {
	a := d.atom()
	return a != nil && (a.kind == unknown || a.kind == integer)
}

// Terms returns the number of terms in the sum; see the package documentation.
func (d Dim) Terms() int { return len(d.asTerms()) }

// atom returns the atom if d is just one atom; otherwise nil.
func (d Dim) atom() *atom {
	if d.p == nil || len(d.p.terms) != 1 || d.p.terms[0].coef != 1 || len(d.p.terms[0].mono) != 1 {
		return nil
	}
	return d.p.terms[0].mono[0]
}

// Symbols calls f with the name of each symbol in d. It may call f with the same name several
// times.
func (d Dim) Symbols(f func(name string)) {
	d.eachAtom(func(a *atom) {
		if a.kind == symbol {
			f(a.name)
		}
	})
}

// eachAtom calls f with each atom in d, including those in arguments of functions.
func (d Dim) eachAtom(f func(*atom)) {
	if d.p == nil {
		return
	}
	for _, t := range d.p.terms {
		for _, a := range t.mono {
			f(a)
			for _, arg := range a.args {
				arg.eachAtom(f)
			}
		}
	}
}

// String returns the expression as text that Parse and OfText can read. It returns "?" if d is
// unknown or an error. A single symbol is returned as its name, without braces.
func (d Dim) String() string {
	switch {
	case d.p == nil:
		return strconv.FormatInt(d.n, 10)
	case !d.Known():
		return "?"
	}
	if name, ok := d.IsSymbol(); ok {
		return name
	}
	text := d.text()
	switch {
	case len(text) > MaxText:
		return d.p.key // this form can be read back
	case isHyphenated(text):
		return strings.ReplaceAll(text, "-", " - ") // otherwise it would be read as a name
	default:
		return text
	}
}
