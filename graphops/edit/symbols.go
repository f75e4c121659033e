package edit

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/pattern"
)

// RenameSymbols renames the symbols in shapes, also in expressions. Two symbols may get the same
// name. Shapes in functions stay, because their symbols have nothing to do with those outside.
func RenameSymbols(m *graphops.Model, to map[string]string) *graphops.Model {
	return mapSymbols(m, func(symbol string) string { return inExpression(symbol, to) })
}

// OpenSizes makes each size unknown that contains a symbol which is not in known. Shapes in
// functions stay.
func OpenSizes(m *graphops.Model, known map[string]bool) *graphops.Model {
	return mapSizes(m, func(d graphops.Dim) graphops.Dim {
		if d.Symbol == "" || IsKnown(d, known) {
			return d
		}
		return graphops.SymbolDim("")
	})
}

// IsKnown reports whether a size is a number, or an expression in symbols that are all in known.
func IsKnown(d graphops.Dim, known map[string]bool) bool {
	if d.Symbol == "" {
		return d.IsFixed()
	}
	_, err := dim.OfText(d.Symbol).Eval(func(symbol string) (int64, bool) { return 2, known[symbol] })
	return err == nil
}

// OutputSizes sets sizes of outputs of the main graph. to has the sizes by the name of the output
// and the axis.
func OutputSizes(m *graphops.Model, to map[string]map[int]graphops.Dim) *graphops.Model {
	e := graphops.Edit(m)
	for i, v := range e.Outputs {
		e.Outputs[i] = v.WithDims(to[v.Name()])
	}
	return e.Model()
}

// mapSymbols replaces each size that is a symbol or an expression by f of its text. Shapes in
// functions stay.
func mapSymbols(m *graphops.Model, f func(string) string) *graphops.Model {
	return mapSizes(m, func(d graphops.Dim) graphops.Dim {
		if d.Symbol != "" {
			d.Symbol = f(d.Symbol)
		}
		return d
	})
}

// mapSizes replaces each size by mapped of it. Shapes in functions stay.
func mapSizes(m *graphops.Model, mapped func(graphops.Dim) graphops.Dim) *graphops.Model {
	return m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		if p.Function != nil {
			return false
		}
		changed := false
		for _, list := range [][]*graphops.ValueInfo{e.Inputs, e.Outputs, e.ValueInfo} {
			for i, v := range list {
				list[i] = v.MapSizes(mapped)
				changed = changed || list[i] != v
			}
		}
		return changed
	})
}

// inExpression returns a symbol or an expression in which the names in to are replaced.
func inExpression(symbol string, to map[string]string) string {
	if whole, ok := to[symbol]; ok {
		return whole
	}
	return atomForm.ReplaceAllStringFunc(symbol, func(a string) string {
		to, ok := to[a]
		if ok && to != a && !isAtom(to) {
			return "(" + to + ")"
		}
		if ok {
			return to
		}
		return a
	})
}

// atomForm matches a name in an expression such as "2*seq+1". A name followed by a parenthesis,
// which the match then includes, is that of a function.
var atomForm = pattern.New(`[\pL_][\pL\pN_.]*(\s*\()?`)

func isAtom(s string) bool { return atomForm.FindString(s) == s && !strings.HasSuffix(s, "(") }

// atomsOf returns the names of the symbols in an expression. If there are none, the whole text is
// one symbol.
func atomsOf(symbol string) []string {
	var out []string
	for _, a := range atomForm.FindAllString(symbol, -1) {
		if !strings.HasSuffix(a, "(") {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return []string{symbol}
	}
	return out
}
