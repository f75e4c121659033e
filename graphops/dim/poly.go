package dim

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// kind says what an atom is.
type kind uint8

const (
	symbol      kind = iota
	unknown          // a size
	integer          // an unknown that may be negative
	floorOf          // floor(args[0]/args[1])
	maxOf            // of args
	minOf            // of args
	broadcastOf      // of args
)

var functions = map[kind]string{maxOf: "max", minOf: "min", broadcastOf: "broadcast"}

// atom is a factor that is not a number: a symbol, an unknown, or a function of Dims.
type atom struct {
	kind kind
	name string // of a symbol
	args []Dim
	key  string // equal exactly for equal atoms
	open bool   // it contains an unknown
}

// term is a number times a product of atoms. The atoms are sorted by key, and a power is an atom
// that occurs repeatedly. A term without atoms is a number.
type term struct {
	coef int64
	mono []*atom
}

// poly is a sum of terms, or an error. The terms are sorted by compareMono, no two have the same
// atoms, and no coefficient is zero. A poly is immutable, and never just a number.
type poly struct {
	terms []term
	key   string // the text; equal exactly for equal sums
	open  bool   // it contains an unknown
	err   error
}

// compareMono orders products of atoms: those with more factors first, and then by keys. If two
// products are multiplied by a third, their order stays. Quotient relies on this.
func compareMono(a, b []*atom) int {
	if c := cmp.Compare(len(b), len(a)); c != 0 {
		return c
	}
	for i := range a {
		if a[i] != b[i] {
			if c := strings.Compare(a[i].key, b[i].key); c != 0 {
				return c
			}
		}
	}
	return 0
}

// asTerms returns the terms of the sum; none for 0.
func (d Dim) asTerms() []term {
	switch {
	case d.p != nil:
		return d.p.terms
	case d.n == 0:
		return nil
	default:
		return []term{{coef: d.n}}
	}
}

// fromTerms returns the sum of terms, which must be sorted by compareMono and have different atoms.
// It drops terms with the coefficient 0.
func fromTerms(terms []term) Dim {
	terms = slices.DeleteFunc(terms, func(t term) bool { return t.coef == 0 })
	switch {
	case len(terms) == 0:
		return Dim{}
	case len(terms) == 1 && len(terms[0].mono) == 0:
		return Number(terms[0].coef)
	case len(terms) > MaxTerms || textLength(terms) > MaxText:
		return UnknownInteger()
	}
	p := &poly{terms: terms, key: sumText(terms)}
	for _, t := range terms {
		for _, a := range t.mono {
			p.open = p.open || a.open
		}
	}
	if len(p.key) > MaxText {
		return UnknownInteger()
	}
	return Dim{p: p}
}

// textLength returns the approximate length of the text of a sum without its coefficients. It is
// cheaper than making the text.
func textLength(terms []term) (n int) {
	for _, t := range terms {
		for _, a := range t.mono {
			n += len(a.key) + 1
		}
	}
	return n
}

func sumText(terms []term) string {
	if len(terms) == 1 && terms[0].coef == 1 && len(terms[0].mono) == 1 {
		return terms[0].mono[0].key
	}
	var b strings.Builder
	b.Grow(textLength(terms) + 4*len(terms))
	var digits [20]byte
	for i, t := range terms {
		if i > 0 && t.coef > 0 {
			b.WriteByte('+')
		}
		switch {
		case len(t.mono) == 0:
			b.Write(strconv.AppendInt(digits[:0], t.coef, 10))
			continue
		case t.coef == -1:
			b.WriteByte('-')
		case t.coef != 1:
			b.Write(strconv.AppendInt(digits[:0], t.coef, 10))
			b.WriteByte('*')
		}
		for j, a := range t.mono {
			if j > 0 {
				b.WriteByte('*')
			}
			b.WriteString(a.key)
		}
	}
	return b.String()
}

// call returns the Dim that is a function of args.
func call(k kind, args ...Dim) Dim {
	a := &atom{kind: k, args: args}
	texts, length := make([]string, len(args)), 0
	for i, d := range args {
		texts[i] = keyOf(d)
		length += len(texts[i])
		a.open = a.open || d.p != nil && d.p.open
	}
	if k != floorOf && len(args) > maxArguments || length > MaxText {
		return UnknownInteger()
	}
	if k == floorOf {
		a.key = "floor(" + bracketed(args[0], texts[0]) + "/" + bracketed(args[1], texts[1]) + ")"
	} else {
		a.key = functions[k] + "(" + strings.Join(texts, ",") + ")"
	}
	if len(a.key) > MaxText {
		return UnknownInteger()
	}
	return ofAtom(a)
}

// keyOf returns a text that is equal exactly for equal Dims. Each unknown in it has its own number.
func keyOf(d Dim) string {
	if d.p == nil {
		return strconv.FormatInt(d.n, 10)
	}
	return d.p.key
}

// bracketed returns the text of an operand of a division, in parentheses if it is not a number or a
// single atom.
func bracketed(d Dim, text string) string {
	if d.p == nil || d.atom() != nil {
		return text
	}
	return "(" + text + ")"
}

// quoted returns a symbol's name as it is written inside an expression: in braces unless it is a
// plain name.
func quoted(name string) string {
	if isName(name) {
		return name
	}
	return "{" + strings.ReplaceAll(strings.ReplaceAll(name, `\`, `\\`), "}", `\}`) + "}"
}
