package fault

import "testing"

// TestOperatorOfOldVersion: where the runtime has only newer versions of an operator, no
// type would do.
func TestOperatorOfOldVersion(t *testing.T) {
	for _, c := range []struct {
		text, explanation, hint string
	}{
		{
			"Could not find an implementation for AveragePool(1) node with name 'p'",
			`"p" (AveragePool), a node that the model does not have: the runtime implements this operator as of opset 7 and later, not as of opset 1`,
			"convert the model to opset 7 or a newer one with \"lathe export --opset\"",
		},
		{
			"Could not find an implementation for Min(13) node with name 'p'",
			`"p" (Min), a node that the model does not have: the runtime knows the operator but has no implementation for these types`,
			hints[NoKernel],
		},
	} {
		f := Parse(9, c.text)
		found := &Finding{Fault: f}
		explain(found)
		if found.Explanation != c.explanation || found.Hint != c.hint {
			t.Errorf("%s: %q, %q", c.text, found.Explanation, found.Hint)
		}
	}
}
