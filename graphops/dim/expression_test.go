package dim_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"lathe/graphops/dim"
)

// expression is what a Dim should be, without a normal form: the judge of the
// tests, which calculates with numbers of any size.
type expression struct {
	op   string // "", for a number; "symbol", or an operator
	n    int64
	name string
	args []*expression
}

var symbols = []string{"a", "b", "c", "batch size"}

// operators of a random expression: those of a polynomial first.
var operators = []string{"+", "-", "*", "neg", "floor", "ceil", "mod", "max", "min", "broadcast"}

const polynomial = 4

// randomExpression has operators among the first so many.
func randomExpression(r *rand.Rand, depth, kinds int) *expression {
	if depth == 0 || r.IntN(5) == 0 {
		if r.IntN(2) == 0 {
			return &expression{n: int64(r.IntN(9) - 2)}
		}
		return &expression{op: "symbol", name: symbols[r.IntN(len(symbols))]}
	}
	e := &expression{op: operators[r.IntN(kinds)]}
	e.args = append(e.args, randomExpression(r, depth-1, kinds))
	switch {
	case e.op == "ceil":
		e.args = append(e.args, &expression{n: int64(1 + r.IntN(6))}) // rounding up is that of positive divisors
	case e.op != "neg":
		e.args = append(e.args, randomExpression(r, depth-1, kinds))
	}
	return e
}

func (e *expression) String() string {
	switch e.op {
	case "":
		return fmt.Sprint(e.n)
	case "symbol":
		return e.name
	}
	var args []string
	for _, a := range e.args {
		args = append(args, a.String())
	}
	return e.op + "(" + strings.Join(args, ", ") + ")"
}

// build calculates the expression with Dims.
func (e *expression) build() dim.Dim {
	switch e.op {
	case "":
		return dim.Number(e.n)
	case "symbol":
		return dim.Symbol(e.name)
	}
	a := e.args[0].build()
	if e.op == "neg" {
		return a.Neg()
	}
	b := e.args[1].build()
	switch e.op {
	case "broadcast":
		if d, ok := a.Broadcast(b); ok {
			return d
		}
		return dim.Unknown()
	default:
		return map[string]func(dim.Dim) dim.Dim{
			"+": a.Add, "-": a.Sub, "*": a.Mul, "floor": a.FloorDiv, "ceil": a.CeilDiv, "mod": a.Mod, "max": a.Max, "min": a.Min,
		}[e.op](b)
	}
}

var errNoValue = errors.New("no value")

// value calculates the expression with numbers; an error where it divides by zero
// or what does not broadcast.
func (e *expression) value(size map[string]int64) (*big.Int, error) {
	switch e.op {
	case "":
		return big.NewInt(e.n), nil
	case "symbol":
		return big.NewInt(size[e.name]), nil
	}
	var args []*big.Int
	for _, x := range e.args {
		n, err := x.value(size)
		if err != nil {
			return nil, err
		}
		args = append(args, n)
	}
	if e.op == "neg" {
		return new(big.Int).Neg(args[0]), nil
	}
	return operate(e.op, args[0], args[1])
}

func operate(op string, a, b *big.Int) (*big.Int, error) {
	one := big.NewInt(1)
	switch out := new(big.Int); op {
	case "+":
		return out.Add(a, b), nil
	case "-":
		return out.Sub(a, b), nil
	case "*":
		return out.Mul(a, b), nil
	case "max", "min":
		if (a.Cmp(b) > 0) == (op == "max") {
			return a, nil
		}
		return b, nil
	case "broadcast":
		switch {
		case a.Cmp(b) == 0 || b.Cmp(one) == 0:
			return a, nil
		case a.Cmp(one) == 0:
			return b, nil
		}
		return nil, errNoValue
	default:
		return divide(op, a, b)
	}
}

func divide(op string, a, b *big.Int) (*big.Int, error) {
	if b.Sign() == 0 {
		return nil, errNoValue
	}
	rest := new(big.Int)
	down, _ := new(big.Int).QuoRem(a, b, rest)
	if rest.Sign() != 0 && (rest.Sign() < 0) != (b.Sign() < 0) {
		down.Sub(down, big.NewInt(1))
	}
	switch {
	case op == "mod":
		return rest.Sub(a, down.Mul(down, b)), nil
	case op == "ceil" && rest.Sign() != 0:
		down.Add(down, big.NewInt(1))
	}
	return down, nil
}

// randomSizes give each symbol a size that it may stand for, often a small one.
func randomSizes(r *rand.Rand) map[string]int64 {
	size := map[string]int64{}
	for _, s := range symbols {
		size[s] = int64(1 + r.IntN([]int{2, 5, 40}[r.IntN(3)]))
	}
	return size
}

func sizeOf(size map[string]int64) func(string) (int64, bool) {
	return func(s string) (int64, bool) {
		n, ok := size[s]
		return n, ok
	}
}

// uses are the symbols of a Dim, each once.
func uses(d dim.Dim) []string {
	var out []string
	d.Symbols(func(s string) { out = append(out, s) })
	slices.Sort(out)
	return slices.Compact(out)
}
