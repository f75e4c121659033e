package cost

// Counted reports whether an operator has a formula, and whether it is one of those
// whose products nobody counts.
func Counted(domain, name string) (formula, uncounted bool) {
	op := operator{domain, name}
	return formulas[op] != nil, notCounted[op]
}

// Named are all operators that a table of the package names, as domain and name.
func Named() [][2]string {
	var out [][2]string
	for op := range formulas {
		out = append(out, [2]string{op.domain, op.name})
	}
	for _, list := range []map[operator]bool{notCounted, holders, branching, constants} {
		for op := range list {
			out = append(out, [2]string{op.domain, op.name})
		}
	}
	for op := range movements {
		out = append(out, [2]string{op.domain, op.name})
	}
	return out
}
