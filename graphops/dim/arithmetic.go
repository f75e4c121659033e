package dim

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"
)

// Errors that a calculation can end in; see Dim.Err.
var (
	ErrOverflow = errors.New("a size does not fit into 64 bits")
	ErrDivision = errors.New("a size is divided by zero")
)

func fault(err error) Dim { return Dim{p: &poly{err: err}} }

// faulty returns the first of the Dims that is an error. The bool is false if none is.
func faulty(dims ...Dim) (Dim, bool) {
	for _, d := range dims {
		if d.p != nil && d.p.err != nil {
			return d, true
		}
	}
	return Dim{}, false
}

func addInt(a, b int64) (int64, bool) {
	s := a + b
	return s, (a^s)&(b^s) >= 0
}

func mulInt(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(abs(a), abs(b))
	negative := (a < 0) != (b < 0)
	switch {
	case hi != 0 || lo > 1<<63 || lo == 1<<63 && !negative:
		return 0, false
	case negative:
		return int64(-lo), true
	default:
		return int64(lo), true
	}
}

func abs(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// Add returns d+e.
func (d Dim) Add(e Dim) Dim {
	if d.p == nil && e.p == nil {
		n, ok := addInt(d.n, e.n)
		if !ok {
			return fault(ErrOverflow)
		}
		return Number(n)
	}
	if f, ok := faulty(d, e); ok {
		return f
	}
	if e.Is(0) {
		return d
	}
	if d.Is(0) {
		return e
	}
	return mergeTerms(d.asTerms(), e.asTerms())
}

// mergeTerms adds two sums whose terms are sorted.
func mergeTerms(a, b []term) Dim {
	out := make([]term, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := compareMono(a[0].mono, b[0].mono); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			n, ok := addInt(a[0].coef, b[0].coef)
			if !ok {
				return fault(ErrOverflow)
			}
			out = append(out, term{n, a[0].mono})
			a, b = a[1:], b[1:]
		}
	}
	return fromTerms(append(append(out, a...), b...))
}

// Neg returns -d.
func (d Dim) Neg() Dim { return d.Mul(Number(-1)) }

// Sub returns d-e.
func (d Dim) Sub(e Dim) Dim { return d.Add(e.Neg()) }

// Mul returns d*e.
func (d Dim) Mul(e Dim) Dim {
	if d.p == nil && e.p == nil {
		n, ok := mulInt(d.n, e.n)
		if !ok {
			return fault(ErrOverflow)
		}
		return Number(n)
	}
	if f, ok := faulty(d, e); ok {
		return f
	}
	if d.Is(1) {
		return e
	}
	if e.Is(1) {
		return d
	}
	return mulTerms(d.asTerms(), e.asTerms())
}

func mulTerms(a, b []term) Dim {
	out := make([]term, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			n, ok := mulInt(x.coef, y.coef)
			if !ok {
				return fault(ErrOverflow)
			}
			out = append(out, term{n, mulMono(x.mono, y.mono)})
		}
	}
	if len(a) == 1 || len(b) == 1 {
		return fromTerms(out) // multiplication preserves the order
	}
	return collect(out)
}

// mulMono multiplies two products of atoms. The result is sorted like them.
func mulMono(a, b []*atom) []*atom {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	out := slices.Concat(a, b)
	slices.SortStableFunc(out, func(x, y *atom) int { return cmp.Compare(x.key, y.key) })
	return out
}

// collect returns the sum of terms, which may be in any order and may have the same atoms.
func collect(terms []term) Dim {
	slices.SortStableFunc(terms, func(x, y term) int { return compareMono(x.mono, y.mono) })
	out := terms[:0]
	for _, t := range terms {
		if k := len(out) - 1; k >= 0 && compareMono(out[k].mono, t.mono) == 0 {
			n, ok := addInt(out[k].coef, t.coef)
			if !ok {
				return fault(ErrOverflow)
			}
			out[k].coef = n
			continue
		}
		out = append(out, t)
	}
	return fromTerms(out)
}

// Product returns the product of all dims; 1 if there are none.
func Product(dims ...Dim) Dim {
	p := Number(1)
	for _, d := range dims {
		p = p.Mul(d)
	}
	return p
}
