package opschema

import "testing"

// TestSums: every operator of the list is one, and elementwise ones are none.
func TestSums(t *testing.T) {
	for o := range summing() {
		if len(Versions(o.domain, o.name)) == 0 {
			t.Errorf("%s::%s is no operator of the table", o.domain, o.name)
		}
	}
	for _, c := range []struct {
		domain, op string
		want       bool
	}{
		{"", "MatMul", true},
		{"ai.onnx", "ReduceMean", true},
		{"com.microsoft", "Attention", true},
		{"com.microsoft", "MatMul", false},
		{"", "Add", false},
		{"", "ReduceMax", false},
		{"", "Nothing", false},
	} {
		if got := Sums(c.domain, c.op); got != c.want {
			t.Errorf("%s::%s: %v", c.domain, c.op, got)
		}
	}
	if !Sums("", "DFT") || !Transforms("", "DFT") || !Transforms("com.microsoft", "Rfft") || Transforms("", "MatMul") || Transforms("", "Add") {
		t.Error("a Fourier transform, or none")
	}
}
