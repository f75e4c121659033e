package shape_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// symbols are the names that mean the same to all who speak of a model: those in
// the dimensions of its inputs. Other names are of somebody's own making.
type symbols struct {
	plain map[string]bool
	// odd are the dimensions that are no names, longest first, as "past + seq" and
	// "input-0_dim0"; meant are those that are expressions. Exporters write them, and
	// SymPy takes each for a symbol.
	odd   []string
	meant map[string]bool
	any   bool // whether every name is taken, and put into plain
}

func newSymbols(dims []string) *symbols {
	s := &symbols{plain: map[string]bool{}, meant: map[string]bool{}}
	for _, d := range dims {
		switch {
		case d != "" && identifier(d) == len(d):
			s.plain[d] = true
		case strings.Trim(d, "? 0123456789") != "": // some write "?" of any axis
			s.odd = append(s.odd, d)
		}
	}
	slices.SortFunc(s.odd, func(a, b string) int { return len(b) - len(a) })
	for _, d := range s.odd {
		open := &symbols{plain: map[string]bool{}, any: true}
		_, err := open.evaluate(d, assignment{kind: allEqual})
		s.meant[d] = err == nil
		if err == nil {
			maps.Copy(s.plain, open.plain)
		}
	}
	return s
}

// assignment gives every symbol a size, the same at every call.
type assignment struct {
	kind assignmentKind
	nth  int
}

type assignmentKind int

const (
	anySize  assignmentKind = iota
	multiple                // of 12, for expressions that divide
	large                   // past the limits that models have, such as 512 positions
	allEqual                // for those that hold only where two sizes are the same
)

var assignments = []assignment{
	{anySize, 0},
	{anySize, 1},
	{anySize, 2},
	{anySize, 3},
	{multiple, 0},
	{multiple, 1},
	{multiple, 2},
	{large, 0},
	{allEqual, 0},
}

func (a assignment) size(symbol string) *big.Rat {
	h := fnv.New64a()
	fmt.Fprint(h, a.nth, a.kind, symbol)
	r := int64(h.Sum64() >> 16)
	switch a.kind {
	case multiple:
		return big.NewRat(12*(1+r%8), 1)
	case large:
		return big.NewRat(12*(50+r%400), 1)
	case allEqual:
		return big.NewRat(24, 1)
	default:
		return big.NewRat(2+r%96, 1)
	}
}

// errPremise is of an expression that says nothing under an assignment: it
// broadcasts two sizes that do not go together.
var errPremise = errors.New("the sizes do not go together")

// maxDepth and maxBits bound what an expression may ask for.
const (
	maxDepth = 200
	maxBits  = 4096
)

// evaluate computes an expression over the rationals, in Lathe's syntax or in
// that of SymPy. A name that is not among the symbols, and a function that is not
// known, are errors.
func (s *symbols) evaluate(text string, a assignment) (*big.Rat, error) {
	e := &evaluator{symbols: s, rest: text, sizes: a}
	e.space()
	v, err := e.sum(0)
	if err == nil && e.rest != "" {
		err = fmt.Errorf("%q: unexpected %q", text, e.rest)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

type evaluator struct {
	*symbols
	rest  string
	sizes assignment
}

func (e *evaluator) space() { e.rest = strings.TrimLeft(e.rest, " ") }

// take consumes one of several tokens, the first that comes.
func (e *evaluator) take(tokens ...string) string {
	for _, t := range tokens {
		if strings.HasPrefix(e.rest, t) {
			e.rest = e.rest[len(t):]
			e.space()
			return t
		}
	}
	return ""
}

func (e *evaluator) sum(depth int) (*big.Rat, error) {
	return e.chain(depth, []string{"+", "-"}, e.product)
}

func (e *evaluator) product(depth int) (*big.Rat, error) {
	if strings.HasPrefix(e.rest, "**") {
		return nil, fmt.Errorf("a power of nothing")
	}
	return e.chain(depth, []string{"*", "//", "/", "%"}, e.signed)
}

// chain evaluates operands joined by operators of one level.
func (e *evaluator) chain(depth int, operators []string, operand func(int) (*big.Rat, error)) (*big.Rat, error) {
	if depth > maxDepth {
		return nil, errors.New("too deep")
	}
	v, err := operand(depth + 1)
	for err == nil {
		op := e.take(operators...)
		if op == "" {
			return v, nil
		}
		var w *big.Rat
		if w, err = operand(depth + 1); err == nil {
			v, err = apply(op, []*big.Rat{v, w})
		}
	}
	return nil, err
}

func (e *evaluator) signed(depth int) (*big.Rat, error) {
	if depth > maxDepth {
		return nil, errors.New("too deep")
	}
	if e.take("-") == "" {
		return e.power(depth)
	}
	v, err := e.signed(depth + 1)
	if err != nil {
		return nil, err
	}
	return v.Neg(v), nil
}

func (e *evaluator) power(depth int) (*big.Rat, error) {
	v, err := e.atom(depth)
	if err != nil || e.take("**") == "" {
		return v, err
	}
	w, err := e.signed(depth + 1)
	if err != nil {
		return nil, err
	}
	return apply("**", []*big.Rat{v, w})
}

func (e *evaluator) atom(depth int) (*big.Rat, error) {
	for _, name := range e.odd {
		if after, ok := strings.CutPrefix(e.rest, name); ok && !continues(after) {
			e.take(name)
			return e.odds(name)
		}
	}
	if e.take("(") != "" {
		list, err := e.list(depth)
		if err == nil && len(list) != 1 {
			err = errors.New("one value expected in parentheses")
		}
		if err != nil {
			return nil, err
		}
		return list[0], nil
	}
	if n := len(e.rest) - len(strings.TrimLeft(e.rest, "0123456789")); n > 0 {
		digits := e.take(e.rest[:n])
		if n > 40 || identifier(e.rest) > 0 {
			return nil, fmt.Errorf("%q is no number", digits+e.rest)
		}
		v, _ := new(big.Rat).SetString(digits)
		return v, nil
	}
	n := identifier(e.rest)
	if n == 0 {
		return nil, fmt.Errorf("a value expected at %q", e.rest)
	}
	name := e.take(e.rest[:n])
	if e.take("(") == "" {
		if e.any {
			e.plain[name] = true
		}
		if !e.plain[name] {
			return nil, fmt.Errorf("%q is not among the symbols", name)
		}
		return e.sizes.size(name), nil
	}
	list, err := e.list(depth)
	if err != nil {
		return nil, err
	}
	return apply(name, list)
}

// odds is the size of a name that is no identifier.
func (e *evaluator) odds(name string) (*big.Rat, error) {
	if e.meant[name] {
		return (&symbols{plain: e.plain}).evaluate(name, e.sizes)
	}
	return e.sizes.size(name), nil
}

// list evaluates what stands between parentheses.
func (e *evaluator) list(depth int) ([]*big.Rat, error) {
	var list []*big.Rat
	for {
		v, err := e.sum(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		switch e.take(",", ")") {
		case ")":
			return list, nil
		case "":
			return nil, fmt.Errorf("\")\" expected at %q", e.rest)
		}
	}
}

// identifier is the length of the name that a text begins with. Exporters put
// dots and colons into names.
func identifier(text string) int {
	for i, r := range text {
		inside := i > 0 && unicode.IsDigit(r)
		if r == utf8.RuneError || !inside && !unicode.IsLetter(r) && !strings.ContainsRune("_.:$", r) {
			return i
		}
	}
	return len(text)
}

// continues reports whether a name would go on here.
func continues(text string) bool {
	return identifier(text) > 0 || text != "" && text[0] >= '0' && text[0] <= '9'
}

// apply computes an operator or a function.
func apply(name string, of []*big.Rat) (*big.Rat, error) {
	f, ok := functions[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("function %q is not known", name)
	case len(of) != f.arguments && f.arguments > 0:
		return nil, fmt.Errorf("%s of %d values, %d expected", name, len(of), f.arguments)
	}
	v := of[0]
	if f.arguments == 1 {
		return f.compute(v, nil)
	}
	for _, w := range of[1:] {
		var err error
		if v, err = f.compute(v, w); err != nil {
			return nil, err
		}
		if v.Num().BitLen() > maxBits || v.Denom().BitLen() > maxBits {
			return nil, errors.New("too large")
		}
	}
	return v, nil
}

type function struct {
	arguments int // 0 for any number
	compute   func(a, b *big.Rat) (*big.Rat, error)
}

var functions = map[string]function{
	"+":  {2, func(a, b *big.Rat) (*big.Rat, error) { return new(big.Rat).Add(a, b), nil }},
	"-":  {2, func(a, b *big.Rat) (*big.Rat, error) { return new(big.Rat).Sub(a, b), nil }},
	"*":  {2, func(a, b *big.Rat) (*big.Rat, error) { return new(big.Rat).Mul(a, b), nil }},
	"/":  {2, quotient},
	"//": {2, floored},
	"%":  {2, modulo},
	"**": {2, power},

	"floor":   {1, func(a, _ *big.Rat) (*big.Rat, error) { return floor(a), nil }},
	"ceil":    {1, func(a, _ *big.Rat) (*big.Rat, error) { return ceiling(a), nil }},
	"ceiling": {1, func(a, _ *big.Rat) (*big.Rat, error) { return ceiling(a), nil }},
	"abs":     {1, func(a, _ *big.Rat) (*big.Rat, error) { return new(big.Rat).Abs(a), nil }},
	"Abs":     {1, func(a, _ *big.Rat) (*big.Rat, error) { return new(big.Rat).Abs(a), nil }},

	"max": {0, larger}, "Max": {0, larger},
	"min": {0, smaller}, "Min": {0, smaller},
	"mod": {2, modulo}, "Mod": {2, modulo},
	"broadcast": {0, broadcast},
}

func quotient(a, b *big.Rat) (*big.Rat, error) {
	if b.Sign() == 0 {
		return nil, errPremise
	}
	return new(big.Rat).Quo(a, b), nil
}

func floored(a, b *big.Rat) (*big.Rat, error) {
	q, err := quotient(a, b)
	if err != nil {
		return nil, err
	}
	return floor(q), nil
}

func modulo(a, b *big.Rat) (*big.Rat, error) {
	q, err := floored(a, b)
	if err != nil {
		return nil, err
	}
	return new(big.Rat).Sub(a, q.Mul(q, b)), nil
}

func power(a, b *big.Rat) (*big.Rat, error) {
	if !b.IsInt() || !b.Num().IsInt64() || b.Num().Int64() < -16 || b.Num().Int64() > 16 {
		return nil, fmt.Errorf("an exponent of %s", b.RatString())
	}
	v, n := big.NewRat(1, 1), b.Num().Int64()
	for range max(n, -n) {
		v.Mul(v, a)
	}
	if n < 0 {
		return quotient(big.NewRat(1, 1), v)
	}
	return v, nil
}

func floor(a *big.Rat) *big.Rat {
	// The denominator is positive, and so Euclidean division rounds down.
	return new(big.Rat).SetInt(new(big.Int).Div(a.Num(), a.Denom()))
}

func ceiling(a *big.Rat) *big.Rat {
	v := floor(new(big.Rat).Neg(a))
	return v.Neg(v)
}

func larger(a, b *big.Rat) (*big.Rat, error) {
	if a.Cmp(b) < 0 {
		return b, nil
	}
	return a, nil
}

func smaller(a, b *big.Rat) (*big.Rat, error) {
	if a.Cmp(b) > 0 {
		return b, nil
	}
	return a, nil
}

// broadcast is the size that two axes have together.
func broadcast(a, b *big.Rat) (*big.Rat, error) {
	one := big.NewRat(1, 1)
	switch {
	case a.Cmp(b) == 0 || b.Cmp(one) == 0:
		return a, nil
	case a.Cmp(one) == 0:
		return b, nil
	default:
		return nil, errPremise
	}
}
