//go:build cgo

package cut

import (
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/sessiontest"
)

// TestPruneTypesOfPart prunes to a value whose type the file does not declare. The type must be
// found although the runtime does not know an operator that the value does not depend on. Asked
// directly, the runtime must give the same type.
func TestPruneTypesOfPart(t *testing.T) {
	m := graphtest.Model(t, `
		opset some.domain 1
		input x f32[n,4]
		output y f32[n,4]
		h = Relu(x)
		k = Shape(h)
		y = some.domain::Unknown(h, k)`)
	env := sessiontest.Env(t)
	result, err := (&Prune{Output: []string{"k"}}).Run(t.Context(), env, m)
	if err != nil {
		t.Fatal(err)
	}
	if output := result.Report.(*PruneReport).Outputs[0]; output.Type != "i64" || len(output.Shape) != 1 {
		t.Errorf("output %v, want i64 of rank 1", output)
	}
	types, err := env.Runtime.Types(t.Context(), m, []string{"k"})
	if err != nil || types["k"].Elem != tensor.I64 || len(types["k"].Shape) != 1 {
		t.Errorf("the runtime says %v, %v", types["k"], err)
	}
}
