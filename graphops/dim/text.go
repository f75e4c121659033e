package dim

import (
	"slices"
	"strconv"
	"strings"
)

// text returns the expression in the form for display, which differs from the normal form in two
// points: floor(h/2)+h is written floor(3*h/2), and terms that are subtracted come last.
func (d Dim) text() string {
	if d.p == nil {
		return strconv.FormatInt(d.n, 10)
	}
	terms := gathered(d.p.terms)
	slices.SortStableFunc(terms, func(a, b term) int {
		switch {
		case a.coef > 0 && b.coef < 0:
			return -1
		case a.coef < 0 && b.coef > 0:
			return 1
		default:
			return 0
		}
	})
	var b strings.Builder
	for i, t := range terms {
		if i > 0 && t.coef > 0 {
			b.WriteByte('+')
		}
		b.WriteString(t.text())
	}
	return b.String()
}

func (t term) text() string {
	factors := make([]string, 0, len(t.mono)+1)
	for _, a := range t.mono {
		factors = append(factors, a.text())
	}
	product := strings.Join(factors, "*")
	switch {
	case product == "":
		return strconv.FormatInt(t.coef, 10)
	case t.coef == 1:
		return product
	case t.coef == -1:
		return "-" + product
	default:
		return strconv.FormatInt(t.coef, 10) + "*" + product
	}
}

func (a *atom) text() string {
	switch a.kind {
	case symbol, unknown, integer:
		return a.key
	case floorOf:
		dividend, divisor := a.args[0].text(), a.args[1].text()
		if a.args[0].Terms() > 1 {
			dividend = "(" + dividend + ")"
		}
		return "floor(" + dividend + "/" + bracketed(a.args[1], divisor) + ")"
	}
	args := make([]string, len(a.args))
	for i, d := range a.args {
		args[i] = d.text()
	}
	return functions[a.kind] + "(" + strings.Join(args, ",") + ")"
}

// gathered returns a sum in which each floor by a number has taken back its multiples: floor(h/2)+h
// becomes floor(3*h/2).
func gathered(terms []term) []term {
	out := slices.Clone(terms)
	for i := 0; i < len(out); i++ {
		if !out[i].isFloorByNumber() {
			continue
		}
		floor := out[i].mono[0]
		by, _ := floor.args[1].Number()
		inner := slices.Clone(floor.args[0].asTerms())
		rest := slices.DeleteFunc(slices.Clone(out), func(t term) bool { return takesBack(inner, t, by) })
		if len(rest) == len(out) {
			continue
		}
		i = slices.IndexFunc(rest, func(t term) bool { return len(t.mono) == 1 && t.mono[0] == floor })
		args := []Dim{{p: &poly{terms: inner}}, floor.args[1]}
		rest[i].mono = []*atom{{kind: floorOf, args: args, key: floor.key}}
		out = rest
	}
	return out
}

func (t term) isFloorByNumber() bool {
	return t.coef == 1 && len(t.mono) == 1 && t.mono[0].kind == floorOf && t.mono[0].args[1].p == nil
}

// takesBack adds the term t, which is outside of a floor by the number by, to the term with the
// same atoms inside. It reports whether there is such a term.
func takesBack(inner []term, t term, by int64) bool {
	i := slices.IndexFunc(inner, func(in term) bool { return compareMono(in.mono, t.mono) == 0 })
	if i < 0 {
		return false
	}
	whole, ok := mulInt(t.coef, by)
	if !ok {
		return false
	}
	sum, ok := addInt(inner[i].coef, whole)
	if !ok {
		return false
	}
	inner[i].coef = sum
	return true
}
