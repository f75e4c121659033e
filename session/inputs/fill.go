package inputs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Fill is a rule for generating elements. The zero value means that there is no rule.
type Fill struct {
	kind fillKind
	a, b float64
}

type fillKind uint8

const (
	fillNone    fillKind = iota
	fillNormal           // mean a, standard deviation b
	fillUniform          // from a up to, not including, b
	fillInts             // integers from a to b
	fillFull             // all a
	fillCount            // 0, 1, … along the last axis
)

// FillSyntax describes what ParseFill accepts, for help texts.
const FillSyntax = "normal, normal(MEAN,STD), uniform, uniform(LO,HI), zeros, ones, full(X), ints(LO,HI), count"

// fillRules maps a name to its rule: how many numbers follow in parentheses, and the defaults if
// they are left out. If without is nil, the numbers are required.
var fillRules = map[string]struct {
	kind    fillKind
	numbers int
	without []float64
}{
	"normal":  {fillNormal, 2, []float64{0, 1}},
	"uniform": {fillUniform, 2, []float64{0, 1}},
	"ints":    {fillInts, 2, nil},
	"full":    {fillFull, 1, nil},
	"zeros":   {fillFull, 0, []float64{0, 0}},
	"ones":    {fillFull, 0, []float64{1, 0}},
	"count":   {fillCount, 0, []float64{0, 0}},
}

// isFill reports whether a text begins with the name of a rule. It is then not the name of a file.
func isFill(s string) bool {
	name, _, _ := strings.Cut(s, "(")
	_, known := fillRules[name]
	return known
}

// ParseFill reads a rule such as "normal", "zeros", "uniform(0,1)" or "ints(0,9)".
func ParseFill(s string) (Fill, error) {
	name, list, called := strings.Cut(s, "(")
	rule, known := fillRules[name]
	if !known {
		return Fill{}, fmt.Errorf("%q is not a rule to fill an input; expected one of %s", s, FillSyntax)
	}
	f := Fill{kind: rule.kind}
	if !called && rule.without != nil {
		f.a, f.b = rule.without[0], rule.without[1]
		return f, nil
	}
	list, closed := strings.CutSuffix(list, ")")
	words := strings.Split(list, ",")
	if !called || !closed || len(words) != rule.numbers {
		return Fill{}, fmt.Errorf("%q: %s takes %d numbers in parentheses", s, name, rule.numbers)
	}
	numbers := make([]float64, 2)
	for i, w := range words {
		x, err := strconv.ParseFloat(strings.TrimSpace(w), 64)
		if err != nil || rule.kind != fillFull && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return Fill{}, fmt.Errorf("%q: %q is not a number", s, w)
		}
		numbers[i] = x
	}
	f.a, f.b = numbers[0], numbers[1]
	return f, f.check(s)
}

func (f Fill) check(s string) error {
	const exact = 1 << 53 // up to here a float64 represents every integer
	switch {
	case (f.kind == fillUniform || f.kind == fillInts) && f.a > f.b:
		return fmt.Errorf("%q: the first number is above the second", s)
	case f.kind == fillNormal && f.b < 0:
		return fmt.Errorf("%q: a standard deviation cannot be negative", s)
	case f.kind == fillInts && (f.a != math.Trunc(f.a) || f.b != math.Trunc(f.b) || max(-f.a, f.b) > exact):
		return fmt.Errorf("%q: expected whole numbers up to 2^53", s)
	}
	return nil
}

// String writes the rule in the form that ParseFill reads.
func (f Fill) String() string {
	g := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	switch f.kind {
	case fillNormal:
		if f.a == 0 && f.b == 1 {
			return "normal"
		}
		return "normal(" + g(f.a) + "," + g(f.b) + ")"
	case fillUniform:
		return "uniform(" + g(f.a) + "," + g(f.b) + ")"
	case fillInts:
		return "ints(" + g(f.a) + "," + g(f.b) + ")"
	case fillFull:
		return "full(" + g(f.a) + ")"
	case fillCount:
		return "count"
	}
	return ""
}

// source returns a function that returns the next number of a tensor with the given shape.
func (f Fill) source(shape []int64, rng *rand.Rand) func() float64 {
	switch f.kind {
	case fillUniform:
		return func() float64 { return f.a + (f.b-f.a)*rng.Float64() }
	case fillInts:
		return wholeNumbers(rng, int64(f.a), int64(f.b))
	case fillFull:
		return func() float64 { return f.a }
	case fillCount:
		return count(lastAxis(shape))
	}
	return func() float64 { return f.a + f.b*rng.NormFloat64() }
}

// wholeNumbers returns a function that draws integers from lo to hi.
func wholeNumbers(rng *rand.Rand, lo, hi int64) func() float64 {
	return func() float64 { return float64(lo + rng.Int64N(hi-lo+1)) }
}

// count returns a function that counts from 0 to n-1 and then starts again.
func count(n int64) func() float64 {
	next := int64(-1)
	return func() float64 {
		next = (next + 1) % max(n, 1)
		return float64(next)
	}
}

// repeat returns a function that returns the numbers of a list in order. After the last one it
// begins again.
func repeat(list []int64) func() float64 {
	next := -1
	return func() float64 {
		next = (next + 1) % len(list)
		return float64(list[next])
	}
}

// choose returns a function that draws elements of a list at random.
func choose[T any](rng *rand.Rand, list []T) func() T {
	return func() T { return list[rng.IntN(len(list))] }
}

func lastAxis(shape []int64) int64 {
	if len(shape) == 0 {
		return 1
	}
	return shape[len(shape)-1]
}
