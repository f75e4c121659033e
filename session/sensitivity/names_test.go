package sensitivity

import (
	"fmt"
	"slices"
	"testing"

	"lathe/graphops/graphtest"
)

// TestNamed has nodes without a name, with equal names, and with names that a new one could have.
func TestNamed(t *testing.T) {
	m := graphtest.Model(t, `input x f32[2]
output y f32[2]
a = Neg(x)
b = Neg(a)
same: c = Neg(b)
same: d = Neg(c)
_Neg_2: e = Neg(d)
same_Neg_3: f = Neg(e)
alone: y = Relu(f)
`)
	var got []string
	for n := range Named(m).AllNodes() {
		got = append(got, n.Name())
	}
	want := []string{"_Neg_3", "_Neg_4", "same_Neg_2", "same_Neg_4", "_Neg_2", "same_Neg_3", "alone"}
	if !slices.Equal(got, want) {
		t.Errorf("%s, expected %s", fmt.Sprint(got), fmt.Sprint(want))
	}
}
