package dim

// Algebra defines arithmetic on the type T, into which Calculate translates a Dim. T can be the
// name of a value that nodes compute, for example.
type Algebra[T any] struct {
	Number func(n int64) T
	Symbol func(name string) T
	// Apply applies "+", "*", "floor" (a/b rounded down), "max", "min" or "broadcast" to two
	// operands.
	Apply func(operation string, a, b T) T
}

// Calculate translates a Dim with the functions of an Algebra, from the inside out. The Dim must be
// Known.
func Calculate[T any](d Dim, by Algebra[T]) T {
	if d.p == nil {
		return by.Number(d.n)
	}
	return reduceAll(by, "+", d.p.terms, func(t term) T {
		var product []T
		if t.coef != 1 || len(t.mono) == 0 {
			product = append(product, by.Number(t.coef))
		}
		for _, a := range t.mono {
			product = append(product, calculateAtom(a, by))
		}
		return reduceAll(by, "*", product, func(x T) T { return x })
	})
}

func calculateAtom[T any](a *atom, by Algebra[T]) T {
	if a.kind == symbol || a.kind == unknown || a.kind == integer {
		return by.Symbol(a.name)
	}
	name := functions[a.kind]
	if a.kind == floorOf {
		name = "floor"
	}
	return reduceAll(by, name, a.args, func(d Dim) T { return Calculate(d, by) })
}

// reduceAll combines the values of all elements of a list by an operation, from left to right.
func reduceAll[T, E any](by Algebra[T], operation string, list []E, of func(E) T) T {
	out := of(list[0])
	for _, e := range list[1:] {
		out = by.Apply(operation, out, of(e))
	}
	return out
}
