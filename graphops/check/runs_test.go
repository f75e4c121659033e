package check

import (
	"testing"

	"lathe/graphops/graphtest"
)

// TestReplaceableConstants has an index beyond the axis that is an input too: from IR
// version 4 on a run may replace it.
func TestReplaceableConstants(t *testing.T) {
	const text = "input x f32[1,4]\ninput i i64[1]\ninit i i64[1] 4\ny = Gather(x, i) axis=1\noutput y f32\n"
	for ir, want := range map[string]bool{"ir 3\n": true, "ir 4\n": false, "": false} {
		if got := saidBy(t, "run-fails", graphtest.Model(t, ir+text)); (got != "") != want {
			t.Errorf("%q says %q, expected a problem: %t", ir, got, want)
		}
	}
}
