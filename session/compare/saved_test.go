package compare

import (
	"testing"

	"lathe/graphops"
	"lathe/session/inputs"
)

// TestClassesAreSaved: where the classes alone decide, the cases are told that show it.
func TestClassesAreSaved(t *testing.T) {
	near := func(name string, first float32) []graphops.Got { return got(floats(name, first, 0.5)) }
	a := fake{answers: [][]graphops.Got{near("logits", 0.5000001), near("logits", 0.9)}}
	b := fake{answers: [][]graphops.Got{near("logits", 0.4999999), near("logits", 0.9)}}
	var failed []string
	o := Options{Failed: func(c inputs.Case, as []graphops.Got) {
		failed = append(failed, c.Name)
		if len(as) != 1 || c.Classes != 2 {
			t.Errorf("case %q: %d outputs of a, %d classes", c.Name, len(as), c.Classes)
		}
	}}
	r := run(t, a, b, o, caseNumber(0, 1), caseNumber(1, 0))
	if r.Pass || len(failed) != 1 || failed[0] != "case 0" {
		t.Errorf("pass %v, %s: %v", r.Pass, r.Verdict, failed)
	}
}
