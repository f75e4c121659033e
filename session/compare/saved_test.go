package compare

import (
	"strings"
	"testing"

	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// TestClassesAreSaved checks that Options.Failed is called for the cases whose classes differ, if
// only the classes make the comparison fail.
func TestClassesAreSaved(t *testing.T) {
	near := func(name string, first float32) []execution.Got { return got(floats(name, first, 0.5)) }
	a := fake{answers: [][]execution.Got{near("logits", 0.5000001), near("logits", 0.9)}}
	b := fake{answers: [][]execution.Got{near("logits", 0.4999999), near("logits", 0.9)}}
	var failed []string
	o := Options{Failed: func(c inputs.Case, as []execution.Got) {
		failed = append(failed, c.Name)
		if len(as) != 1 || c.Classes != 2 {
			t.Errorf("case %q: %d outputs of a, %d classes", c.Name, len(as), c.Classes)
		}
	}}
	r := run(t, a, b, o, caseNumber(0, 1), caseNumber(1, 0))
	if r.Pass || len(failed) != 1 || failed[0] != "case 0" {
		t.Errorf("pass %v, %s: %v", r.Pass, r.Headline, failed)
	}
}

// TestLabelsOfFewClasses checks data in which no row has the last class.
func TestLabelsOfFewClasses(t *testing.T) {
	rows := func(name string, classes int64) execution.Got {
		return output(name, tensor.FromSlice(make([]float32, 2*classes), 2, classes))
	}
	for _, c := range []struct {
		name    string
		outputs []execution.Got
		scored  string
		told    bool
	}{
		{"as many", got(rows("y", 3), rows("boxes", 4)), "y", false},
		{"more, of one output", got(rows("y", 10)), "y", false},
		{"more, of two", got(rows("y", 10), rows("boxes", 4)), "", true},
		{"fewer", got(rows("y", 2)), "", true},
	} {
		f := fake{answers: [][]execution.Got{c.outputs}}
		r := run(t, f, f, Options{}, caseNumber(0, 0, 2))
		if scored := len(r.Accuracy) == 1 && r.Accuracy[0].Output == c.scored; scored != (c.scored != "") {
			t.Errorf("%s: %+v", c.name, r.Accuracy)
		}
		if told := len(r.Findings) == 1 && strings.HasPrefix(r.Findings[0].String(), "the labels have 3 classes"); told != c.told {
			t.Errorf("%s: %+v", c.name, r.Findings)
		}
	}
}
