package edit

import (
	"regexp"
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// RenameSymbols renames symbols of shapes, also in expressions. Two symbols may become one. Symbols
// of functions are not changed, because they belong to the function's own arguments.
func RenameSymbols(m *graphops.Model, to map[string]string) *graphops.Model {
	return mapSymbols(m, func(symbol string) string { return inExpression(symbol, to) })
}

// OpenSizes makes each size unknown that contains a symbol which is not in known.
func OpenSizes(m *graphops.Model, known map[string]bool) *graphops.Model {
	return mapSizes(m, func(d graphops.Dim) graphops.Dim {
		if d.Symbol == "" || IsKnown(d, known) {
			return d
		}
		return graphops.SymbolDim("")
	})
}

// IsKnown reports whether a size is a number, or contains known symbols only.
func IsKnown(d graphops.Dim, known map[string]bool) bool {
	if d.Symbol == "" {
		return d.IsFixed()
	}
	_, err := dim.OfText(d.Symbol).Eval(func(symbol string) (int64, bool) { return 2, known[symbol] })
	return err == nil
}

// OutputSizes sets the sizes of single axes of outputs of the main graph, by name and axis.
func OutputSizes(m *graphops.Model, to map[string]map[int]graphops.Dim) *graphops.Model {
	e := graphops.Edit(m)
	for i, v := range e.Outputs {
		for axis, d := range to[v.Name()] {
			e.Outputs[i] = e.Outputs[i].WithDim(axis, d)
		}
	}
	return e.Model()
}

// mapSymbols replaces the symbols and expressions of all shapes except those of functions.
func mapSymbols(m *graphops.Model, f func(string) string) *graphops.Model {
	return mapSizes(m, func(d graphops.Dim) graphops.Dim {
		if d.Symbol != "" {
			d.Symbol = f(d.Symbol)
		}
		return d
	})
}

// mapSizes replaces the sizes of all shapes except those of functions.
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

// inExpression returns a symbol or expression with its names replaced.
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

// atomForm matches a name in an expression such as "2*seq+1". A name before a parenthesis is that
// of a function.
var atomForm = regexp.MustCompile(`[\pL_][\pL\pN_.]*(\s*\()?`)

func isAtom(s string) bool { return atomForm.FindString(s) == s && !strings.HasSuffix(s, "(") }

// atomsOf returns the names in an expression; if there are none, the text itself.
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
