package opset

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
)

// TestMutants converts damaged models, which must not cause a panic.
func TestMutants(t *testing.T) {
	var bases []mutate.Base
	for _, a := range adaptations {
		bases = append(bases, mutate.Base{Name: a.name, Model: graphtest.Proto(t, a.text+adaptationValues)})
	}
	raised := 0
	for n := range uint64(4000) {
		p, changes := mutate.New(bases[n%uint64(len(bases))], bases, n)
		if p.Graph != nil && isRaised(t, graphtest.Decode(t, p), changes) {
			raised++
		}
	}
	if raised < 1000 {
		t.Errorf("only %d mutants were converted", raised)
	}
}

func isRaised(t *testing.T, m *graphops.Model, changes string) bool {
	defer func() {
		if broken := recover(); broken != nil {
			t.Errorf("mutant: %s", changes)
			panic(broken)
		}
	}()
	_, _, err := Raise(t.Context(), m, 21)
	return err == nil
}

// TestOmitted has nodes without the inputs or outputs that adapters look at.
func TestOmitted(t *testing.T) {
	for _, text := range []string{
		"opset 12\n_ = Softmax(x) axis=2", "opset 11\n_ = Squeeze(x) axes=[0]", "opset 7\n_, mask = Dropout(x)\ny = Neg(mask)", "opset 1\n_ = Upsample(x) height_scale=2.0 width_scale=2.0",
		"opset 6\n_ = BatchNormalization(x, v, v, v, v)", "opset 12\ny = Softmax()", "opset 6\ny = Add(, v) broadcast=1 axis=0", "opset 1\ny = Tile(, , )", "opset 10\ny = Resize(, )",
	} {
		m := graphtest.Model(t, text+adaptationValues)
		if raised, _, err := Raise(t.Context(), m, 21); (raised == nil) == (err == nil) {
			t.Errorf("%s: model %v, error %v", text, raised, err)
		}
	}
}
