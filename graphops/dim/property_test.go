package dim_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"lathe/graphops/dim"
)

// TestArithmetic compares random expressions with their value in big numbers, and
// what is said of their bounds and their text.
func TestArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	compared := 0
	for range 8_000 {
		e := randomExpression(r, 4, len(operators))
		d := e.build()
		if !d.Known() {
			continue
		}
		if back, err := dim.Parse(d.String()); len(uses(d)) > 0 && d.String() != "batch size" && (err != nil || !back.Equal(d)) {
			t.Fatalf("%s is %s, which reads as %s, %v", e, d, back, err)
		}
		if back := dim.OfText(d.String()); len(uses(d)) > 0 && !back.Equal(d) {
			t.Fatalf("%s is %s, which a file has as %s", e, d, back)
		}
		lo, hi := d.Bounds()
		for range 8 {
			size := randomSizes(r)
			want, err := e.value(size)
			if err != nil {
				continue
			}
			got, err := d.Eval(sizeOf(size))
			if err != nil || !want.IsInt64() || got != want.Int64() {
				t.Fatalf("%s is %s, which with %v is %d, %v, want %s", e, d, size, got, err, want)
			}
			if got < lo || got > hi {
				t.Fatalf("%s is %s, between %d and %d, and with %v it is %d", e, d, lo, hi, size, got)
			}
			compared++
		}
	}
	if compared < 20_000 {
		t.Errorf("%d values compared, which is too few", compared)
	}
}

// TestEqual holds Equal against values: what is equal has the same ones, and
// polynomials, and sums of floors by numbers, that have the same ones are equal.
func TestEqual(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	equal := 0
	for range 6_000 {
		kinds := len(operators)
		if r.IntN(2) == 0 {
			kinds = polynomial
		}
		x, y := randomExpression(r, 3, kinds), randomExpression(r, 3, kinds)
		a, b := x.build(), y.build()
		if !a.Known() || !b.Known() {
			continue
		}
		same, values := true, 0
		for range 30 {
			size := randomSizes(r)
			m, errM := x.value(size)
			n, errN := y.value(size)
			if errM == nil && errN == nil {
				same, values = same && m.Cmp(n) == 0, values+1
			}
		}
		switch {
		case a.Equal(b) && !same:
			t.Fatalf("%s and %s are both %s", x, y, a)
		case kinds == polynomial && values > 20 && same && !a.Equal(b):
			t.Fatalf("%s is %s and %s is %s", x, a, y, b)
		case a.Equal(b):
			equal++
		}
		if a.AtLeast(b) {
			size := randomSizes(r)
			m, errM := x.value(size)
			n, errN := y.value(size)
			if errM == nil && errN == nil && m.Cmp(n) < 0 {
				t.Fatalf("%s is said to be at least %s: with %v it is %s and %s", a, b, size, m, n)
			}
		}
	}
	if equal < 30 {
		t.Errorf("%d were equal, which is too few", equal)
	}
}

// TestOneForm builds the same size in different ways.
func TestOneForm(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2_000 {
		a, b, c := randomExpression(r, 2, len(operators)).build(), randomExpression(r, 2, len(operators)).build(), randomExpression(r, 2, len(operators)).build()
		if !a.Known() || !b.Known() || !c.Known() {
			continue
		}
		for _, x := range []struct {
			law         string
			left, right dim.Dim
		}{
			{"a+b = b+a", a.Add(b), b.Add(a)},
			{"a*b = b*a", a.Mul(b), b.Mul(a)},
			{"(a+b)+c = a+(b+c)", a.Add(b).Add(c), a.Add(b.Add(c))},
			{"(a*b)*c = a*(b*c)", a.Mul(b).Mul(c), a.Mul(b.Mul(c))},
			{"(a+b)*c = a*c+b*c", a.Add(b).Mul(c), a.Mul(c).Add(b.Mul(c))},
			{"a-a = 0", a.Sub(a), dim.Number(0)},
			{"--a = a", a.Neg().Neg(), a},
			{"max(a,b) = max(b,a)", a.Max(b), b.Max(a)},
			{"max(a,a) = a", a.Max(a), a},
			{"floor((a+3b)/3) = floor(a/3)+b", a.Add(b.Mul(dim.Number(3))).FloorDiv(dim.Number(3)), a.FloorDiv(dim.Number(3)).Add(b)},
			{"floor(floor(a/2)/3) = floor(a/6)", a.FloorDiv(dim.Number(2)).FloorDiv(dim.Number(3)), a.FloorDiv(dim.Number(6))},
			{"floor(-a/-4) = floor(a/4)", a.Neg().FloorDiv(dim.Number(-4)), a.FloorDiv(dim.Number(4))},
		} {
			if strings.HasPrefix(x.law, "floor(floor") && strings.Contains(a.String(), "floor") {
				continue // of several floors inside, none is made one with that outside
			}
			if x.left.Known() && x.right.Known() && !x.left.Equal(x.right) {
				t.Fatalf("%s: %s is not %s (a = %s, b = %s, c = %s)", x.law, x.left, x.right, a, b, c)
			}
		}
	}
}

// TestQuotient multiplies what was divided.
func TestQuotient(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	whole := 0
	for range 4_000 {
		a, b := randomExpression(r, 3, len(operators)).build(), randomExpression(r, 2, len(operators)).build()
		if !a.Known() || !b.Known() || b.Is(0) {
			continue
		}
		if q, ok := a.Quotient(b); ok && !q.Mul(b).Equal(a) {
			t.Fatalf("%s is said to be %s times %s", a, b, q)
		}
		product := a.Mul(b)
		if !product.Known() {
			continue
		}
		q, ok := product.Quotient(b)
		if !ok || !q.Equal(a) {
			t.Fatalf("(%s) * (%s) is %s, and divided again %s, %v", a, b, product, q, ok)
		}
		whole++
	}
	if whole < 2_000 {
		t.Errorf("%d divided, which is too few", whole)
	}
}
