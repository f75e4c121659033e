package dim_test

import (
	"errors"
	"math"
	"testing"

	"lathe/graphops/dim"
)

const least, most = math.MinInt64, math.MaxInt64

// parse reads an expression that is one.
func parse(t testing.TB, text string) dim.Dim {
	t.Helper()
	d, err := dim.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFaults(t *testing.T) {
	n, a := dim.Number, dim.Symbol("a")
	for name, x := range map[string]struct {
		got  dim.Dim
		want error
	}{
		"a sum above":              {n(most).Add(n(1)), dim.ErrOverflow},
		"a sum below":              {n(least).Add(n(-1)), dim.ErrOverflow},
		"a difference":             {n(0).Sub(n(least)), dim.ErrOverflow},
		"the smallest, negated":    {n(least).Neg(), dim.ErrOverflow},
		"a product":                {n(1 << 32).Mul(n(1 << 31)), dim.ErrOverflow},
		"a product of two lows":    {n(least).Mul(n(least)), dim.ErrOverflow},
		"coefficients, added":      {a.Mul(n(most)).Add(a), dim.ErrOverflow},
		"coefficients, multiplied": {a.Mul(n(most)).Mul(n(2)), dim.ErrOverflow},
		"a division by zero":       {a.FloorDiv(n(0)), dim.ErrDivision},
		"rounded up":               {a.CeilDiv(n(0)), dim.ErrDivision},
		"a remainder":              {a.Mod(n(0)), dim.ErrDivision},
		"the smallest by -1":       {n(least).FloorDiv(n(-1)), dim.ErrOverflow},
		"by the smallest":          {a.FloorDiv(n(least)), dim.ErrOverflow},
		"a fault, added to":        {a.FloorDiv(n(0)).Add(n(most)), dim.ErrDivision},
		"a fault times 0":          {a.FloorDiv(n(0)).Mul(n(0)), dim.ErrDivision},
		"the larger of a fault":    {a.Max(a.FloorDiv(n(0))), dim.ErrDivision},
		"a fault as a divisor":     {a.FloorDiv(a.FloorDiv(n(0))), dim.ErrDivision},
	} {
		if err := x.got.Err(); !errors.Is(err, x.want) {
			t.Errorf("%s: %s, %v, want %v", name, x.got, err, x.want)
		}
		if x.got.Known() || x.got.String() != "?" || x.got.Equal(dim.Number(0)) {
			t.Errorf("%s: a fault is not known, and no number", name)
		}
		if lo, hi := x.got.Bounds(); lo != least || hi != most {
			t.Errorf("%s: bounds %d and %d", name, lo, hi)
		}
	}
}

// TestEnds is what is at the ends of int64 and no fault.
func TestEnds(t *testing.T) {
	n := dim.Number
	for _, x := range []struct {
		text string
		got  dim.Dim
		want string
	}{
		{"the smallest product", n(least).Mul(n(1)), "-9223372036854775808"},
		{"another one", n(1 << 62).Mul(n(-2)), "-9223372036854775808"},
		{"the negated largest", n(most).Neg(), "-9223372036854775807"},
		{"the smallest by 1", n(least).FloorDiv(n(1)), "-9223372036854775808"},
		{"the smallest by 3", n(least).FloorDiv(n(3)), "-3074457345618258603"},
		{"a term", dim.Symbol("a").Mul(n(least)), "-9223372036854775808*a"},
		{"a term by a term", parse(t, "(-9223372036854775808*a*b)//(3*a*c)"), "floor((-9223372036854775808*a*b)/(3*a*c))"},
		{"floors of large numbers", parse(t, "floor(floor(a/4611686018427387904)/4611686018427387904)"), "floor(floor(a/4611686018427387904)/4611686018427387904)"},
		{"negative divisors", parse(t, "(a*b)//(-2*b)"), "floor(-a/2)"},
	} {
		back, err := dim.Parse(x.got.String())
		if text := x.got.String(); text != x.want && !x.got.Equal(parse(t, x.want)) || err != nil || !back.Equal(x.got) {
			t.Errorf("%s: %s, want %s; it reads as %s, %v", x.text, text, x.want, back, err)
		}
	}
}

// TestBoundsAtTheEnds holds bounds that would leave 64 bits against a size that the
// expression can have.
func TestBoundsAtTheEnds(t *testing.T) {
	for _, x := range []struct {
		text       string
		a, b, want int64
	}{
		{"9223372036854775807*a-b", 1, most, 0},
		{"9223372036854775807*a-b", 1, 1, most - 1},
		{"-9223372036854775807*a+b", 1, 1, -most + 1},
		{"-max(9223372036854775807,a)", 1, 1, -most},
		{"floor(max(9223372036854775807,a)/2)", 1, 1, most / 2},
		{"floor(-9223372036854775808*a/3)", 1, 1, -3074457345618258603},
		{"a-b", 1, most, -most + 1},
		{"(a-b)*(b-a)", 2, 1, -1},
		{"floor(1/(a-b))", 1, 2, -1},
	} {
		d := parse(t, x.text)
		got, err := d.Eval(sizeOf(map[string]int64{"a": x.a, "b": x.b}))
		lo, hi := d.Bounds()
		if err != nil || got != x.want || got < lo || got > hi {
			t.Errorf("%s with a=%d b=%d is %d, %v, want %d between %d and %d", x.text, x.a, x.b, got, err, x.want, lo, hi)
		}
	}
}

func TestEvalErrors(t *testing.T) {
	size := sizeOf(map[string]int64{"a": 4, "z": 0, "m": most, "n": 3})
	for text, want := range map[string]string{
		"a+x":              `symbol "x" has no size`,
		"floor(a/z)":       "floor(a/z): a size is divided by zero",
		"m+a":              "a+m: a size does not fit into 64 bits",
		"m*m":              "m*m: a size does not fit into 64 bits",
		"broadcast(a,n)*2": "2*broadcast(a,n): sizes 4 and 3 cannot be broadcast",
	} {
		if n, err := parse(t, text).Eval(size); err == nil || err.Error() != want {
			t.Errorf("%s: %d, %v, want %s", text, n, err, want)
		}
	}
	if _, err := dim.Unknown().Add(dim.Symbol("a")).Eval(size); err == nil || err.Error() != "? is not known" {
		t.Errorf("an unknown: %v", err)
	}
}

// TestUnknown divides by unknowns, and looks at their bounds.
func TestUnknown(t *testing.T) {
	u, a := dim.Unknown(), dim.Symbol("a")
	if q, ok := u.Mul(a).Add(u).Quotient(u); !ok || !q.Equal(a.Add(dim.Number(1))) {
		t.Errorf("(?*a+?)/? is %s, %v", q, ok)
	}
	if d := u.Mul(a).Add(u).FloorDiv(u.Mul(dim.Symbol("b"))); d.Is(0) || !d.Equal(parse(t, "floor((a+1)/b)")) {
		t.Errorf("(?*a+?)//(?*b) is %s", d)
	}
	if u.Equal(dim.Unknown()) || !u.Equal(u) || !u.Sub(u).Is(0) || !u.Mul(dim.Number(0)).Is(0) {
		t.Error("an unknown equals itself alone")
	}
	i := dim.UnknownInteger()
	if lo, _ := i.Bounds(); lo != least || !i.IsUnknown() || i.AtLeast(dim.Number(0)) || !u.AtLeast(dim.Number(0)) {
		t.Errorf("an integer that is not known is at least %d", lo)
	}
}
