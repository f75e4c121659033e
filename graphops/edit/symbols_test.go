package edit_test

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
)

// Symbols get other names in expressions too; a size takes the place of whole symbols alone.
func TestSymbols(t *testing.T) {
	m := graphtest.Model(t, `
		ir 10
		opset 21
		input x f32[a,b,2*a+1]
		output y f32[a,made_up,b+made_up]
		y = Identity(x)
	`)
	m = edit.RenameSymbols(m, map[string]string{"a": "batch"})
	m = edit.FixSymbols(m, map[string]graphops.Dim{"made_up": graphops.FixedDim(16)})
	for i, v := range []*graphops.ValueInfo{m.Graph().Inputs()[0], m.Graph().Outputs()[0]} {
		if got, want := v.Type().Declaration(), []string{"f32[batch,b,2*batch+1]", "f32[batch,16,b+made_up]"}[i]; got != want {
			t.Errorf("%s is %s, want %s", v.Name(), got, want)
		}
	}
}
