package dim

// Evaluator evaluates one Dim for many sizes of its symbols. It does not allocate, and may be used
// concurrently.
type Evaluator struct{ terms []termEvaluator }

type termEvaluator struct {
	coef    int64
	factors []factorEvaluator
}

type factorEvaluator struct {
	kind   kind
	symbol int // the position of its size, for a symbol
	args   []Evaluator
}

// Evaluator returns an Evaluator of d. index returns, for a symbol, the index of its size in the
// argument of At. ok is false if d is not Known.
func (d Dim) Evaluator(index func(symbol string) int) (e Evaluator, ok bool) {
	if !d.Known() {
		return Evaluator{}, false
	}
	for _, t := range d.asTerms() {
		out := termEvaluator{coef: t.coef}
		for _, a := range t.mono {
			out.factors = append(out.factors, a.evaluator(index))
		}
		e.terms = append(e.terms, out)
	}
	return e, true
}

func (a *atom) evaluator(index func(string) int) factorEvaluator {
	f := factorEvaluator{kind: a.kind}
	if a.kind == symbol {
		f.symbol = index(a.name)
	}
	for _, d := range a.args {
		arg, _ := d.Evaluator(index) // the arguments of a Known Dim are Known
		f.args = append(f.args, arg)
	}
	return f
}

// At returns the value for the given sizes. ok is false if it overflows, if it divides by zero, or
// if sizes cannot be broadcast.
func (e Evaluator) At(sizes []int64) (n int64, ok bool) {
	for _, t := range e.terms {
		product := t.coef
		for _, f := range t.factors {
			x, ok := f.at(sizes)
			if !ok {
				return 0, false
			}
			if product, ok = mulInt(product, x); !ok {
				return 0, false
			}
		}
		if n, ok = addInt(n, product); !ok {
			return 0, false
		}
	}
	return n, true
}

func (f factorEvaluator) at(sizes []int64) (int64, bool) {
	if f.kind == symbol {
		return sizes[f.symbol], true
	}
	out, ok := f.args[0].At(sizes)
	for _, arg := range f.args[1:] {
		x, known := arg.At(sizes)
		if !ok || !known {
			return 0, false
		}
		out, ok = f.kind.at(out, x)
	}
	return out, ok
}

// at returns the value of a function of two numbers. The bool is false as in At.
func (k kind) at(a, b int64) (int64, bool) {
	switch k {
	case floorOf:
		switch b {
		case 0:
			return 0, false
		case -1:
			return mulInt(a, -1) // the smallest number has no opposite
		}
		return floorInt(a, b), true
	case maxOf:
		return max(a, b), true
	case minOf:
		return min(a, b), true
	case broadcastOf:
		switch {
		case a == b || b == 1:
			return a, true
		case a == 1:
			return b, true
		}
	}
	return 0, false
}
