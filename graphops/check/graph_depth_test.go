package check

import (
	"fmt"
	"testing"

	"lathe/graphops/graphtest"
)

// TestBodyDepth nests branches to the last depth that protobuf reads, and one deeper. How
// deep the type of the innermost output nests counts: a shape is a message, and so is a
// size.
func TestBodyDepth(t *testing.T) {
	for _, c := range []struct {
		bodies int
		output string
		want   bool
	}{
		{31, "f32[2]", false}, {32, "f32", false}, {32, "f32[]", true}, {32, "f32[2]", true}, {33, "f32", true},
	} {
		said := saidBy(t, "body-depth", graphtest.Model(t, nested(c.bodies, c.output)))
		if (said != "") != c.want {
			t.Errorf("%d bodies with %s: says %q, expected a problem: %t", c.bodies, c.output, said, c.want)
		}
	}
}

// nested is a model of branches in branches.
func nested(bodies int, output string) string {
	text := "input c bool[]\ninput x f32[2]\noutput y f32[2]\ngraph else\ny = Neg(x)\noutput y\nend\n"
	inner := "y = Relu(x)"
	for i := range bodies {
		text += fmt.Sprintf("graph then%d\n%s\noutput y %s\nend\n", i, inner, output)
		inner = fmt.Sprintf("y = If(c) then_branch=@then%d else_branch=@else", i)
	}
	return text + inner + "\n"
}
