package edit_test

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
)

// Symbols get other names in expressions too; what follows from unknown ones is left open, and an
// axis of an output gets a size of its own.
func TestSymbols(t *testing.T) {
	m := graphtest.Model(t, `
		ir 10
		opset 21
		input x f32[a,b,2*a+1]
		output y f32[a,made_up,b+made_up]
		output z f32[made_up,4,b]
		y = Identity(x)
		z = Identity(x)
	`)
	m = edit.RenameSymbols(m, map[string]string{"a": "batch"})
	m = edit.OutputSizes(m, map[string]map[int]graphops.Dim{"y": {1: graphops.FixedDim(16)}, "z": {0: graphops.SymbolDim("2*batch"), 1: graphops.SymbolDim("")}})
	m = edit.OpenSizes(m, map[string]bool{"batch": true, "b": true})
	for i, v := range append(m.Graph().Inputs(), m.Graph().Outputs()...) {
		if got, want := v.Type().Declaration(), []string{"f32[batch,b,2*batch+1]", "f32[batch,16,?]", "f32[2*batch,?,b]"}[i]; got != want {
			t.Errorf("%s is %s, want %s", v.Name(), got, want)
		}
	}
}
