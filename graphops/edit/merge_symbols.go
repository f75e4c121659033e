package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// symbolJoin determines the new symbols of the second model. If an axis of a connected input has a
// symbol, it is replaced by the size of that axis in the first model. Any other symbol is
// independent. It gets a new name if the first model has a symbol with the same name.
type symbolJoin struct {
	*merger
	bound map[string]graphops.Dim // by symbol of second, as a whole
	atoms map[string]string       // by symbol of second that occurs in an expression
	taken map[string]bool         // symbols of both
	// visible has the symbols in those inputs and outputs of second that the result has.
	visible map[string]bool
}

// joinSymbols replaces the symbols of the second model, except in its functions: a symbol in a
// function has nothing to do with the symbols outside.
func (j *merger) joinSymbols() {
	s := symbolJoin{j, map[string]graphops.Dim{}, map[string]string{}, map[string]bool{}, map[string]bool{}}
	s.bind()
	s.look()
	s.nameAll()
	j.second = mapSymbols(j.second, s.mapped)
}

// nameAll determines the new names of all symbols of the second model.
func (s *symbolJoin) nameAll() {
	first, second := atomsOfAll(s.first.Symbols()), atomsOfAll(s.second.Symbols())
	ofFirst := map[string]bool{}
	for _, a := range first {
		ofFirst[a], s.taken[a] = true, true
	}
	for _, a := range second {
		s.taken[a] = true
	}
	for _, a := range second {
		s.name(a, ofFirst[a])
	}
}

func atomsOfAll(symbols []string) []string {
	var out []string
	for _, s := range symbols {
		out = append(out, atomsOf(s)...)
	}
	return out
}

// look fills visible.
func (s *symbolJoin) look() {
	shown := slices.Clone(s.second.Graph().Outputs())
	for _, v := range s.second.Graph().Inputs() {
		if !s.isFed(v.Name()) {
			shown = append(shown, v)
		}
	}
	for _, v := range shown {
		for _, d := range v.Type().Shape {
			for _, a := range atomsOf(d.Symbol) {
				s.visible[a] = true
			}
		}
	}
}

// bind records which sizes of the first model replace symbols of the second.
func (s *symbolJoin) bind() {
	x := s.first.Graph().Index()
	for _, input := range s.fed {
		id, _ := x.Value(s.source[input])
		from, to := x.Type(id).Shape, s.inputType(input).Shape
		if from == nil || to == nil {
			continue
		}
		for axis, d := range to {
			s.bindAxis(input, axis, from[axis], d)
		}
	}
}

// bindAxis records the size from of the first model for the size to of the second, on an axis of an
// input that is fed. If one is a number and the other not, it warns that the result may only work
// for that number.
func (s *symbolJoin) bindAxis(input string, axis int, from, to graphops.Dim) {
	open := !from.IsFixed() && from.Symbol == ""
	switch had, known := s.bound[to.Symbol]; {
	case to.IsFixed() && open:
		s.report.warn("axis %d of input %q is %d for the second model and unknown in the first; the result is right for %d alone", axis, input, to.Value, to.Value)
	case to.IsFixed() && !from.IsFixed():
		s.report.warn("axis %d of input %q is %d for the second model and %q for the first; the result is right for %d alone, which lathe axes --fix %s=%d writes down",
			axis, input, to.Value, from, to.Value, from, to.Value)
	case to.Symbol == "" || open:
	case !known:
		s.bound[to.Symbol] = from
	case had != from:
		s.report.warn("sizes %s and %s of the first model have one symbol in the second, %q", had, from, to.Symbol)
	}
}

// name determines the new name of a symbol, which may stand alone or in an expression. clashes
// reports that the first model has a symbol with the same name.
func (s *symbolJoin) name(atom string, clashes bool) {
	if _, done := s.atoms[atom]; done {
		return
	}
	d, bound := s.bound[atom]
	to := d.Symbol
	if to == "" {
		to = s.freeSymbol(atom, clashes)
	}
	if s.atoms[atom] = to; to != atom {
		s.report.changed("symbol", atom, atom, to)
	}
	if bound && d.IsFixed() && s.visible[atom] {
		s.report.warn("symbol %q is always %s because of the first model; lathe axes --fix %s=%s replaces it in the shapes that still have %q", to, d, to, d, to)
	}
}

// freeSymbol returns the symbol itself, or a new one if clashes is set.
func (s *symbolJoin) freeSymbol(atom string, clashes bool) string {
	if !clashes {
		return atom
	}
	to := s.o.Prefix + atom
	for n := 1; s.taken[to]; n++ {
		to = fmt.Sprintf("%s%s__%d", s.o.Prefix, atom, n)
	}
	s.taken[to] = true
	return to
}

// mapped returns the new text of a size of second that is a symbol or an expression.
func (s *symbolJoin) mapped(symbol string) string {
	if d, ok := s.bound[symbol]; ok && d.Symbol != "" {
		return d.Symbol
	}
	atoms := atomsOf(symbol)
	if len(atoms) == 1 && atoms[0] == symbol {
		return s.atoms[symbol]
	}
	return inExpression(symbol, s.atoms)
}
