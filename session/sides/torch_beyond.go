package sides

import (
	"fmt"
	"path/filepath"

	"lathe/graphops"
	"lathe/session/inputs"
	"lathe/session/torch"
)

// ExampleCase is the name of the case with the inputs of the export.
const ExampleCase = "example"

// beyondCase is part of the name of every case with sizes for which a condition on sizes does not
// hold.
const beyondCase = ", where not "

// NameBeyond returns the part of the name of a case in which the condition b does not hold.
func NameBeyond(b torch.Beyond) string {
	return fmt.Sprintf("%s%s at %s:%d", beyondCase, b.Asks, filepath.Base(b.File), b.Line.Line)
}

// Beyond returns cases that torch.export excluded. torch.export may require conditions on dynamic
// axes, such as s > 4. Each case is the example, resized so that one condition does not hold.
func (e *Eager) beyond(m *graphops.Model, example inputs.Case, list []torch.Beyond) []inputs.Case {
	var out []inputs.Case
	for _, b := range list {
		one, changed := example, false
		for _, s := range b.Sizes {
			symbol := e.symbolAt(m, s.Path, s.Axis)
			if symbol == "" || isSum(graphops.SymbolDim(symbol)) {
				continue
			}
			one, changed = ResizedBy(one, symbol, axesOf(m, symbol), func(int64) int64 { return s.Size }), true
		}
		if changed {
			one.Name += NameBeyond(b)
			out = append(out, fitted(m, one))
		}
	}
	return out
}

// symbolAt returns the symbol of an argument's axis in the model, or "" if its size is fixed.
func (e *Eager) symbolAt(m *graphops.Model, path string, axis int) string {
	for _, v := range m.Graph().FeedInputs() {
		if shape := v.Type().Shape; e.Paths[v.Name()] == path && axis < len(shape) {
			return shape[axis].Symbol
		}
	}
	return ""
}

// axesOf returns, for each input with an axis of this symbol, that axis.
func axesOf(m *graphops.Model, symbol string) map[string]int {
	out := map[string]int{}
	for _, v := range m.Graph().FeedInputs() {
		for axis, d := range v.Type().Shape {
			if d.Symbol == symbol {
				out[v.Name()] = axis
			}
		}
	}
	return out
}
