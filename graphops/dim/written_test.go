package dim_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"lathe/graphops/dim"
)

// written is a random expression as an exporter writes it, and its exact value for
// given sizes; nil where it has none.
type written struct {
	text  string
	value func(map[string]int64) *big.Rat
}

var scales = []string{"0.5", "1.5", "2.0", "1.0", "0.25", "0.0625", "2.00000000000000", "4.0"}

// randomWritten is a sum, product, quotient or function of random expressions.
func randomWritten(r *rand.Rand, depth int) written {
	if depth == 0 || r.IntN(6) == 0 {
		if r.IntN(3) == 0 {
			n := int64(1 + r.IntN(8))
			return written{fmt.Sprint(n), func(map[string]int64) *big.Rat { return big.NewRat(n, 1) }}
		}
		name := symbols[r.IntN(3)]
		return written{name, func(size map[string]int64) *big.Rat { return big.NewRat(size[name], 1) }}
	}
	a, b := randomWritten(r, depth-1), randomWritten(r, depth-1)
	combined := func(format string, f func(x, y *big.Rat) *big.Rat) written {
		return written{fmt.Sprintf(format, a.text, b.text), func(size map[string]int64) *big.Rat {
			x, y := a.value(size), b.value(size)
			if x == nil || y == nil {
				return nil
			}
			return f(x, y)
		}}
	}
	ratio := func(x, y *big.Rat) *big.Rat {
		if y.Sign() == 0 {
			return nil
		}
		return new(big.Rat).Quo(x, y)
	}
	switch r.IntN(11) {
	case 0:
		return combined("(%s + %s)", func(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) })
	case 1:
		return combined("(%s - %s)", func(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) })
	case 2:
		return combined("(%s*%s)", func(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) })
	case 3:
		return combined("(%s/%s)", ratio)
	case 4:
		return combined("(%s//%s)", func(x, y *big.Rat) *big.Rat { return roundedDown(ratio(x, y)) })
	case 5:
		return combined("Mod(%s, %s)", func(x, y *big.Rat) *big.Rat {
			q := roundedDown(ratio(x, y))
			if q == nil {
				return nil
			}
			return new(big.Rat).Sub(x, q.Mul(q, y))
		})
	case 6:
		return combined("Max(%s, %s)", func(x, y *big.Rat) *big.Rat {
			if x.Cmp(y) > 0 {
				return x
			}
			return y
		})
	case 7:
		scale := scales[r.IntN(len(scales))]
		by, _ := new(big.Rat).SetString(scale)
		a.text = scale + "*" + a.text
		return combined("(%s - 0*%s)", func(x, _ *big.Rat) *big.Rat { return new(big.Rat).Mul(x, by) })
	case 8:
		return combined("ceiling(%s/%s)", func(x, y *big.Rat) *big.Rat {
			q := ratio(x, y)
			if q == nil {
				return nil
			}
			down := roundedDown(q.Neg(q))
			return down.Neg(down)
		})
	default:
		return combined("floor(%s/%s)", func(x, y *big.Rat) *big.Rat { return roundedDown(ratio(x, y)) })
	}
}

func roundedDown(x *big.Rat) *big.Rat {
	if x == nil {
		return nil
	}
	// Div rounds towards minus infinity for a positive divisor, which a Rat has.
	return new(big.Rat).SetInt(new(big.Int).Div(x.Num(), x.Denom()))
}

// TestWritten compares what is read of random texts with their exact values, at small
// sizes and at huge ones.
func TestWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := rand.New(rand.NewPCG(9, 10))
	compared, read := 0, 0
	for range 30_000 {
		e := randomWritten(r, 3)
		d, err := dim.Parse("floor(" + e.text + ")")
		if err != nil || !d.Known() {
			continue
		}
		read++
		for range 4 {
			size := randomSizes(r)
			if r.IntN(4) == 0 {
				size["a"] += 1 << 40
			}
			exact := e.value(size)
			got, err := d.Eval(sizeOf(size))
			if exact == nil || err != nil {
				continue // a division by zero on the way, or more than 64 bits
			}
			if want := roundedDown(exact).Num(); !want.IsInt64() || want.Int64() != got {
				t.Fatalf("floor(%s) is %s, which with %v is %d, want %s", e.text, d, size, got, want)
			}
			compared++
		}
	}
	if read < 20_000 || compared < 60_000 {
		t.Errorf("%d texts read and %d values compared, which is too few", read, compared)
	}
}
