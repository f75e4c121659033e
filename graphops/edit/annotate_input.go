package edit

import (
	"slices"

	"lathe/graphops"
)

// noteInput records that the declared type of an input of the main graph changes. Unless the new
// type is narrower than the old one, recorded types that depend on the input may be wrong.
func (e *annotation) noteInput(name string, old, to graphops.Type) {
	e.inputs = append(e.inputs, name)
	if !refines(to, old) {
		e.opened = append(e.opened, name)
		elem := withoutShape(old).Declaration() != withoutShape(to).Declaration()
		e.doubts = e.doubts.or(doubt{elem: elem, outputs: elem, shape: unlike})
	}
}

// refines reports whether every value of type t also has type old. Symbols are ignored, because
// they do not claim a number.
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

// warnSymbols warns about symbols that other values still have although no input has them any
// longer.
func (e *annotation) warnSymbols(next *graphops.Model) {
	at := symbolsIn(next.Graph().Outputs(), next.Graph().ValueInfo())
	inputs := symbolsIn(next.Graph().Inputs())
	for _, name := range e.inputs {
		for _, d := range e.declared(name).Shape {
			if value, left := at[d.Symbol]; left && inputs[d.Symbol] == "" {
				e.report.warn("symbol %q is not in any input any more, but still in value %q; lathe axes renames or fixes it everywhere", d.Symbol, value)
				delete(at, d.Symbol)
			}
		}
	}
}

// symbolsIn returns the symbols in the shapes of values. Each is mapped to the name of the first
// value that has it.
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
