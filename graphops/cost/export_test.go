package cost

import "lathe/graphops"

// Counted reports whether an operator has a formula, and whether it is one of those
// whose products nobody counts.
func Counted(domain, name string) (formula, uncounted bool) {
	op := graphops.Op{Domain: domain, Name: name}
	return formulas()[op] != nil, notCounted()[op]
}

// Named are all operators that a table of the package names, as domain and name.
func Named() [][2]string {
	var out [][2]string
	for op := range formulas() {
		out = append(out, [2]string{op.Domain, op.Name})
	}
	for _, list := range []map[graphops.Op]bool{notCounted(), holders(), branching(), constants()} {
		for op := range list {
			out = append(out, [2]string{op.Domain, op.Name})
		}
	}
	for op := range movements() {
		out = append(out, [2]string{op.Domain, op.Name})
	}
	return out
}
