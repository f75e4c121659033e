package edit

import (
	"slices"

	"lathe/graphops"
)

// noteInput records what the new type of an input of the main graph means for recorded types that
// depend on it.
func (e *annotation) noteInput(name string, old, to graphops.Type) {
	e.inputs = append(e.inputs, name)
	if !refines(to, old) {
		e.opened = append(e.opened, name)
		elem := withoutShape(old).Declaration() != withoutShape(to).Declaration()
		e.doubts = e.doubts.or(doubt{elem: elem, outputs: elem, shape: unlike})
	}
}

// refines reports whether each value of type t also has type old, as far as numbers say.
func refines(t, old graphops.Type) bool {
	if t.Kind != old.Kind || t.Elem != old.Elem {
		return false
	}
	if old.Of != nil && (t.Of == nil || !refines(*t.Of, *old.Of)) {
		return false
	}
	if old.Shape == nil {
		return true
	}
	if t.Shape == nil || len(t.Shape) != len(old.Shape) {
		return false
	}
	for i, d := range old.Shape {
		if d.IsFixed() && t.Shape[i] != d {
			return false
		}
	}
	return true
}

// warnSymbols warns about symbols that an input no longer has, but other values still have.
func (e *annotation) warnSymbols(next *graphops.Model) {
	at := symbolsIn(next.Graph().Outputs(), next.Graph().ValueInfo())
	inputs := symbolsIn(next.Graph().Inputs())
	for _, name := range e.inputs {
		for _, d := range e.declared(name).Shape {
			if value, left := at[d.Symbol]; left && inputs[d.Symbol] == "" {
				e.report.warn("symbol %q stands at no input any more, and still at %q; lathe axes renames or fixes it everywhere", d.Symbol, value)
				delete(at, d.Symbol)
			}
		}
	}
}

// symbolsIn returns the symbols in the shapes of values, each with the name of the first value that
// has it.
func symbolsIn(lists ...[]*graphops.ValueInfo) map[string]string {
	at := map[string]string{}
	for _, v := range slices.Concat(lists...) {
		for _, d := range v.Type().Shape {
			if d.Symbol != "" && at[d.Symbol] == "" {
				at[d.Symbol] = v.Name()
			}
		}
	}
	return at
}
